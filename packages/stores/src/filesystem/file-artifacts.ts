import { dirname, join, relative, resolve, sep } from "node:path";
import { ThreadfoldError } from "@threadfold/core";
import {
  type ClosableArtifacts,
  ObjectArtifacts,
  type ObjectArtifactsOptions,
  type ObjectFolder,
} from "../shared/object-artifacts.ts";
import { nodeCrypto, nodeFiles, syncFiles } from "../shared/on-demand.ts";

const { constants, mkdirSync, rmdirSync, statSync } = syncFiles;

/**
 * Opens artifacts in a folder, and creates it if it does not exist. Several processes may use one folder, on a file
 * system that has hard links. When a call returns, its data is on the disk.
 *
 * @throws ThreadfoldError `STORE_UNAVAILABLE` when the folder cannot be used.
 */
export async function openFileArtifacts(
  path: string,
  options: ObjectArtifactsOptions = {},
): Promise<ClosableArtifacts> {
  const root = resolve(path);
  await prepareFolder(root, Date.now());
  return new ObjectArtifacts(fileFolder(root), options);
}

const KEY = /^(?:[a-z0-9_-][a-z0-9_.-]*\/)*[a-z0-9_-][a-z0-9_.-]*$/;
/** Where files are written before they are given their names. No key begins with a dot. */
const UNFINISHED = ".unfinished";

/**
 * Returns objects stored as files under a folder. A file is written and flushed under another name, then linked to its
 * own, which fails when that is taken; the folder is flushed too, so that acknowledged data survives a crash.
 */
export function fileFolder(root: string): ObjectFolder {
  const pathOf = (key: string): string => {
    if (!KEY.test(key)) throw new ThreadfoldError("INVALID_CONFIG", "The key of a file does not belong to this store.");
    return join(root, ...key.split("/"));
  };
  return {
    putNew: (key, bytes) => guarded(root, () => putNew(root, pathOf(key), bytes)),
    get: (key) => guarded(root, () => read(pathOf(key))),
    remove: (key) => guarded(root, () => remove(pathOf(key))),
    list: (prefix) => guarded(root, () => listFiles(root, pathOf(prefix.replace(/\/$/, "")))),
    folders: (prefix) => guarded(root, () => listFolders(pathOf(prefix.replace(/\/$/, "")))),
    close: async () => undefined,
  };
}

/** Creates the folder, and removes unfinished files that were begun more than a day ago. */
export async function prepareFolder(root: string, nowMs: number): Promise<void> {
  await guarded(root, async () => {
    const unfinished = join(root, UNFINISHED);
    makeFolders(unfinished, 0o700);
    for (const name of await nodeFiles().readdir(unfinished)) {
      const startedMs = Number(name.split("-", 1)[0]);
      if (nowMs - startedMs > 86_400_000) await nodeFiles().rm(join(unfinished, name), { force: true });
    }
  });
}

/**
 * Creates a folder and all missing parents, and returns the topmost one that had to be created, if any. Node's own
 * recursive `mkdir` never returns when a folder reports that it does not exist although its parent does, as under
 * `/proc`; here each folder is tried once, and folders already created are removed when one fails.
 *
 * @throws what the file system throws.
 */
export function makeFolders(path: string, mode?: number): string | undefined {
  const missing: string[] = [];
  for (let above = resolve(path); statSync(above, { throwIfNoEntry: false }) === undefined; above = dirname(above))
    missing.push(above);
  const made: string[] = [];
  try {
    for (const wanted of missing.toReversed()) if (makeFolder(wanted, mode)) made.unshift(wanted);
  } catch (cause) {
    removeEmpty(made);
    throw cause;
  }
  return made.at(-1);
}

/** Creates a folder. Returns false when somebody else has just created it. */
function makeFolder(path: string, mode: number | undefined): boolean {
  try {
    mkdirSync(path, { mode });
    return true;
  } catch (cause) {
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) return false;
    throw cause;
  }
}

function removeEmpty(folders: readonly string[]): void {
  try {
    for (const folder of folders) rmdirSync(folder);
  } catch {
    // Somebody else has put something there in the meantime.
  }
}

async function putNew(root: string, path: string, bytes: Uint8Array): Promise<boolean> {
  const unfinished = join(root, UNFINISHED, `${Date.now()}-${nodeCrypto().randomUUID()}`);
  makeFolders(dirname(path), 0o700);
  try {
    const file = await nodeFiles().open(unfinished, "wx", 0o600);
    try {
      await file.writeFile(bytes);
      await file.sync();
    } finally {
      await file.close();
    }
    return await linkNew(unfinished, path);
  } finally {
    await nodeFiles().rm(unfinished, { force: true });
  }
}

async function linkNew(from: string, to: string): Promise<boolean> {
  try {
    await nodeFiles().link(from, to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
  await syncFolder(dirname(to));
  return true;
}

/** Flushes a folder, without which new names in it may not be on the disk. Windows needs no such call. */
async function syncFolder(path: string): Promise<void> {
  if (process.platform === "win32") return;
  const folder = await nodeFiles().open(path, constants.O_RDONLY);
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

async function read(path: string): Promise<Uint8Array | null> {
  try {
    // A symbolic link could lead out of the folder; this store creates none.
    const file = await nodeFiles().open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
    try {
      return await file.readFile();
    } finally {
      await file.close();
    }
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
}

async function remove(path: string): Promise<void> {
  try {
    await nodeFiles().rm(path);
  } catch (error) {
    if (isMissing(error)) return;
    throw error;
  }
  await syncFolder(dirname(path));
}

async function listFiles(root: string, folder: string): Promise<readonly string[]> {
  try {
    const names = await nodeFiles().readdir(folder, { withFileTypes: true });
    const prefix = relative(root, folder).split(sep).join("/");
    return names
      .filter((entry) => entry.isFile())
      .map(({ name }) => `${prefix}/${name}`)
      .sort();
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

async function listFolders(folder: string): Promise<readonly string[]> {
  try {
    const names = await nodeFiles().readdir(folder, { withFileTypes: true });
    return names
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name)
      .sort();
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

const isMissing = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === "ENOENT";

async function guarded<Result>(root: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (cause) {
    if (ThreadfoldError.isInstance(cause)) throw cause;
    const reason = (cause as NodeJS.ErrnoException).code ?? String(cause);
    throw new ThreadfoldError("STORE_UNAVAILABLE", `The folder ${root} cannot be used now: ${reason}.`, {
      cause,
      details: { path: root },
    });
  }
}
