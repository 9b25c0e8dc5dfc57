import { fileName, hasRole, type JsonValue, type Message, type Steps } from "@threadfold/core";
import type { CallReading } from "../reading/call-reading.ts";
import { FOUND_AT, NUMBERED, withPlaces } from "../reading/result-body.ts";
import type { ResultReading } from "../reading/result-reading.ts";
import type { Place, Speech } from "../reading/speech.ts";
import {
  bestIdentifiers,
  IdentifierIndex,
  IN_AGENT_TEXT,
  IN_ARGUMENT,
  IN_RESULT,
  IN_USER_TEXT,
  type RankedEntry,
  type TextSource,
} from "../text/identifiers.ts";
import { RemovedLines } from "./file-collector.ts";
import { withoutColumns } from "./run-outcome.ts";
import type { Candidate, Harvest, HarvestContext, SpanCollector, SpanPaths } from "./span-collector.ts";

/** How much of the beginning and end of a body is read, in UTF-16 code units; the middle of a huge one is data. */
const RESULT_ENDS = [20_000, 6_000] as const;
const TEXT_ENDS = [32_000, 4_000] as const;
/** Upper bounds; no summary has room for more. */
const MAX_CANDIDATES = 4_000;
const MAX_LINES = 1_500;
const MAX_WHERE = 60;

/**
 * Finds paths, names, hashes and numbers in everything that was said and done, ranked by how likely they are to be
 * needed again, each with the line of its source that contains it.
 */
export class IdentifierCollector implements SpanCollector {
  readonly #index = new IdentifierIndex();
  readonly #shown: ShownText[] = [];
  readonly #removed = new RemovedLines();
  /** The words of the tools themselves, which every agent knows that has them. */
  readonly #ofTools = new Set<string>();
  readonly #paths: SpanPaths;
  #firstUserPosition = -1;
  #candidates: readonly Candidate[] = [];

  constructor(paths: SpanPaths) {
    this.#paths = paths;
  }

  userSpeech({ text, place: { position } }: Speech): void {
    if (this.#firstUserPosition < 0) this.#firstUserPosition = position;
    this.#scan(text, IN_USER_TEXT, position, "the user");
  }

  agentSpeech({ text, place: { position } }: Speech): void {
    this.#scan(text, IN_AGENT_TEXT, position, "the agent");
  }

  otherText(text: string, { position }: Place): void {
    // The speaker is not known: these are thoughts, text of a harness, or a handoff.
    this.#scan(text, IN_AGENT_TEXT, position, "notes in the log");
  }

  call({ input, place, ...call }: CallReading): void {
    // A command is already listed with its outcome, and what was searched for need not stand anywhere.
    const isShown = call.kind !== "shell" && call.kind !== "search" && !call.isLook;
    if (call.kind !== "other" && call.kind !== "shell")
      for (const word of wordsOfTool(call.toolName, input)) this.#ofTools.add(word);
    this.#scanJson(input, place.position, isShown ? sourceOf(call) : null);
  }

  result({ text, place, call, envelope, failed }: ResultReading): void {
    if (call !== null && !failed) this.#removed.note(call, place.position);
    // What an editor that changed nothing shows is what would have been.
    const isRefused = failed && call?.files.some(({ action }) => action !== "read") && call.kind !== "shell";
    const where = call === null ? envelope.toolName : isRefused ? null : sourceOf(call);
    const own = text.replace(WRITTEN, "");
    const shown = call?.kind === "shell" ? own.replace(PASSED, "") : own;
    // Members of a list stand side by side in a summary.
    this.#scan(withoutColumns(shown), IN_RESULT, place.position, where);
  }

  /** @param where the source of the text, as shown to readers; null if the summary shows the text anyway. */
  #scan(text: string, source: TextSource, position: number, where: string | null): void {
    const [head, tail] = source === IN_RESULT ? RESULT_ENDS : TEXT_ENDS;
    const parts = text.length <= head + tail ? [text] : [text.slice(0, head), text.slice(-tail)];
    for (const part of parts.map((whole) => whole.replace(CURSORS, ""))) {
      this.#index.scan(part, source, position);
      if (where !== null) this.#shown.push({ text: part, position, where });
    }
  }

  #scanJson(value: JsonValue | undefined, position: number, where: string | null): void {
    if (typeof value === "string") this.#scan(value, IN_ARGUMENT, position, where);
    else if (typeof value === "number") this.#scan(String(value), IN_ARGUMENT, position, where);
    else if (typeof value === "object" && value !== null) {
      // What an edit replaces stands nowhere any more.
      for (const [name, item] of Object.entries(value))
        this.#scanJson(item, position, hasRole(name, "before") ? null : where);
    }
  }

  *prepare({ messages }: HarvestContext): Steps<void> {
    const best = yield* bestIdentifiers(this.#index, messages, this.#firstUserPosition, MAX_CANDIDATES);
    const ranked = best.filter(({ entry }) => !this.#ofTools.has(entry.text));
    yield;
    const bare = ranked.map((found): Candidate => {
      const message = messages[found.entry.lastPosition] as Message;
      const { text } = found.entry;
      const names = new Map([[text, found.odds]]);
      return { section: "identifiers", item: { text, sources: [message.id] }, names, worth: 0 };
    });
    yield;
    this.#candidates = [...(yield* this.#lines(ranked, messages)), ...bare];
  }

  harvest(): Harvest {
    return { candidates: this.#candidates };
  }

  /** The place of a line: a file's whole path, which rendering shortens, or a shortened command in its backticks. */
  #placeOf(where: string): string {
    if (!where.startsWith("`")) return where;
    return `\`${this.#paths.line(where.slice(1, -1), MAX_WHERE)}\``;
  }

  *#lines(ranked: readonly RankedEntry[], messages: readonly Message[]): Steps<readonly Candidate[]> {
    const odds = new Map(ranked.slice(0, MAX_LINES).map((found) => [found.entry.text, found.odds]));
    return (yield* namedLines(this.#shown, new Set(odds.keys()), this.#index, this.#removed)).map(
      ({ text, where, at, position, names }): Candidate => ({
        section: "identifiers",
        item: {
          text: this.#paths.shortened(text),
          where: this.#placeOf(where),
          at,
          sources: [(messages[position] as Message).id],
        },
        names: new Map(names.map((name) => [name, odds.get(name) ?? 0])),
        worth: 0,
      }),
    );
  }
}

/** Fields of a call that take one of a few words, such as an editor's `str_replace` or a list's `in_progress`. */
const CHOICES: ReadonlySet<string> = new Set(["command", "mode", "output_mode", "status", "state"]);
const CHOICE = /^[a-z]+(?:_[a-z]+)+$/;

/** A field that a tool declares, unlike one that a call makes up, such as a path. */
const DECLARED = /^[A-Za-z_]{1,40}$/;

/** Returns the names of a tool that is known, of its fields, and of what it lets an agent choose from. */
function* wordsOfTool(name: string, input: JsonValue): Iterable<string> {
  yield name;
  if (Array.isArray(input)) for (const item of input) yield* wordsOfTool(name, item);
  else if (typeof input === "object" && input !== null)
    for (const [field, value] of Object.entries(input)) {
      if (DECLARED.test(field)) yield field;
      if (CHOICES.has(field) && typeof value === "string" && CHOICE.test(value)) yield value;
      if (Array.isArray(value)) yield* wordsOfTool(name, value);
    }
}

/** The name under which a reader would look for a call: its file, its command, or its tool. */
function sourceOf(call: Pick<CallReading, "files" | "command" | "toolName" | "kind">): string {
  const { files, command, toolName, kind } = call;
  const [file, ...others] = files;
  if (file !== undefined && (others.length === 0 || kind !== "shell")) return file.path;
  return command === null ? toolName : `\`${command.replaceAll("`", "'")}\``;
}

/** A text that the span shows, with its source. */
interface ShownText {
  readonly text: string;
  /** Index of its message in the span, from 0. */
  readonly position: number;
  /** The file, command or speaker that a reader would look for. */
  readonly where: string;
}

/** A line of a source that names something. */
interface NamedLine {
  readonly text: string;
  readonly where: string;
  /** The line number that the source prints, else the index of the line in the text. */
  readonly at: number;
  readonly position: number;
  /** The wanted names in it. */
  readonly names: readonly string[];
}

/** Longer lines, in UTF-16 code units, are cut to the part around what they name. */
const MAX_LINE = 120;
const BEFORE_NAME = 40;
/** The most of a line that is read, in UTF-16 code units; the rest of a longer line is data. */
const LONGEST_READ = 20_000;
/** Line breaks and quotes of a text in JSON, escaped any number of times. */
const ESCAPED_BREAK = /(?<!\\)\\+[nr](?:\\+t)*/;
const ESCAPED_QUOTE = /(?<!\\)\\+"/g;
/** The indentation of such a line, behind the number that a change or a listing prints. */
const ESCAPED_TABS = /^([+-]?\d{1,7}[:|]? ?)(?:\\+t)+/;
/** Where an editor says that its cursors stand or that it wrote a file, and the line that ends what it is to insert. */
const CURSORS =
  /^(?:(?:START|END)_CURSOR\b.*|end_of_edit\s*$|The file \S.{0,300} has been (?:updated|created|edited)\b.*|File created successfully at\b.*|Applied \d+ edits? to .*|Here's the (?:result of running `cat -n` on|files and directories up to) .*|Successfully (?:modified file|created and wrote to new file|overwrote file|replaced text in)\b.*)\n?/gm;
/** What a harness puts around its word that a file was written. */
const WRITTEN =
  /^\s*<file_write_result>\n(?:<path>.*<\/path>\n)?(?:<operation>.*<\/operation>\n)?|<notice>[^<]{0,40}<i>[\s\S]{0,1000}?<\/notice>\s*|<\/file_write_result>/g;
/** The lines of an output that say that a test ran or passed; the outcome of its run tells of all of them. */
const PASSED =
  /^(?:ok[ \t]+\S+[ \t]+(?:\(cached\)|\d+\.\d+s)|ok \d+ - |=== RUN |[ \t]*--- PASS: |[ \t]*[✓✔√] |PASS[ \t]+\S|test \S+ \.\.\. ok$|(?:\S+::\S|\S+ > )[^\n]{0,300} PASSED\b).*\n?/gm;
/** A text in which the sign before each line says whether a change brings it in or takes it out. */
const DIFF = /(?:^|\\n)(?:diff --git |@@ |\*\*\* Begin Patch|```diff(?:\\n|$))/m;
/** Matches a line that says that something failed, which a newer run may no longer say. */
const SAYS_FAILED = /\bFAIL(?:ED|URE)?\b|Error\b|Exception\b|^\s*[✗✖×❌]/;
/** Matches a line that defines a name, which says the most about it. */
const DEFINES =
  /\b(?:function|class|interface|type|const|let|var|def|fn|func|struct|enum|trait|impl|module|package|export)\b|^\s*[\w"'.-]+\s*[:=]/;

/**
 * Finds the line to remember each wanted name by: in the newest text that shows it, the first line that defines it,
 * else the first that contains it. One line may be used for several names. Linear in the texts.
 *
 * @param texts in the order of the span.
 */
function* namedLines(
  texts: readonly ShownText[],
  wanted: ReadonlySet<string>,
  index: IdentifierIndex,
  removed: RemovedLines,
): Steps<readonly NamedLine[]> {
  const open = new Set(wanted);
  const found: NamedLine[] = [];
  const runAgain = new Set<string>();
  for (const shown of [...texts].reverse()) {
    if (open.size === 0) break;
    yield;
    const here = linesOf(shown, open, index, removed, runAgain.has(shown.where));
    if (shown.where.startsWith("`")) runAgain.add(shown.where);
    for (const { names } of here) for (const name of names) open.delete(name);
    found.push(...here);
  }
  return found;
}

/** The line to remember a name by. */
interface BestLine {
  readonly line: string;
  readonly at: number;
  readonly defines: boolean;
}

function linesOf(
  { text, where, position }: ShownText,
  open: ReadonlySet<string>,
  index: IdentifierIndex,
  removed: RemovedLines,
  isOutdated: boolean,
): NamedLine[] {
  const isDiff = DIFF.test(text);
  const best = new Map<string, BestLine>();
  let at = -1;
  for (const read of withPlaces(readableLines(text))) {
    at++;
    if (isDiff && read.startsWith("-")) continue;
    if (isOutdated && SAYS_FAILED.test(read)) continue;
    const line = isDiff ? read.replace(/^\+/, "") : read;
    const names = index.namesIn(line).filter((name) => open.has(name));
    if (names.length === 0 || removed.has(line, where, position)) continue;
    const defines = DEFINES.test(line.slice(0, 200));
    for (const name of names) {
      const known = best.get(name);
      if (known === undefined || (defines && !known.defines)) best.set(name, { line, at, defines });
    }
  }
  return byLine(best, where, position);
}

/** The lines of a text. A long line that contains a text as JSON is split into that text's lines. */
function* readableLines(text: string): Generator<string> {
  for (let start = 0; start < text.length; ) {
    const newline = text.indexOf("\n", start);
    const end = newline < 0 ? text.length : newline;
    const line = text.slice(start, Math.min(end, start + LONGEST_READ));
    start = end + 1;
    if (line.length <= MAX_LINE || !line.includes("\\n")) yield line;
    else
      for (const part of line.replace(ESCAPED_QUOTE, '"').split(ESCAPED_BREAK)) yield part.replace(ESCAPED_TABS, "$1");
  }
}

/** Groups names by line: a line for several names is shown once, unless it is too long to show them all. */
function byLine(best: ReadonlyMap<string, BestLine>, where: string, position: number): NamedLine[] {
  const lines = new Map<string, { readonly at: number; readonly names: string[] }>();
  for (const [name, { line, at }] of best) {
    const known = lines.get(line);
    if (known === undefined) lines.set(line, { at, names: [name] });
    else known.names.push(name);
  }
  return [...lines].flatMap(([text, { at, names }]) => shownLines({ text, where, at, position, names }));
}

const IN_TAGS = /^<([\w-]+)>(.*)<\/\1>$/;

/**
 * A line as shown in a summary: without the printed path and number, which become its place, and cut around its names.
 */
function shownLines({ text: line, where, at: index, position, names }: NamedLine): readonly NamedLine[] {
  const [source, number] = [FOUND_AT.exec(line), NUMBERED.exec(line)];
  const rest = line.slice((source ?? number)?.[0].length ?? 0);
  const at = Number(source?.[2] ?? number?.[1] ?? index);
  const plain = rest.replace(/\s+/g, " ").trim();
  const place = source === null ? where : (source[1] as string);
  const left = new Set(names);
  const shown: NamedLine[] = [];
  for (const name of names) {
    if (!left.has(name)) continue;
    const text = around(plain, name);
    const inside = names.filter((other) => text.includes(other));
    for (const known of [name, ...inside]) left.delete(known);
    // A line that consists of the name alone, in tags or behind a path, says nothing about it.
    const bare = text.replace(IN_TAGS, "$2");
    const isAlone =
      /^(?:<\/?[\w.:-]+>)?$/.test(bare) || bare === name || (fileName(plain) === name && !/\s/.test(plain));
    if (!isAlone && inside.length > 0) shown.push({ text, where: place, at, position, names: inside });
  }
  return shown;
}

/** A line, or the part of a long one around a name, cut between words or, in a record, between fields. */
function around(line: string, name: string): string {
  if (line.length <= MAX_LINE) return line;
  const at = line.indexOf(name);
  if (at < 0) return "";
  const room = Math.max(MAX_LINE, name.length + BEFORE_NAME);
  const border = FIELD.test(line) ? borderOfFields : borderOfWords;
  const start = at <= BEFORE_NAME ? 0 : border(line, at - BEFORE_NAME / 2) || at;
  const from = at - start > BEFORE_NAME * 2 ? at : start;
  const cut = line.slice(from, from + room);
  const end = border(cut, cut.length) - 1;
  const whole = from + room >= line.length || end < at - from + name.length ? cut : cut.slice(0, end);
  return `${from > 0 ? "… " : ""}${whole.toWellFormed().replaceAll("\ufffd", "")}${from + whole.length < line.length ? " …" : ""}`;
}

/** A field of a record. */
const FIELD = /[{,]\s?"[^"]{1,60}":/;

/** The index behind the last border before an index; 0 without one. */
const borderOfWords = (text: string, before: number): number => text.lastIndexOf(" ", before) + 1;
const borderOfFields = (text: string, before: number): number =>
  Math.max(...[',"', ', "'].map((sign) => text.lastIndexOf(sign, before - 1))) + 1;
