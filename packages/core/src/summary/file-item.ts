import type { FileItem } from "./structured-summary.ts";

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
