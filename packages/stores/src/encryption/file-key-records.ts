import { randomBytes } from "node:crypto";
import { type FileHandle, link, mkdir, open, readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { ThreadfoldError } from "@threadfold/core";
import type { KeyRecords } from "./key-records.ts";

const DESTROYED = "destroyed";
const KEY_FILE = /^([1-9][0-9]{0,8})\.key$/;
const OTHERS = 0o077;

/**
 * Keys in a folder, apart from the store: a folder for each subject (mode 0700) with one file for each version (0600).
 * A key that others may read is refused. Destroying overwrites and removes the files; what the disk itself keeps of
 * them (snapshots, worn cells, backups) is for whoever runs the machine, so put the folder where there are none.
 */
export function fileKeyRecords(folder: string): KeyRecords {
  const folderOf = (name: string): string => join(folder, name);
  const isDestroyed = async (name: string): Promise<boolean> => (await entriesOf(folderOf(name))).includes(DESTROYED);
  return {
    isDestroyed,
    versions: async (name) =>
      (await entriesOf(folderOf(name))).flatMap((file) => {
        const version = KEY_FILE.exec(file)?.[1];
        return version === undefined ? [] : [Number(version)];
      }),
    read: (name, version) => guarded(folder, () => readKey(join(folderOf(name), `${version}.key`))),
    add: (name, version, bytes) =>
      guarded(folder, async () => {
        await mkdir(folderOf(name), { recursive: true, mode: 0o700 });
        const path = join(folderOf(name), `${version}.key`);
        if (!(await writeNew(path, bytes))) return false;
        // Somebody may have destroyed the subject meanwhile: then this key must not outlive it.
        if (!(await isDestroyed(name))) return true;
        await overwriteAndRemove(path);
        return false;
      }),
    destroy: (name) =>
      guarded(folder, async () => {
        await mkdir(folderOf(name), { recursive: true, mode: 0o700 });
        await writeNew(join(folderOf(name), DESTROYED), new Uint8Array());
        for (const file of await entriesOf(folderOf(name)))
          if (file !== DESTROYED) await overwriteAndRemove(join(folderOf(name), file));
      }),
  };
}

async function entriesOf(path: string): Promise<readonly string[]> {
  try {
    return await readdir(path);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw unavailable(path, cause);
  }
}

async function readKey(path: string): Promise<Uint8Array | null> {
  let file: FileHandle;
  try {
    file = await open(path, "r");
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw cause;
  }
  try {
    const { mode } = await file.stat();
    if (process.platform !== "win32" && (mode & OTHERS) !== 0)
      throw new ThreadfoldError("STORE_UNAVAILABLE", "A key file may be read by others, so it is not used.", {
        hint: "Take the rights of others away (chmod 600), and consider the key as known.",
      });
    return await file.readFile();
  } finally {
    await file.close();
  }
}

/** Writes a file whole or not at all, and gives false when there is one already. */
async function writeNew(path: string, bytes: Uint8Array): Promise<boolean> {
  const unfinished = `${path}.${randomBytes(6).toString("hex")}`;
  const file = await open(unfinished, "wx", 0o600);
  try {
    await file.writeFile(bytes);
    await file.sync();
  } finally {
    await file.close();
  }
  try {
    await link(unfinished, path);
    return true;
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw cause;
  } finally {
    await overwriteAndRemove(unfinished, false);
  }
}

/** @param overwrite false for a second name of a file that stays under another one. */
async function overwriteAndRemove(path: string, overwrite = true): Promise<void> {
  try {
    if (overwrite) {
      const { size } = await stat(path);
      const file = await open(path, "r+");
      try {
        await file.write(randomBytes(Math.max(1, size)), 0);
        await file.sync();
      } finally {
        await file.close();
      }
    }
    await rm(path);
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
