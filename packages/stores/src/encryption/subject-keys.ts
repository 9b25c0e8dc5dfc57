import type { FileHandle } from "node:fs/promises";
import { join } from "node:path";
import { type KeyStore, type KeyWrapper, type SubjectKey, ThreadfoldError } from "@threadfold/core";
import { makeFolders } from "../filesystem/file-artifacts.ts";
import { nodeCrypto, nodeFiles } from "../shared/on-demand.ts";

/** Length of every key. */
export const KEY_BYTES = 32;

/** Returns a key store that lives as long as the process: for tests, and for content that must not outlive it. */
export function memoryKeyStore(wrapper?: KeyWrapper): KeyStore {
  return new SubjectKeys(memoryKeyRecords(), wrapper);
}

/**
 * Returns a key store with each key in its own file, readable by its owner alone. With a `wrapper`, the files contain
 * keys wrapped by a key management service, so that the folder opens nothing without the service.
 */
export function fileKeyStore(folder: string, wrapper?: KeyWrapper): KeyStore {
  return new SubjectKeys(fileKeyRecords(folder), wrapper);
}

/** Creates and finds the keys of subjects in records. */
class SubjectKeys implements KeyStore {
  readonly #records: KeyRecords;
  readonly #wrapper: KeyWrapper | undefined;

  constructor(records: KeyRecords, wrapper: KeyWrapper | undefined) {
    this.#records = records;
    this.#wrapper = wrapper;
  }

  async get(subject: string, version?: number): Promise<SubjectKey | null> {
    const wanted = version ?? (await this.#newest(subject));
    const kept = wanted === 0 ? null : await this.#records.read(nameOf(subject), wanted);
    if (kept === null) return null;
    const bytes = this.#wrapper === undefined ? kept : await this.#unwrap(this.#wrapper, kept, subject, wanted);
    if (bytes.length === KEY_BYTES) return Object.freeze({ version: wanted, bytes });
    throw damagedKey(this.#records.whereIs(nameOf(subject), wanted), bytes.length);
  }

  async getOrCreate(subject: string): Promise<SubjectKey> {
    return (await this.get(subject)) ?? (await this.#add(subject, 1));
  }

  async rotate(subject: string): Promise<SubjectKey> {
    return this.#add(subject, (await this.#newest(subject)) + 1);
  }

  async shred(subject: string): Promise<boolean> {
    const hadKey = (await this.#newest(subject)) > 0;
    await this.#records.destroy(nameOf(subject));
    return hadKey;
  }

  isShredded(subject: string): Promise<boolean> {
    return this.#records.isDestroyed(nameOf(subject));
  }

  async #add(subject: string, version: number): Promise<SubjectKey> {
    if (await this.isShredded(subject)) throw contentErased();
    const bytes = nodeCrypto().randomBytes(KEY_BYTES);
    const kept = await (this.#wrapper?.wrap(bytes, contextOf(subject, version)) ?? bytes);
    if (await this.#records.add(nameOf(subject), version, kept)) return Object.freeze({ version, bytes });
    // Another writer was faster: one key per version is enough.
    const found = await this.get(subject, version);
    if (found === null) throw contentErased();
    return found;
  }

  async #unwrap(wrapper: KeyWrapper, kept: Uint8Array, subject: string, version: number): Promise<Uint8Array> {
    try {
      return await wrapper.unwrap(kept, contextOf(subject, version));
    } catch (cause) {
      throw new ThreadfoldError("STORE_UNAVAILABLE", "The key management service did not unwrap a key.", { cause });
    }
  }

  async #newest(subject: string): Promise<number> {
    return Math.max(0, ...(await this.#records.versions(nameOf(subject))));
  }
}

const damagedKey = (path: string, bytes: number): ThreadfoldError =>
  new ThreadfoldError(
    "STORE_CORRUPT",
    `The key in ${path} is damaged: it has ${bytes} bytes instead of ${KEY_BYTES}.`,
    {
      hint: "Restore this key from a backup of the keys. What it sealed is not damaged.",
      details: { path, bytes },
    },
  );

/** The error for every use of an erased subject's keys. */
export function contentErased(): ThreadfoldError {
  return new ThreadfoldError("CONTENT_ERASED", "The content was erased; its key was destroyed.");
}

const nameOf = (subject: string): string =>
  nodeCrypto().createHash("sha256").update(`threadfold subject ${subject}`).digest("hex");

const contextOf = (subject: string, version: number): Readonly<Record<string, string>> => ({
  subject: nameOf(subject),
  version: String(version),
});

/** Where key bytes are stored. Names are digests, so a listing reveals nothing about the subjects. */
interface KeyRecords {
  /** The existing versions, in any order. */
  versions(name: string): Promise<readonly number[]>;
  read(name: string, version: number): Promise<Uint8Array | null>;
  /** Returns where a version is kept: the path of its file, or "memory". */
  whereIs(name: string, version: number): string;
  /** Adds a version. Returns false when it already exists, and then keeps the existing one. */
  add(name: string, version: number, bytes: Uint8Array): Promise<boolean>;
  /** Destroys all versions and marks the name as destroyed, for good. */
  destroy(name: string): Promise<void>;
  isDestroyed(name: string): Promise<boolean>;
}

/**
 * Key records that live as long as the process. Bytes are copied on their way in and out: who zeroes a key after use
 * does not erase it here. `Buffer.slice` would share them.
 */
function memoryKeyRecords(): KeyRecords {
  const kept = new Map<string, Map<number, Uint8Array>>();
  const destroyed = new Set<string>();
  return {
    versions: async (name) => [...(kept.get(name)?.keys() ?? [])],
    read: async (name, version) => {
      const bytes = kept.get(name)?.get(version);
      return bytes === undefined ? null : Buffer.from(bytes);
    },
    whereIs: () => "memory",
    add: async (name, version, bytes) => {
      const versions = kept.get(name) ?? new Map<number, Uint8Array>();
      if (versions.has(version) || destroyed.has(name)) return false;
      kept.set(name, versions.set(version, Buffer.from(bytes)));
      return true;
    },
    destroy: async (name) => {
      for (const bytes of kept.get(name)?.values() ?? []) bytes.fill(0);
      kept.delete(name);
      destroyed.add(name);
    },
    isDestroyed: async (name) => destroyed.has(name),
  };
}

const DESTROYED = "destroyed";
const KEY_FILE = /^([1-9][0-9]{0,8})\.key$/;
const OTHERS = 0o077;

/**
 * Key records in a folder separate from the store: a subfolder for each subject (mode 0700) with one file for each
 * version (0600). A key that others may read is refused. Destroying overwrites and removes the files; what the disk
 * itself keeps of them (snapshots, worn cells, backups) is up to whoever runs the machine, so put the folder where
 * nothing of that kind is kept.
 */
function fileKeyRecords(folder: string): KeyRecords {
  const folderOf = (name: string): string => join(folder, name);
  const pathOf = (name: string, version: number): string => join(folderOf(name), `${version}.key`);
  const isDestroyed = async (name: string): Promise<boolean> => (await entriesOf(folderOf(name))).includes(DESTROYED);
  return {
    isDestroyed,
    versions: async (name) =>
      (await entriesOf(folderOf(name))).flatMap((file) => {
        const version = KEY_FILE.exec(file)?.[1];
        return version === undefined ? [] : [Number(version)];
      }),
    read: (name, version) => guarded(folder, () => readKey(pathOf(name, version))),
    whereIs: pathOf,
    add: (name, version, bytes) =>
      guarded(folder, async () => {
        makeFolders(folderOf(name), 0o700);
        const path = pathOf(name, version);
        if (!(await writeNew(path, bytes))) return false;
        // The subject may have been destroyed meanwhile: then this key must not outlive it.
        if (!(await isDestroyed(name))) return true;
        await overwriteAndRemove(path);
        return false;
      }),
    destroy: (name) =>
      guarded(folder, async () => {
        makeFolders(folderOf(name), 0o700);
        await writeNew(join(folderOf(name), DESTROYED), new Uint8Array());
        for (const file of await entriesOf(folderOf(name)))
          if (file !== DESTROYED) await overwriteAndRemove(join(folderOf(name), file));
      }),
  };
}

async function entriesOf(path: string): Promise<readonly string[]> {
  try {
    return await nodeFiles().readdir(path);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw unavailable(path, cause);
  }
}

async function readKey(path: string): Promise<Uint8Array | null> {
  let file: FileHandle;
  try {
    file = await nodeFiles().open(path, "r");
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw cause;
  }
  try {
    const { mode } = await file.stat();
    if (process.platform !== "win32" && (mode & OTHERS) !== 0)
      throw new ThreadfoldError("STORE_UNAVAILABLE", "Other users may read a key file, so it is not used.", {
        hint: "Remove the permissions of other users (chmod 600), and treat the key as compromised.",
      });
    return await file.readFile();
  } finally {
    await file.close();
  }
}

/** Writes a file completely or not at all. Returns false when it already exists. */
async function writeNew(path: string, bytes: Uint8Array): Promise<boolean> {
  const unfinished = `${path}.${nodeCrypto().randomBytes(6).toString("hex")}`;
  const file = await nodeFiles().open(unfinished, "wx", 0o600);
  try {
    await file.writeFile(bytes);
    await file.sync();
  } finally {
    await file.close();
  }
  try {
    await nodeFiles().link(unfinished, path);
    return true;
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw cause;
  } finally {
    await overwriteAndRemove(unfinished, false);
  }
}

/** @param overwrite false for a second name of a file that is kept under another one. */
async function overwriteAndRemove(path: string, overwrite = true): Promise<void> {
  try {
    if (overwrite) {
      const { size } = await nodeFiles().stat(path);
      const file = await nodeFiles().open(path, "r+");
      try {
        await file.write(nodeCrypto().randomBytes(Math.max(1, size)), 0);
        await file.sync();
      } finally {
        await file.close();
      }
    }
    await nodeFiles().rm(path);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== "ENOENT") throw cause;
  }
}

async function guarded<Result>(folder: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (cause) {
    throw ThreadfoldError.isInstance(cause) ? cause : unavailable(folder, cause);
  }
}

const unavailable = (path: string, cause: unknown): ThreadfoldError =>
  new ThreadfoldError(
    "STORE_UNAVAILABLE",
    `The keys in ${path} cannot be used: ${(cause as NodeJS.ErrnoException).code ?? "unknown"}.`,
    { cause, details: { path } },
  );
