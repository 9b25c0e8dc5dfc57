import { textOf } from "../reading/foreign-value.ts";
import type { SourceRecord, SourceRecords } from "../reading/source-records.ts";
import type { SourceThread } from "../reading/source-threads.ts";
import type { SessionDraft } from "../session/session-draft.ts";
import { openingOf, seedOf } from "../session/session-ids.ts";
import type { SessionImporter } from "../session/session-importer.ts";

/**
 * Imports the history that Aider keeps in `.aider.chat.history.md`; each start of Aider is a thread, named by its time.
 * The beginning of a line tells who speaks, so a level-4 heading in an answer is read as the user, and a quotation as
 * output. Aider itself reads them that way. Of its output, what it did and what it sent to the model are messages.
 */
export const aiderImporter: SessionImporter = {
  format: "aider",
  detect: ({ records: [first] }) => (startOf(first?.value) === undefined ? 0 : 1),
  threads: aiderThreads,
  import({ source, records }, draft) {
    const time = records.map(({ value }) => startOf(value)).find((start) => start !== undefined);
    draft.startAt(time);
    const lines = linesOf(records);
    const answer = lines.findIndex(({ kind }) => kind === "answer");
    const values = lines.slice(0, answer < 0 ? lines.length : answer + 1).map(({ record }) => record.value);
    const opening = openingOf(source, { start_time: time }, values, () => false);
    const history = new History(source.text, seedOf(opening), draft);
    const blocks = blocksOf(lines);
    for (const [index, block] of blocks.entries()) history.add(block, blocks[index + 1]);
    return { opening, records: records.length, system: [], tools: [] };
  },
};

const START = /^# aider chat started at (\d[\d:. T-]*\d)/;

/** The start time in the heading line that Aider writes when it starts. */
const startOf = (value: unknown): string | undefined => START.exec(textOf(value) ?? "")?.[1];

function aiderThreads({ records }: SourceRecords): readonly SourceThread[] {
  const threads: { name?: string; records: SourceRecord[] }[] = [];
  for (const record of records) {
    const name = startOf(record.value);
    const thread = threads.at(-1);
    if (thread === undefined || name !== undefined)
      threads.push({ ...(name !== undefined && { name }), records: [record] });
    else thread.records.push(record);
  }
  // Aider is often started and left immediately: a start without a request or an answer is not a thread.
  return threads.filter(({ records: own }) => blocksOf(linesOf(own)).some(isSpoken));
}

type LineKind = "start" | "request" | "answer" | "output";

function kindOf(value: unknown): LineKind {
  const text = textOf(value);
  if (text === undefined || text.startsWith("> ") || text.trimEnd() === ">") return "output";
  if (startOf(text) !== undefined) return "start";
  return text.startsWith("#### ") || text.trimEnd() === "####" ? "request" : "answer";
}

interface Line {
  readonly kind: LineKind;
  readonly record: SourceRecord;
}

/** Output of several lines, of which only the first has a mark; the last one ends with two spaces, as all output does. */
const LONG_OUTPUT =
  /^> (?:# \d+ SEARCH\/REPLACE blocks? failed to match!|(?:Commit|Removed:|Now at: |HEAD is:) [0-9a-f]{7,40} )/;
const ENDS_OUTPUT = / {2}$/;

function linesOf(records: readonly SourceRecord[]): readonly Line[] {
  const lines: Line[] = [];
  /** The index of the last line of the present output. */
  let end = -1;
  for (const [index, record] of records.entries()) {
    if (index > end && opensLongOutput(record, records[index + 1])) end = endOfOutput(records, index);
    lines.push({ kind: index <= end ? "output" : kindOf(record.value), record });
  }
  return lines;
}

/** Checks whether output goes on in the next line. Above an answer is a blank line, so a line without one is output. */
function opensLongOutput({ line, value }: SourceRecord, next: SourceRecord | undefined): boolean {
  const text = textOf(value) ?? "";
  if (!ENDS_OUTPUT.test(text)) return LONG_OUTPUT.test(text);
  return kindOf(text) === "output" && next?.line === line + 1 && kindOf(next.value) === "answer";
}

function endOfOutput(records: readonly SourceRecord[], start: number): number {
  for (let index = start + 1; index < records.length; index++) {
    const { value } = records[index] as SourceRecord;
    if (kindOf(value) !== "answer") break;
    if (ENDS_OUTPUT.test(textOf(value) ?? "")) return index;
  }
  return start;
}

type Records = readonly [SourceRecord, ...SourceRecord[]];

/** Consecutive lines of one kind; of requests, the lines of one. */
interface Block {
  readonly kind: LineKind;
  readonly records: Records;
}

function blocksOf(lines: readonly Line[]): readonly Block[] {
  const blocks: { kind: LineKind; records: [SourceRecord, ...SourceRecord[]] }[] = [];
  for (const { kind, record } of lines) {
    const block = blocks.at(-1);
    const before = block?.records.at(-1);
    // Above each request is a blank line, and within it there is none.
    const isNext = kind === "request" && before !== undefined && record.line > before.line + 1;
    if (block?.kind === kind && !isNext) block.records.push(record);
    else blocks.push({ kind, records: [record] });
  }
  return blocks;
}

/** Commands whose text is sent to the model. */
const ASKING = /^\/(?:ask|code|architect|context)\s+(?=\S)/;
/** Commands for Aider and for the shell, and what it writes when the user only pressed Enter. */
const COMMAND = /^(?:[/!]|<blank>$)/;

/** True for a request or an answer, which a model was sent or wrote. */
function isSpoken({ kind, records }: Block): boolean {
  if (kind !== "request") return kind === "answer";
  const text = plainText(records);
  return ASKING.test(text) || !COMMAND.test(text);
}

/** A line of the user or of output, without the mark at its start and the two spaces at its end. */
const plainLine = ({ value }: SourceRecord): string =>
  (textOf(value) ?? "").replace(/^(?:>|####)(?: |$)/, "").trimEnd();

const plainText = (records: Records): string => records.map(plainLine).join("\n").trim();

/** Lines on what Aider did. */
const DID =
  /^(?:Applied edit to |Did not apply edit to |Commit [0-9a-f]{7,40} |Removed: [0-9a-f]{7,40} |Running |Added \d+ lines? of output to the chat)/;
const EDITED = /^Applied edit to (\S.*)$/;
const COMMITTED = /^Commit ([0-9a-f]{7,40}) /;
const UNDONE = /^Removed: ([0-9a-f]{7,40}) /;
/** Commands that the model learns of when their output is added to the chat. */
const RUNS = /^(?:\/(?:run|test|git|lint)\b|!)/;
const ADDED_OUTPUT = /^> Added \d+ lines? of output to the chat/;
/** A question of Aider below the path of the file that it is about. */
const NEW_FILE = /^Create new file\? .*\[Yes\]: ?(?:y|yes|a|all)$/i;
/** The beginnings of errors that Aider sends to the model; those of a linter only if the user agrees. */
const FAILED_EDIT = /^# \d+ SEARCH\/REPLACE blocks? failed to match!/;
const LINTED = /^# Fix any errors below, if possible\.$/;
const ASKS_TO_FIX = /^Attempt to fix lint errors\? /;
const AGREED = /\]: ?(?:y|yes|a|all)$/i;

/** Makes messages of the blocks of one start. */
class History {
  readonly #source: string;
  readonly #seed: string;
  readonly #draft: SessionDraft;
  /** The newest answer on one line. */
  #answer = "";
  #hasBegun = false;
  /** The command whose output comes next and is added to the chat. */
  #command: readonly SourceRecord[] = [];
  /** The edits since the newest commit, and those of each commit. */
  readonly #edits: string[] = [];
  readonly #committed = new Map<string, readonly string[]>();

  constructor(source: string, seed: string, draft: SessionDraft) {
    this.#source = source;
    this.#seed = seed;
    this.#draft = draft;
  }

  add(block: Block, next: Block | undefined): void {
    const { kind, records } = block;
    if (kind === "output" && this.#hasBegun) return this.#addOutput(records);
    const isAnswer = kind === "answer";
    if (!isSpoken(block)) {
      if (kind === "request" && this.#hasBegun && RUNS.test(plainText(records)) && addsOutput(next))
        this.#command = records;
      else this.#skip(kind === "request" ? "command" : kind, records);
      return;
    }
    this.#hasBegun = true;
    const text = isAnswer ? textBetween(this.#source, records) : plainText(records).replace(ASKING, "");
    if (isAnswer) this.#answer = onOneLine(text);
    // The plan of a first model is handed on to the one that edits.
    const isHandedOn = !isAnswer && text.length >= SHORTEST_PLAN && onOneLine(text) === this.#answer;
    this.#push(isAnswer ? "assistant" : "user", text, records, isHandedOn ? "harness" : undefined);
  }

  /** What Aider did is one message, and what it sent to the model another; the rest was only shown to the user. */
  #addOutput(records: Records): void {
    const done = [...this.#command];
    this.#command = [];
    for (let index = 0; index < records.length; index++) {
      const end = endOfError(records, index);
      if (end > index) {
        this.#addReport(done.splice(0));
        this.#addReport(records.slice(index, end));
        index = end - 1;
        continue;
      }
      const [record, next = record] = records.slice(index, index + 2) as [SourceRecord, SourceRecord?];
      if ([record, next].some((line) => NEW_FILE.test(plainLine(line))) || DID.test(plainLine(record)))
        done.push(record);
      else this.#skip("output", [record]);
    }
    this.#addReport(done);
  }

  #addReport([first, ...rest]: readonly SourceRecord[]): void {
    if (first === undefined) return;
    const records: Records = [first, ...rest];
    const text = FAILED_EDIT.test(plainLine(first))
      ? textBetween(this.#source, records).slice(2)
      : records.map((record) => this.#toldLine(plainLine(record))).join("\n");
    this.#push("user", text.trim(), records, "harness");
  }

  /** Aider names the commit that it removes. Which edits are undone with it, only the lines above that commit tell. */
  #toldLine(line: string): string {
    const [, edited] = EDITED.exec(line) ?? [];
    if (edited !== undefined) this.#edits.push(edited);
    const [, commit] = COMMITTED.exec(line) ?? [];
    if (commit !== undefined) this.#committed.set(commit, this.#edits.splice(0));
    const [, removed = ""] = UNDONE.exec(line) ?? [];
    return [line, ...new Set(this.#committed.get(removed)?.map((path) => `Undone edit to ${path}`))].join("\n");
  }

  #push(role: "user" | "assistant", text: string, records: Records, origin?: "harness"): void {
    const lines = records.map(({ line }) => line);
    const [line] = lines as [number, ...number[]];
    this.#draft.add({
      id: `${this.#seed}-${line}`,
      role,
      parts: [{ type: "text", text }],
      ...(origin !== undefined && { origin }),
      source: { line },
      ...(lines.length > 1 && { sourceLines: lines }),
    });
  }

  #skip(kind: string, records: readonly SourceRecord[]): void {
    for (const { line } of records) this.#draft.skip(kind, line);
  }
}

/** A shorter request, in UTF-16 code units, may repeat an answer by chance. */
const SHORTEST_PLAN = 40;
const onOneLine = (text: string): string => text.replace(/\s+/g, " ").trim();

const addsOutput = (block: Block | undefined): boolean =>
  block?.kind === "output" && block.records.some(({ value }) => ADDED_OUTPUT.test(textOf(value) ?? ""));

/** Returns where an error ends that was sent to the model; the start itself when no such error begins there. */
function endOfError(records: Records, start: number): number {
  const first = plainLine(records[start] as SourceRecord);
  const isLinted = LINTED.test(first);
  if (!isLinted && !FAILED_EDIT.test(first)) return start;
  for (let index = start + 1; index < records.length; index++) {
    const record = records[index] as SourceRecord;
    const text = plainLine(record);
    if (!isLinted && kindOf(record.value) === "output") return index;
    if (isLinted && LINTED.test(text)) return start;
    if (isLinted && ASKS_TO_FIX.test(text)) return AGREED.test(text) ? index : start;
  }
  return isLinted ? start : records.length;
}

/** The model's text, including blank lines, which are not records. */
const textBetween = (source: string, records: Records): string =>
  source.slice(records[0].start, records.at(-1)?.end).trim();
