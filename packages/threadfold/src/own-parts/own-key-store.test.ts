import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type KeyStore, type SubjectKey, ThreadfoldError } from "@threadfold/core";
import { fileKeyStore } from "@threadfold/stores";
import { brokenLaws, keepLaws, keyStoreLaws } from "threadfold/laws";
import { describe, expect, it } from "vitest";

/** A key store as somebody else would write one, over a table that outlives it. */
function tableKeys(table: Map<string, readonly SubjectKey[] | "destroyed">): KeyStore {
  const versions = (subject: string): readonly SubjectKey[] => {
    const kept = table.get(subject) ?? [];
    if (kept === "destroyed") throw new ThreadfoldError("CONTENT_ERASED", "The key was destroyed.");
    return kept;
  };
  const copy = ({ version, bytes }: SubjectKey): SubjectKey => ({ version, bytes: bytes.slice() });
  const rotate = async (subject: string): Promise<SubjectKey> => {
    const key = { version: versions(subject).length + 1, bytes: new Uint8Array(randomBytes(32)) };
    table.set(subject, [...versions(subject), key]);
    return copy(key);
  };
  return {
    rotate,
    async get(subject, version) {
      const kept = table.get(subject);
      const key = kept === "destroyed" ? undefined : kept?.at(version === undefined ? -1 : version - 1);
      return key === undefined ? null : copy(key);
    },
    async getOrCreate(subject) {
      const newest = versions(subject).at(-1);
      return newest === undefined ? rotate(subject) : copy(newest);
    },
    async shred(subject) {
      const had = Array.isArray(table.get(subject));
      table.set(subject, "destroyed");
      return had;
    },
    isShredded: async (subject) => table.get(subject) === "destroyed",
  };
}

let table = new Map<string, readonly SubjectKey[] | "destroyed">();
const backend = {
  open: async () => tableKeys((table = new Map())),
  reopen: async () => tableKeys(table),
};
keepLaws("a key store of one's own", keyStoreLaws(backend), { describe, it });

let folder = "";
const files = {
  open: async () => fileKeyStore((folder = mkdtempSync(join(tmpdir(), "threadfold-keys-")))),
  reopen: async () => fileKeyStore(folder),
  dispose: async () => rmSync(folder, { recursive: true, force: true }),
};
keepLaws("a key store in files", keyStoreLaws(files), { describe, it });

const key = (bytes: number, version = 1): SubjectKey => ({ version, bytes: new Uint8Array(randomBytes(bytes)) });

describe("a key store of one's own", () => {
  it.each<[string, (keys: KeyStore) => Partial<KeyStore>, RegExp]>([
    ["short keys", () => ({ getOrCreate: async () => key(16) }), /the key has 16 bytes/],
    ["a new key each time", () => ({ getOrCreate: async () => key(32) }), /a key that is not kept/],
    ["no earlier versions", (keys) => ({ get: (subject) => keys.get(subject) }), /version 1 is not what it was/],
    ["keys that outlive their end", () => ({ shred: async () => true }), /can still be read/],
    ["subjects that it cannot tell apart", (keys) => lowerCased(keys), /"A" shares a key with another/],
    ["a key for whoever asks", (keys) => ({ get: (subject) => keys.getOrCreate(subject) }), /there is a key/],
  ])("breaks the laws with %s", async (_, wrong, problem) => {
    const broken = await brokenLaws(
      keyStoreLaws({
        open: async () => {
          const keys = tableKeys(new Map());
          return { ...keys, ...wrong(keys) };
        },
      }),
    );
    expect(broken.map((one) => one.problem)).toContainEqual(expect.stringMatching(problem));
  });

  it("breaks the laws when it forgets, and when it forgets what it destroyed", async () => {
    const forgets = keyStoreLaws({ ...backend, reopen: async () => tableKeys(new Map()) });
    expect(await brokenLaws(forgets)).toEqual([
      {
        name: "keys and destroyed keys are there after opening again",
        problem: expect.stringContaining("a key is not what it was"),
      },
    ]);
    const revives = keyStoreLaws({
      ...backend,
      reopen: async () => tableKeys(new Map([...table].filter(([, kept]) => kept !== "destroyed"))),
    });
    expect((await brokenLaws(revives))[0]?.problem).toContain("a destroyed key counts as never made");
  });
});

function lowerCased(keys: KeyStore): KeyStore {
  return {
    get: (subject, version) => keys.get(subject.toLowerCase(), version),
    getOrCreate: (subject) => keys.getOrCreate(subject.toLowerCase()),
    rotate: (subject) => keys.rotate(subject.toLowerCase()),
    shred: (subject) => keys.shred(subject.toLowerCase()),
    isShredded: (subject) => keys.isShredded(subject.toLowerCase()),
  };
}
