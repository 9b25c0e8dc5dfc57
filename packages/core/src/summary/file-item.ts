import type { FileItem, StructuredSummary } from "./structured-summary.ts";

/** Returns a path without a leading `./`, or `.\` as Windows has it. */
export const plainPath = (path: string): string => path.replace(/^(?:\.[\\/])+/, "");

/** Returns the last segment of a path, whichever way its slashes lean. */
export const fileName = (path: string): string =>
  path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1);

/**
 * True for two paths of the same file: one relative to the project's folder may be the end of one from the root, and
 * Windows and its shells spell one path in several ways (`C:\app\a.ts`, `c:/app/a.ts`, `/c/app/a.ts`).
 */
export function isSameFile(one: string, other: string): boolean {
  const [a, b] = [spelledAlike(plainPath(one)), spelledAlike(plainPath(other))];
  if (a === b) return true;
  const [long, short] = a.length > b.length ? [a, b] : [b, a];
  return !/^(?:\/|[a-z]:)/.test(short) && short.includes("/") && long.endsWith(`/${short}`);
}

const spelledAlike = (path: string): string =>
  path
    .replaceAll("\\", "/")
    .replace(
      /^(?:\/([a-z])|([a-z]):)(?=\/)/i,
      (_root, folder = "", drive: string = folder) => `${drive.toLowerCase()}:`,
    );

/** How an absolute path begins, on Windows with the drive. */
const ROOT = /^(?:\/|[A-Za-z]:[\\/])/;
/** How many paths must share a folder before naming it once is shorter. */
const FEWEST = 3;
/** The least depth of a shared folder; one closer to the root is too general to be a project. */
const LEAST_DEPTH = 2;

/**
 * Returns the folder, with a trailing slash, that saves the most text when the absolute paths of a summary are written
 * without it; empty when too few paths share a folder for that to save anything.
 */
export function sharedFolder({ files, identifiers }: Pick<StructuredSummary, "files" | "identifiers">): string {
  return sharedFolderOf(
    new Set([...files.map(({ path }) => path), ...identifiers.flatMap(({ where }) => where ?? [])]),
  );
}

/** Returns the shared folder of some paths; see {@link sharedFolder}. */
export function sharedFolderOf(paths: ReadonlySet<string>): string {
  const counted = new FolderCount();
  for (const path of paths) counted.add(path);
  return counted.shared;
}

/** Counts the folders of paths as they come, for the one that they share. */
export class FolderCount {
  readonly #counts = new Map<string, number>();
  #shared: string | null = "";

  /** Counts a path that was not counted before. */
  add(path: string): void {
    const [root] = ROOT.exec(path) ?? [];
    if (root === undefined || /\s/.test(path)) return;
    this.#shared = null;
    for (const { index } of path.slice(root.length).matchAll(/[\\/]/g)) {
      const folder = path.slice(0, root.length + index + 1);
      this.#counts.set(folder, (this.#counts.get(folder) ?? 0) + 1);
    }
  }

  /** The shared folder of the paths so far; see {@link sharedFolder}. */
  get shared(): string {
    return (this.#shared ??= this.#find());
  }

  #find(): string {
    let best = { folder: "", saved: 0 };
    for (const [folder, count] of this.#counts) {
      const saved = (count - 1) * folder.length;
      if (count < FEWEST || folder.split(/[\\/]/).length - 2 < LEAST_DEPTH || saved < best.saved) continue;
      if (saved > best.saved || folder > best.folder) best = { folder, saved };
    }
    return best.folder;
  }
}

/** Returns a path as a summary shows it: with `…/`, or `…\`, for the shared folder if the path is inside it. */
export const shownPath = (path: string, folder: string): string =>
  folder !== "" && path.startsWith(folder) ? `…${path.slice(folder.length - 1)}` : path;

/** Checks for a name that is spelled as in code and not as in prose: `getAliases`, `MAX_ITEMS`, `md5`. */
export const isSpelledAsCode = (name: string): boolean => /[a-z][A-Z]|[A-Z]{2}|[_$\d]/.test(name);

/**
 * Combines two actions on a file into the strongest one: a file that was created and then changed was created; one that
 * was deleted and then created again was modified.
 */
export function strongestAction(earlier: FileItem["action"], later: FileItem["action"]): FileItem["action"] {
  if (later === "read") return earlier;
  if (later === "deleted") return "deleted";
  if (earlier === "created") return "created";
  return "modified";
}

/**
 * Joins what two summaries say about a file into one item without an id: the longer path, and the later names first.
 */
export function joinedFile(earlier: FileItem, later: FileItem): Omit<FileItem, "id"> {
  const { id: _id, changes: _changes, changed: _changed, ...last } = later;
  const changes = (earlier.changes ?? 0) + (later.changes ?? 0);
  const changed = [...new Set([...(later.changed ?? []), ...(earlier.changed ?? [])])];
  return {
    ...last,
    path: earlier.path.length > later.path.length ? earlier.path : later.path,
    action: strongestAction(earlier.action, later.action),
    description: later.description === "" ? earlier.description : later.description,
    ...(changes > 0 && { changes }),
    ...(changed.length > 0 && { changed }),
    sources: [...new Set([...earlier.sources, ...later.sources])],
  };
}
