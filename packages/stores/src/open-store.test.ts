import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { canonicalJson } from "@threadfold/core";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { fileKeyStore } from "./encryption/subject-keys.ts";
import { metadata, THREAD, transcript } from "./laws/sample-data.ts";
import { openStore } from "./open-store.ts";

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), "threadfold-"))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe("openStore", () => {
  it("opens the same SQLite file by every form of its address", async () => {
    const path = join(folder, "a store #1 %20?.db");
    for (const [index, address] of [
      path,
      `sqlite:${path}`,
      `sqlite://${path}`,
      `sqlite:${relative(process.cwd(), path)}`,
    ].entries()) {
      const store = await openStore(address);
      expect(await store.threads.append(THREAD, transcript(index + 1), { expectedVersion: index })).toEqual({
        version: index + 1,
        appended: 1,
      });
      await store.close();
    }
    expect(existsSync(path)).toBe(true);
  });

  it("opens a separate memory store each time", async () => {
    const stores = [await openStore("memory:"), await openStore("memory:")];
    await stores[0]?.threads.append(THREAD, transcript(1), { expectedVersion: "no-thread" });
    expect(await stores[1]?.threads.load(THREAD)).toBeNull();
  });

  it("refuses an option that it does not know, so that nothing is written in the clear by mistake", async () => {
    for (const [options, option, hint] of [
      [{ encrypted: {} }, "encrypted", /^Did you mean encryption\?$/],
      [{ tenatId: "acme" }, "tenatId", /^Did you mean tenantId\?$/],
      [{ seal: true }, "seal", /^Known options: .*encryption/],
    ] as const)
      await expect(openStore("memory:", options as never)).rejects.toMatchObject({
        code: "INVALID_CONFIG",
        details: { name: option },
        hint: expect.stringMatching(hint),
      });
    for (const options of [null, "sealed"])
      await expect(openStore("memory:", options as never)).rejects.toMatchObject({ details: { name: "options" } });
    for (const encryption of [{}, { keys: "a key" }])
      await expect(openStore("memory:", { encryption } as never)).rejects.toMatchObject({
        code: "INVALID_CONFIG",
        details: { name: "keys" },
      });
  });

  it("seals content with a key per tenant and subject when it is given keys", async () => {
    const path = join(folder, "sealed.db");
    const keys = fileKeyStore(join(folder, "keys"));
    const open = (tenantId: string) => openStore(path, { tenantId, encryption: { keys, subjectOf: () => "ada" } });
    const store = await open("a");
    await store.threads.append(THREAD, transcript(2), { expectedVersion: 0 });
    expect(await keys.get(canonicalJson(["a", "ada"]))).not.toBeNull();
    await store.close();
    expect(readFileSync(path).includes("text 0")).toBe(false);
    const [again, other] = [await open("a"), await open("b")];
    expect((await again.threads.load(THREAD))?.version).toBe(2);
    await expect(other.threads.load(THREAD)).rejects.toMatchObject({ code: "KEY_MISSING" });
    await again.close();
    await other.close();
  });

  it("refuses unknown addresses and keeps passwords out of the message", async () => {
    for (const address of [
      undefined as never,
      7 as never,
      "",
      "sqlite:",
      "sqlite://",
      ":memory:",
      ":MEMORY:",
      " :memory:",
      "file::memory:?cache=shared",
      "sqlite::memory:",
      "memory:x",
      "mysql://me:secret@host/db",
      "s3://bucket",
    ]) {
      await expect(openStore(address)).rejects.toMatchObject({
        code: "INVALID_CONFIG",
        message: expect.not.stringContaining("secret"),
      });
    }
  });

  it("reports an unreachable PostgreSQL without repeating the password of its address", async () => {
    for (const address of ["postgres://me:secret@127.0.0.1:1/db", "postgresql://me:secret@127.0.0.1:1/db"]) {
      await expect(openStore(address, { postgres: { schema: "other" } })).rejects.toMatchObject({
        code: "STORE_UNAVAILABLE",
        message: expect.not.stringContaining("secret"),
      });
    }
  });

  it("keeps artifacts in a folder or a bucket beside any store, separate for each tenant", async () => {
    const artifacts = `file:${join(folder, "artifacts")}`;
    const store = await openStore("memory:", { artifacts, tenantId: "one" });
    const id = await store.artifacts.store("content", metadata());
    await store.close();
    const [again, other] = [
      await openStore(join(folder, "store.db"), { artifacts, tenantId: "one" }),
      await openStore("memory:", { artifacts, tenantId: "two" }),
    ];
    expect((await again.artifacts.retrieve(id))?.content).toBe("content");
    expect(await other.artifacts.retrieve(id)).toBeNull();
    await again.close();
    await other.close();
    await (await openStore("memory:", { artifacts: "s3://bucket/prefix?region=eu-west-1" })).close();
  });

  it("caches summaries in Redis beside any store, and works without Redis when it is unreachable", async () => {
    const troubles: string[] = [];
    const onTrouble = ({ kind }: { readonly kind: string }): unknown => troubles.push(kind);
    const summaryCache = { address: "redis://127.0.0.1:1", secret: "a secret of thirty-two characters", onTrouble };
    const store = await openStore("memory:", { summaryCache });
    expect(await store.summaryCache?.get("key")).toBeNull();
    expect(troubles).toEqual(["unreachable"]);
    await store.close();
    expect((await openStore("memory:")).summaryCache).toBeUndefined();
  });

  it("refuses unknown artifact and cache addresses, and options of another backend", async () => {
    const secret = "a secret of thirty-two characters";
    for (const options of [
      { artifacts: "ftp://me:secret@host" },
      { artifacts: "file:" },
      { artifacts: "somewhere" },
      { summaryCache: { address: "memcached://me:secret@host", secret } },
      { summaryCache: { address: "redis://127.0.0.1:1", secret: "short" } },
      { postgres: {} },
      { s3: {} },
      { s3: { requestTimeoutMs: 5 }, artifacts: "file:somewhere" },
      { s3: { requestTimeoutMs: 0 }, artifacts: "s3://bucket" },
    ])
      await expect(openStore("memory:", options)).rejects.toMatchObject({
        code: "INVALID_CONFIG",
        message: expect.not.stringContaining("secret@"),
      });
  });
});
