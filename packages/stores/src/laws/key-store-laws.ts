import assert from "node:assert/strict";
import type { KeyStore } from "@threadfold/core";
import type { Law } from "@threadfold/core/laws";
import { refuses } from "./store-check.ts";

/** Opens key stores of one kind for the laws. */
export interface KeyBackend {
  /** Opens an empty key store. */
  open(): Promise<KeyStore>;
  /** Reopens what the newest `open` opened, as another process would. Absent for key stores that forget. */
  reopen?(): Promise<KeyStore>;
  /** Called when a law has finished with what was opened. */
  dispose?(): Promise<void>;
}

/** Returns the laws that every `KeyStore` keeps, each on an empty one that the backend opens for it. */
export function keyStoreLaws(backend: KeyBackend): readonly Law[] {
  const checks = [...KEY_CHECKS, ...(backend.reopen === undefined ? [] : REOPEN_CHECKS)];
  return checks.map(({ name, holds }) => ({
    name,
    broken: async () => {
      try {
        await holds(await backend.open(), backend);
        return null;
      } finally {
        await backend.dispose?.();
      }
    },
  }));
}

interface KeyCheck {
  readonly name: string;
  readonly holds: (keys: KeyStore, backend: KeyBackend) => Promise<void>;
}

const KEY_BYTES = 32;

/** Subjects that a path, a pattern, a collation or an object's prototype would confuse. */
const SUBJECTS = ["a", "A", "a ", "\u00e4", "a\u0308", "a/b", "../a", "*", "__proto__", "消息", "x".repeat(512)];

async function hex(keys: KeyStore, subject: string, version?: number): Promise<string | null> {
  const key = await keys.get(subject, version);
  return key === null ? null : Buffer.from(key.bytes).toString("hex");
}

const KEY_CHECKS: readonly KeyCheck[] = [
  {
    name: "a subject without a key has none, and asking creates none",
    async holds(keys) {
      for (let times = 0; times < 2; times++) {
        assert.equal(await keys.get("a"), null, "there is a key");
        assert.equal(await keys.get("a", 1), null, "there is a key of version 1");
        assert.equal(await keys.isShredded("a"), false, "it counts as destroyed");
      }
    },
  },
  {
    name: "a key has 32 bytes, is made once, and is the same for everyone who asks, at the same time too",
    async holds(keys) {
      const made = await Promise.all(Array.from({ length: 8 }, () => keys.getOrCreate("a")));
      for (const { version, bytes } of made) {
        assert.equal(version, 1, `the first key has version ${version}`);
        assert.equal(bytes.length, KEY_BYTES, `the key has ${bytes.length} bytes`);
        assert.equal(Buffer.from(bytes).toString("hex"), await hex(keys, "a"), "somebody got a key that is not kept");
      }
      assert.equal((await keys.getOrCreate("a")).version, 1, "asking again made another version");
    },
  },
  {
    name: "every subject has a key of its own, whatever its name is",
    async holds(keys) {
      for (const subject of SUBJECTS) await keys.getOrCreate(subject);
      const all = await Promise.all(SUBJECTS.map((subject) => hex(keys, subject)));
      for (const [index, subject] of SUBJECTS.entries())
        assert.equal(all.indexOf(all[index] as string), index, `${JSON.stringify(subject)} shares a key with another`);
    },
  },
  {
    name: "a rotation adds a version, and every version stays",
    async holds(keys) {
      const first = Buffer.from((await keys.getOrCreate("a")).bytes).toString("hex");
      const second = await keys.rotate("a");
      assert.equal(second.version, 2, `the second key has version ${second.version}`);
      assert.equal((await keys.get("a"))?.version, 2, "the newest key is not the one that was added");
      assert.equal((await keys.getOrCreate("a")).version, 2, "the key that seals is not the newest");
      assert.equal(await hex(keys, "a", 1), first, "version 1 is not what it was");
      assert.notEqual(await hex(keys, "a", 2), first, "both versions have the same bytes");
      assert.equal(await keys.get("a", 3), null, "there is a version 3");
    },
  },
  {
    name: "a destroyed key is gone in every version and for good, and destroying it again changes nothing",
    async holds(keys) {
      await keys.getOrCreate("a");
      await keys.rotate("a");
      await keys.getOrCreate("b");
      const other = await hex(keys, "b");
      assert.equal(await keys.shred("a"), true, "it says that there was no key");
      for (const version of [undefined, 1, 2])
        assert.equal(await keys.get("a", version), null, `version ${version ?? "asked for none"} can still be read`);
      assert.equal(await keys.isShredded("a"), true, "it does not count as destroyed");
      await refuses("CONTENT_ERASED", () => keys.getOrCreate("a"), "a new key of a destroyed subject");
      await refuses("CONTENT_ERASED", () => keys.rotate("a"), "a new version of a destroyed key");
      assert.equal(await keys.shred("a"), false, "it says again that there was a key");
      assert.equal(await hex(keys, "b"), other, "another subject's key changed");
      assert.equal(await keys.isShredded("b"), false, "another subject's key counts as destroyed");
    },
  },
  {
    name: "what is returned cannot be used to change a key",
    async holds(keys) {
      const made = await keys.getOrCreate("a");
      const before = await hex(keys, "a");
      made.bytes.fill(0);
      (await keys.get("a"))?.bytes.fill(0);
      assert.equal(await hex(keys, "a"), before, "the key changed with the bytes that were returned");
    },
  },
];

const REOPEN_CHECKS: readonly KeyCheck[] = [
  {
    name: "keys and destroyed keys are there after opening again",
    async holds(keys, backend) {
      await keys.getOrCreate("kept");
      await keys.rotate("kept");
      await keys.getOrCreate("gone");
      await keys.shred("gone");
      const before = [await hex(keys, "kept", 1), await hex(keys, "kept", 2)];
      const again = await (backend.reopen as () => Promise<KeyStore>)();
      assert.deepEqual([await hex(again, "kept", 1), await hex(again, "kept", 2)], before, "a key is not what it was");
      assert.equal(await again.get("gone"), null, "a destroyed key is back");
      assert.equal(await again.isShredded("gone"), true, "a destroyed key counts as never made");
      await refuses("CONTENT_ERASED", () => again.getOrCreate("gone"), "a new key of a destroyed subject");
    },
  },
];
