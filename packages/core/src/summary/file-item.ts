import type { FileItem } from "./structured-summary.ts";

/** A path without the `./` that it may begin with. */
export const plainPath = (path: string): string => path.replace(/^(?:\.\/)+/, "");

/** The last part of a path. */
export const fileName = (path: string): string => path.slice(path.lastIndexOf("/") + 1);

/** True for two spellings of one file: a path from the project's folder and one from the root end alike. */
export function isSameFile(one: string, other: string): boolean {
  const [a, b] = [plainPath(one), plainPath(other)];
  if (a === b) return true;
  const [long, short] = a.length > b.length ? [a, b] : [b, a];
  return !short.startsWith("/") && short.includes("/") && long.endsWith(`/${short}`);
}

/**
 * The strongest thing that is true of a file after both: a file made and then changed was made, one made again after it
 * was deleted was changed.
 */
export function strongestAction(earlier: FileItem["action"], later: FileItem["action"]): FileItem["action"] {
  if (later === "read") return earlier;
  if (later === "deleted") return "deleted";
  if (earlier === "created") return "created";
  return "modified";
}

/** What two summaries say of one file, as one item without an id: under its longer spelling, the names of the later first. */
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
