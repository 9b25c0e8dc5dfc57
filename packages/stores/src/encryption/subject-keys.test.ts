import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { KeyStore, KeyWrapper } from "@threadfold/core";
import { keepLaws } from "@threadfold/core/laws";
import { afterAll, describe, expect, it } from "vitest";
import { keyStoreLaws } from "../laws/key-store-laws.ts";
import { fileKeyStore, memoryKeyStore } from "./subject-keys.ts";

const root = mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "threadfold-"));
afterAll(() => rmSync(root, { recursive: true, force: true }));
let folders = 0;
const freshFolder = (): string => join(root, String(++folders));

/** A stand-in for a key management service: it never gives its key away and checks the context. */
function service(): KeyWrapper & { readonly calls: string[]; isDown: boolean } {
  const master = randomBytes(32);
  const calls: string[] = [];
  const self = {
    calls,
    isDown: false,
    wrap: async (key: Uint8Array, context: Readonly<Record<string, string>>) => {
      calls.push("wrap");
      const nonce = randomBytes(12);
      const cipher = createCipheriv("aes-256-gcm", master, nonce).setAAD(Buffer.from(JSON.stringify(context)));
      return Buffer.concat([nonce, cipher.update(key), cipher.final(), cipher.getAuthTag()]);
    },
    unwrap: async (wrapped: Uint8Array, context: Readonly<Record<string, string>>) => {
      calls.push("unwrap");
      if (self.isDown) throw new Error("no connection");
      const bytes = Buffer.from(wrapped);
      const decipher = createDecipheriv("aes-256-gcm", master, bytes.subarray(0, 12));
      decipher.setAAD(Buffer.from(JSON.stringify(context))).setAuthTag(bytes.subarray(-16));
      return Buffer.concat([decipher.update(bytes.subarray(12, -16)), decipher.final()]);
    },
  };
  return self;
}

/** A service that wraps nothing, and may hand out the very bytes that it was given. */
const idle: KeyWrapper = { wrap: async (key) => key, unwrap: async (wrapped) => wrapped };

keepLaws("a key store in memory", keyStoreLaws({ open: async () => memoryKeyStore() }), { describe, it });
keepLaws("a key store in memory with a service", keyStoreLaws({ open: async () => memoryKeyStore(service()) }), {
  describe,
  it,
});
keepLaws("a key store in memory with an idle service", keyStoreLaws({ open: async () => memoryKeyStore(idle) }), {
  describe,
  it,
});

const filesIn = (folder: string): readonly string[] =>
  (readdirSync(folder, { recursive: true }) as string[]).map((name) => join(folder, name));

describe.each([
  ["memory", () => memoryKeyStore()],
  ["files", () => fileKeyStore(freshFolder())],
  ["files with a key management service", () => fileKeyStore(freshFolder(), service())],
] as const)("a key store in %s", (_name, open: () => KeyStore) => {
  it("gives each subject its own key and returns every version of it", async () => {
    const keys = open();
    expect(await keys.get("a")).toBeNull();
    const first = await keys.getOrCreate("a");
    expect(first).toMatchObject({ version: 1 });
    expect(first.bytes).toHaveLength(32);
    expect(await keys.getOrCreate("a")).toEqual(first);
    expect((await keys.getOrCreate("b")).bytes).not.toEqual(first.bytes);
    const second = await keys.rotate("a");
    expect(second.version).toBe(2);
    expect([await keys.get("a"), await keys.get("a", 1), await keys.get("a", 3)]).toEqual([second, first, null]);
    expect((await keys.rotate("new")).version).toBe(1);
  });

  it("destroys all versions of a key for good, and destroying it twice does no harm", async () => {
    const keys = open();
    await keys.getOrCreate("a");
    await keys.rotate("a");
    const other = await keys.getOrCreate("b");
    expect([await keys.shred("a"), await keys.shred("a"), await keys.shred("never")]).toEqual([true, false, false]);
    expect([await keys.get("a"), await keys.get("a", 1), await keys.isShredded("a")]).toEqual([null, null, true]);
    for (const make of [() => keys.getOrCreate("a"), () => keys.rotate("a"), () => keys.getOrCreate("never")])
      await expect(make()).rejects.toMatchObject({ code: "CONTENT_ERASED" });
    expect(await keys.get("b")).toEqual(other);
  });

  it("gives concurrent callers the same new key", async () => {
    const keys = open();
    const made = await Promise.all(Array.from({ length: 20 }, () => keys.getOrCreate("a")));
    expect(new Set(made.map(({ bytes }) => Buffer.from(bytes).toString("hex"))).size).toBe(1);
  });
});

describe("keys in files", () => {
  it("persist in one file per version that only their owner may read", async () => {
    const folder = freshFolder();
    const key = await fileKeyStore(folder).getOrCreate("somebody@example.org");
    await fileKeyStore(folder).rotate("somebody@example.org");
    expect(await fileKeyStore(folder).get("somebody@example.org", 1)).toEqual(key);
    const files = filesIn(folder).filter((path) => statSync(path).isFile());
    expect(files).toHaveLength(2);
    for (const path of files) expect(statSync(path).mode & 0o777).toBe(0o600);
    for (const path of filesIn(folder)) expect(path).not.toContain("somebody");
    chmodSync(files[0] as string, 0o644);
    await expect(fileKeyStore(folder).get("somebody@example.org", 1)).rejects.toMatchObject({
      code: "STORE_UNAVAILABLE",
    });
  });

  it("are reported as damaged, with their path, when they were cut short", async () => {
    const folder = freshFolder();
    await fileKeyStore(folder).getOrCreate("a");
    const [path] = filesIn(folder).filter((name) => name.endsWith(".key")) as [string];
    writeFileSync(path, new Uint8Array(10));
    await expect(fileKeyStore(folder).get("a")).rejects.toMatchObject({
      code: "STORE_CORRUPT",
      message: `The key in ${path} is damaged: it has 10 bytes instead of 32.`,
      hint: expect.stringContaining("backup of the keys"),
      details: { path },
    });
  });

  it("are gone from every file once destroyed", async () => {
    const folder = freshFolder();
    const keys = fileKeyStore(folder);
    const { bytes } = await keys.getOrCreate("a");
    await keys.shred("a");
    expect(filesIn(folder).filter((path) => path.endsWith(".key"))).toEqual([]);
    for (const path of filesIn(folder))
      if (statSync(path).isFile()) expect(readFileSync(path).includes(Buffer.from(bytes))).toBe(false);
    expect(await fileKeyStore(folder).isShredded("a")).toBe(true);
  });

  it("are stored only as wrapped by the key management service, and need that service to open", async () => {
    const folder = freshFolder();
    const kms = service();
    const keys = fileKeyStore(folder, kms);
    const { bytes } = await keys.getOrCreate("a");
    expect(await keys.get("a")).toMatchObject({ bytes });
    expect(kms.calls).toEqual(["wrap", "unwrap"]);
    for (const path of filesIn(folder))
      if (statSync(path).isFile()) expect(readFileSync(path).includes(Buffer.from(bytes))).toBe(false);
    await expect(fileKeyStore(folder, service()).get("a")).rejects.toMatchObject({ code: "STORE_UNAVAILABLE" });
    kms.isDown = true;
    await expect(keys.get("a")).rejects.toMatchObject({ code: "STORE_UNAVAILABLE" });
  });
});

describe.skipIf(!existsSync("/proc/self"))("keys in a folder that cannot be created", () => {
  it("are refused at once", async () => {
    const keys = fileKeyStore("/proc/nope/keys");
    const refusal = { code: "STORE_UNAVAILABLE", message: expect.stringContaining("ENOENT") };
    await expect(keys.getOrCreate("ada")).rejects.toMatchObject(refusal);
    await expect(keys.shred("ada")).rejects.toMatchObject(refusal);
  });
});
