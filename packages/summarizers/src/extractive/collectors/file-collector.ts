import {
  type FileItem,
  fileName,
  isSameFile,
  isSpelledAsCode,
  LongMap,
  plainPath,
  strongestAction,
} from "@threadfold/core";
import { excerptAround } from "../../text/excerpt.ts";
import type { CallReading } from "../reading/call-reading.ts";
import {
  changedNames,
  type FileAction,
  type FileChange,
  fileChanges,
  MOST_READ,
  nameBalance,
  namesOf,
} from "../reading/file-actions.ts";
import { FOUND_AT, plainLine } from "../reading/result-body.ts";
import type { ResultReading } from "../reading/result-reading.ts";
import type { Place } from "../reading/speech.ts";
import { type SpanWords, tellsNothing } from "../text/words.ts";
import type { Candidate, Harvest, HarvestContext, SpanCollector, SpanPaths } from "./span-collector.ts";

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

/** Files of prose, in which a word alone says nothing: the lines that contain them are told instead. */
const DOCUMENT = /(?:\.(?:mdx?|markdown|rst|adoc|txt)|(?:^|[\\/])(?:README|CHANGELOG|LICENSE))$/i;
/** Signs of lists, headings, quotes and tables around a line. */
const AROUND_LINE = /^(?:[\s#>*+|–•-]|\d{1,3}[.)]\s)+|[\s|*#]+$/g;
/** The longest line that is told of a document, in UTF-16 code units, and the most for one change. */
const TOLD_LINE = 80;
const LINES_PER_CHANGE = 2;
const FEWER_LINES_PER_CHANGE = 1;
/** The headings from which on a change is told by them, and the most that are told. */
const LEAST_SECTIONS = 3;
const MOST_SECTIONS = 4;
/** One sign alone begins a comment in an example, too. */
const HEADING = /^#{2,4} /;
/** The names that take as much room as a line. */
const NAMES_PER_TOLD_LINE = 5;

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
      const names = this.#telling(changedNames(change));
      file.names.push(DOCUMENT.test(file.path) && isOfWords(names) ? toldLines(change, names) : names);
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
  const changed = firstThatFit(file.changed ?? [], most);
  if (changed.length === (file.changed?.length ?? 0)) return [];
  return [{ section: "files", item: { ...file, changed }, worth: 0, supersedes: id }];
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
  const isShort = roomOf([...names.flat(), ...before]) > most;
  const isLeft = (told: string): boolean => namesOf(told).some((name) => (balance.get(name) ?? 0) > 0);
  const newest = names
    .map((brought) => brought.toSorted((one, other) => Number(isLeft(other)) - Number(isLeft(one))))
    .reverse();
  const told = isShort ? newest.flatMap(fewer) : newest.flat();
  return firstThatFit([...new Set([...told.filter(isLeft), ...before, ...told])], most);
}

const isLine = (told: string): boolean => told.startsWith("“");

/** What told names and lines take, in names. */
const roomOf = (told: readonly string[]): number =>
  told.reduce((room, one) => room + (isLine(one) ? NAMES_PER_TOLD_LINE : 1), 0);

/** What is told of one change of many. */
const fewer = (brought: readonly string[]): readonly string[] =>
  brought.slice(0, brought.some(isLine) ? FEWER_LINES_PER_CHANGE : FEWER_NAMES_PER_CHANGE);

/** The first names and lines that take no more room than this many names. */
function firstThatFit(told: readonly string[], most: number): readonly string[] {
  const end = told.findIndex((_, index) => roomOf(told.slice(0, index + 1)) > most);
  return end < 0 ? told : told.slice(0, end);
}

/** Checks whether most names are spelled as in prose. */
const isOfWords = (names: readonly string[]): boolean => names.filter(isSpelledAsCode).length < names.length / 2;

/**
 * What a change of a document is known by: the sections that it brings in, if there are some, else the fewest lines that
 * contain its names, cut around them. Without the signs of lists and headings.
 */
function toldLines({ before, after }: FileChange, names: readonly string[]): readonly string[] {
  const lines = [...linesWithout(after.slice(0, MOST_READ), before.slice(0, MOST_READ))];
  const quoted = (line: string, around: readonly string[]): string =>
    `“${excerptAround(line.replace(AROUND_LINE, ""), around, TOLD_LINE)}”`;
  const sections = lines.filter((line) => HEADING.test(line));
  if (sections.length >= LEAST_SECTIONS) return sections.slice(0, MOST_SECTIONS).map((line) => quoted(line, names));
  const told = new Map<string, string>();
  let left = names;
  while (told.size < LINES_PER_CHANGE) {
    const around = left;
    const holds = (text: string): number => around.filter((name) => text.includes(name)).length;
    let best = { line: "", quote: "", held: 0 };
    for (const line of lines) {
      if (told.has(line) || holds(line) <= best.held) continue;
      const quote = quoted(line, around);
      if (holds(quote) > best.held) best = { line, quote, held: holds(quote) };
    }
    if (best.held === 0) break;
    told.set(best.line, best.quote);
    left = around.filter((name) => !best.quote.includes(name));
  }
  return [...told.values()];
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
