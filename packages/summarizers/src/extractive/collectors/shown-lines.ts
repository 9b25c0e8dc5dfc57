import { fileName, isSameFile } from "@threadfold/core";
import type { CallReading } from "../reading/call-reading.ts";
import { fileChanges } from "../reading/file-actions.ts";

/** The path and number that a search prints before each line, and the number that a listing prints. */
export const FOUND_AT = /^((?:(?:[A-Za-z]:|\.{0,2})[\\/])?[\w@~+-][\w.\\/@~+-]*\.\w{1,8})[:-](\d{1,7})[:-]\s?/;
export const NUMBERED = /^\s*(\d{1,7})(?:\t|→|│| ?\||:\s)\s*/;

/** The name of a file above what a search found in it, and a line below it with its number. */
const HEADING = /^(?:File: |# )?((?:[A-Za-z]:)?[\w.\\/@~+-]*[\w@~+-]\.\w{1,8}):?$/;
const BELOW = /^\s*(?:Line |L)?(\d{1,7})[:-]\s?/;

/** Puts its place before each line of a search that names a file once, as others print it: `src/a.ts:12:`. */
export function* withPlaces(lines: Iterable<string>): Generator<string> {
  let path = "";
  for (const line of lines) {
    const named = HEADING.exec(line)?.[1];
    const found = path === "" ? null : BELOW.exec(line);
    if (named !== undefined) path = named;
    else if (found === null && !/^(?:--+|\s*)$/.test(line)) path = "";
    yield found === null ? (named ?? line) : `${path}:${found[1]}: ${line.slice(found[0].length)}`;
  }
}

/** What a call took out of a file. */
interface Removal {
  readonly path: string;
  /** Index of the call's result in the span, from 0. */
  readonly position: number;
  /** Null for a file that was deleted with all its lines. */
  readonly lines: ReadonlySet<string> | null;
}

/** The lines that changes took out of files, and files that were deleted with all their lines. */
export class RemovedLines {
  /** By the name of their file, without folders. */
  readonly #byName = new Map<string, Removal[]>();

  note({ input, kind, files }: CallReading, position: number): void {
    if (kind === "edit" || kind === "editor" || kind === "patch")
      for (const { path, before, after } of fileChanges(input))
        this.#add({ path, position, lines: linesWithout(before, after) });
    // What git puts back is not gone, and what is moved stands in another file.
    if (files.some(({ action }) => action === "restored")) this.#forgetDeletions();
    if (files.every(({ action }) => action === "deleted"))
      for (const { path } of files) this.#add({ path, position, lines: null });
  }

  #add(removal: Removal): void {
    const known = this.#byName.get(fileName(removal.path));
    if (known === undefined) this.#byName.set(fileName(removal.path), [removal]);
    else known.push(removal);
  }

  #forgetDeletions(): void {
    for (const [name, removals] of this.#byName)
      this.#byName.set(
        name,
        removals.filter(({ lines }) => lines !== null),
      );
  }

  /** Checks whether a line of a file was taken out after a message showed it. */
  has(line: string, where: string, shownAt: number): boolean {
    const path = FOUND_AT.exec(line)?.[1] ?? where;
    const plain = plainLine(line);
    return (this.#byName.get(fileName(path)) ?? []).some(
      ({ path: changed, position, lines }) =>
        position > shownAt && (lines?.has(plain) ?? true) && isSameFile(changed, path),
    );
  }
}

function linesWithout(before: string, after: string): ReadonlySet<string> {
  const left = new Set(after.split("\n").map(plainLine));
  const lines = before.split("\n").map(plainLine);
  return new Set(lines.filter((line) => !left.has(line)));
}

/** A line without its place and its indentation. */
const plainLine = (line: string): string => line.replace(FOUND_AT, "").replace(NUMBERED, "").trim();
