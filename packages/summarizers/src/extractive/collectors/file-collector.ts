import {
  type FileItem,
  FolderCount,
  fileName,
  isSameFile,
  LongMap,
  plainPath,
  shownPath,
  strongestAction,
} from "@threadfold/core";
import { excerpt } from "../../text/excerpt.ts";
import type { CallReading } from "../reading/call-reading.ts";
import { changedNames, type FileAction, fileChanges, nameBalance } from "../reading/file-actions.ts";
import { FOUND_AT, plainLine } from "../reading/result-body.ts";
import type { ResultReading } from "../reading/result-reading.ts";
import type { Place } from "../reading/speech.ts";
import { type SpanWords, tellsNothing } from "../text/words.ts";
import type { Candidate, Harvest, HarvestContext, SpanCollector } from "./span-collector.ts";

type Action = FileItem["action"];

interface FileHistory {
  path: string;
  action: Action;
  changes: number;
  reads: number;
  last: Place;
  readonly sources: Place[];
  /** The names that each change introduced, newest change last. */
  readonly names: (readonly string[])[];
  /** How often its changes brought in each name more than they took it out. */
  readonly balance: Map<string, number>;
  /** True when its changes were committed, so that git no longer takes them back. */
  isCommitted: boolean;
}

/** How much each action matters to a developer who takes over. */
const WORTH: Readonly<Record<Action, number>> = { modified: 4, created: 4, deleted: 3, read: 0 };
/** A file that was read fewer times gets no line of its own; its path may still be listed as an identifier. */
const READS_WORTH_A_LINE = 2;
/** The number of rarest names listed per change, and the number when a file has too many changes to list them all. */
const NAMES_PER_CHANGE = 4;
const FEWER_NAMES_PER_CHANGE = 3;
/** The most names for all changes of one file, and the tokens of the summary's limit per name. */
const MOST_NAMES = 120;
const TOKENS_PER_NAME = 60;
/** The same tokens per name for a file that was not touched in this span. */
const TOKENS_PER_OLD_NAME = 120;

const COMMITS = /\bgit\s+(?:-\S{1,100}\s+){0,4}commit\b/;

/** Checks whether a command does nothing but apply one patch, which changes nothing if it fails. */
const isPatchAlone = (script: string): boolean =>
  /^\s*(?:apply_patch\b[^\n]*\n)?\*\*\* Begin Patch/.test(script) &&
  /\*\*\* End Patch\s*(?:\w+\s*)?$/.test(script.slice(-80));

/**
 * Finds the files that calls touched, the strongest action on each, and the names that its changes introduced. A failed
 * call does not count, unless it is a shell command that writes. A file has one spelling: the longest one used.
 */
export class FileCollector implements SpanCollector {
  readonly #files: FileHistory[] = [];
  /** The files by their name without folders. */
  readonly #byName = new LongMap<FileHistory[]>();
  readonly #words: SpanWords;
  readonly #paths: SpanPaths;

  constructor(words: SpanWords, paths: SpanPaths) {
    this.#words = words;
    this.#paths = paths;
  }

  result({ call, failed, place }: ResultReading): void {
    if (call === null) return;
    if (!failed && COMMITS.test(call.script ?? "")) this.commit();
    for (const { path, action } of call.files)
      if (action === "restored") this.#restore(path, failed);
      else if (!failed || (call.kind === "shell" && action !== "read" && !isPatchAlone(call.script ?? "")))
        this.#note(path, action, call, place);
    if (failed || call.kind === "shell" || !call.files.some(({ action }) => action !== "read")) return;
    for (const change of fileChanges(call.input)) {
      const file = this.#fileAt(change.path);
      if (file === undefined) continue;
      file.names.push(this.#telling(changedNames(change)));
      // What is written as a whole leaves nothing of what was there.
      if (call.kind === "write") file.balance.clear();
      for (const [name, more] of nameBalance(change)) file.balance.set(name, (file.balance.get(name) ?? 0) + more);
    }
  }

  commit(): void {
    for (const file of this.#files) file.isCommitted = true;
  }

  /** The rarest names, without common words. */
  #telling(names: readonly string[]): readonly string[] {
    const telling = names.filter((name) => !tellsNothing(name) && !this.#words.isCommon(name));
    return this.#words.rarest(telling, NAMES_PER_CHANGE).map(({ word }) => word);
  }

  #fileAt(path: string): FileHistory | undefined {
    return this.#byName.get(fileName(path))?.find((file) => isSameFile(file.path, path));
  }

  /** A name without a folder is that of the only known file of this name, unless a file is made. */
  #fileNamed(path: string, action: FileAction["action"]): FileHistory | undefined {
    const [only, ...others] = this.#byName.get(fileName(path)) ?? [];
    if (only === undefined || others.length > 0 || action === "created") return this.#fileAt(path);
    return isBareName(path) || isBareName(only.path) ? only : this.#fileAt(path);
  }

  /** Takes back the changes of a file that git puts back. */
  #restore(path: string, failed: boolean): void {
    const known = this.#fileNamed(path, "restored");
    if (failed || known === undefined || known.isCommitted || known.action === "created") return;
    known.action = "read";
    known.changes = 0;
    known.names.length = 0;
    known.balance.clear();
  }

  #note(path: string, action: Action, call: CallReading, place: Place): void {
    this.#paths.note(path);
    const known = this.#fileNamed(path, action);
    if (known === undefined) {
      const plain = plainPath(path);
      const made: FileHistory = {
        path: plain,
        action,
        changes: 0,
        reads: 0,
        last: place,
        sources: [call.place],
        names: [],
        balance: new Map(),
        isCommitted: false,
      };
      this.#files.push(made);
      const alike = this.#byName.get(fileName(path));
      if (alike === undefined) this.#byName.set(fileName(path), [made]);
      else alike.push(made);
      return count(made, action);
    }
    if (path.length > known.path.length) known.path = plainPath(path);
    // A file that was read before is not new, even if all of it is written.
    known.action = known.action === "read" && action === "created" ? "modified" : strongestAction(known.action, action);
    known.last = place;
    if (action !== "read") known.sources.push(call.place);
    count(known, action);
  }

  harvest({ previous, messages, maxTokens }: HarvestContext): Harvest {
    const mostNames = Math.max(NAMES_PER_CHANGE, Math.min(MOST_NAMES, Math.floor(maxTokens / TOKENS_PER_NAME)));
    const candidates = this.#files
      .filter(({ action, reads }) => action !== "read" || reads >= READS_WORTH_A_LINE)
      .flatMap((history) => {
        const before = previous?.files.find(({ path }) => isSameFile(path, history.path));
        return candidateOf(history, before, messages.length, mostNames);
      });
    const touched = new Set(candidates.map(({ supersedes }) => supersedes));
    const old = (previous?.files ?? []).filter(({ id }) => !touched.has(id));
    const oldNames = Math.max(NAMES_PER_CHANGE, Math.floor(maxTokens / TOKENS_PER_OLD_NAME));
    return { candidates: [...candidates, ...old.flatMap((file) => shortened(file, oldNames))] };
  }
}

const isBareName = (path: string): boolean => fileName(plainPath(path)) === plainPath(path);

/** A file of an earlier fold, with fewer names. */
function shortened({ id, ...file }: FileItem, most: number): readonly Candidate[] {
  if (file.changed === undefined || file.changed.length <= most) return [];
  return [{ section: "files", item: { ...file, changed: file.changed.slice(0, most) }, worth: 0, supersedes: id }];
}

function count(history: FileHistory, action: Action): void {
  if (action === "read") history.reads++;
  else history.changes++;
}

function candidateOf(
  history: FileHistory,
  before: FileItem | undefined,
  length: number,
  mostNames: number,
): readonly Candidate[] {
  const action = before === undefined ? history.action : strongestAction(before.action, history.action);
  const changes = history.changes + (before?.changes ?? 0);
  const changed = action === "deleted" ? [] : newestNames(history, before?.changed ?? [], mostNames);
  if (before !== undefined && action === before.action && history.changes === 0) return [];
  const sources = [...new Set([history.sources[0], history.sources.at(-1)].map((place) => (place as Place).messageId))];
  const worth = WORTH[action] + Math.log1p(history.changes + history.reads / 2) + (history.last.position + 1) / length;
  const item = {
    path: before !== undefined && before.path.length > history.path.length ? before.path : history.path,
    action,
    description: "",
    ...(changes > 0 && { changes }),
    ...(changed.length > 0 && { changed }),
    sources,
  };
  return [{ section: "files", item, worth, ...(before !== undefined && { supersedes: before.id }) }];
}

/**
 * The names of the newest changes first, the rarest ones of each. Names that a later change took out again come last: they
 * were changed, but who looks for them in the file does not find them.
 */
function newestNames({ names, balance }: FileHistory, before: readonly string[], most: number): readonly string[] {
  const each = names.length * NAMES_PER_CHANGE + before.length > most ? FEWER_NAMES_PER_CHANGE : NAMES_PER_CHANGE;
  const isLeft = (name: string): boolean => (balance.get(name) ?? 0) > 0;
  const newest = names
    .map((brought) => brought.toSorted((one, other) => Number(isLeft(other)) - Number(isLeft(one))))
    .reverse();
  const told = newest.flatMap((brought) => brought.slice(0, each));
  return [...new Set([...told.filter(isLeft), ...before, ...told])].slice(0, most);
}

/** The paths of the files that a span touched, and the folder that most of them share. */
export class SpanPaths {
  readonly #known = new LongMap<true>();
  readonly #folders = new FolderCount();

  /** @param known paths of the previous summary. */
  constructor(known: Iterable<string>) {
    for (const path of known) this.note(path);
  }

  note(path: string): void {
    if (this.#known.has(path)) return;
    this.#known.set(path, true);
    this.#folders.add(path);
  }

  /** The shared folder, with a slash at its end; empty when there is none. */
  get folder(): string {
    return this.#folders.shared;
  }

  /** Returns a text with the shared folder left out of paths. The shared folder may change with the next fold. */
  shortened(text: string): string {
    const { folder } = this;
    return folder === "" ? text : text.replaceAll(folder, shownPath(folder, folder));
  }

  /**
   * Like {@link shortened}, but on one line. If that takes more than its room, other long paths are reduced to their
   * ends, which is where they differ.
   *
   * @param room the length of the line, in UTF-16 code units.
   */
  line(text: string, room: number): string {
    const whole = excerpt(this.shortened(text), room);
    if (!whole.endsWith("…")) return whole;
    const ends = this.shortened(text).replace(ABSOLUTE_PATH, (path) =>
      path.length < LONG_PATH ? path : `/…${LAST_NAMES.exec(path)?.[0] ?? path}`,
    );
    return excerpt(ends, room);
  }
}

/** A longer path, in UTF-16 code units, leaves no room on a line for what was done with it. */
const LONG_PATH = 50;
const ABSOLUTE_PATH = /(?<![\w.…:/])(?:\/[\w.@+-]+){5,}/g;
const LAST_NAMES = /(?:\/[^/]+){3}$/;

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
