import { textOf } from "../reading/foreign-value.ts";
import type { SourceRecord, SourceRecords } from "../reading/source-records.ts";
import type { SourceThread } from "../reading/source-threads.ts";
import type { SessionDraft } from "../session/session-draft.ts";
import { openingOf, seedOf } from "../session/session-ids.ts";
import type { SessionImporter } from "../session/session-importer.ts";

/**
 * Imports the history that Aider keeps in `.aider.chat.history.md`; each start of Aider is a thread, named by its time.
 * The beginning of a line tells who speaks, so a level-4 heading in an answer is read as the user, and a quotation as
 * output. Aider itself reads them that way.
 */
export const aiderImporter: SessionImporter = {
  format: "aider",
  detect: ({ records: [first] }) => (startOf(first?.value) === undefined ? 0 : 1),
  threads: aiderThreads,
  import({ source, records }, draft) {
    const time = records.map(({ value }) => startOf(value)).find((start) => start !== undefined);
    draft.startAt(time);
    const values = records.map(({ value }) => value);
    const opening = openingOf(source, { start_time: time }, values, (value) => kindOf(value) === "answer");
    for (const block of blocksOf(records)) addBlock(block, source.text, seedOf(opening), draft);
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
  return threads.filter(({ records: own }) => own.some(({ value }) => speaks(kindOf(value))));
}

type LineKind = "start" | "request" | "answer" | "output";

const speaks = (kind: LineKind): boolean => kind === "request" || kind === "answer";

function kindOf(value: unknown): LineKind {
  const text = textOf(value);
  if (text === undefined || text.startsWith("> ") || text.trimEnd() === ">") return "output";
  if (startOf(text) !== undefined) return "start";
  return text.startsWith("#### ") || text.trimEnd() === "####" ? "request" : "answer";
}

/** Consecutive lines of one kind. */
interface Block {
  readonly kind: LineKind;
  readonly records: readonly [SourceRecord, ...SourceRecord[]];
}

function blocksOf(records: readonly SourceRecord[]): readonly Block[] {
  const blocks: { kind: LineKind; records: [SourceRecord, ...SourceRecord[]] }[] = [];
  for (const record of records) {
    const kind = kindOf(record.value);
    const block = blocks.at(-1);
    if (block?.kind === kind) block.records.push(record);
    else blocks.push({ kind, records: [record] });
  }
  return blocks;
}

/** Commands whose text is sent to the model. */
const ASKING = /^\/(?:ask|code|architect|context)\s+(?=\S)/;

function addBlock({ kind, records }: Block, source: string, seed: string, draft: SessionDraft): void {
  const [first] = records;
  const lines = records.map(({ line }) => line);
  const text = kind === "request" ? requestText(records) : textBetween(source, records);
  if (!speaks(kind) || (kind === "request" && text.startsWith("/"))) {
    for (const line of lines) draft.skip(kind === "request" ? "command" : kind, line);
    return;
  }
  draft.add({
    id: `${seed}-${first.line}`,
    role: kind === "request" ? "user" : "assistant",
    parts: [{ type: "text", text }],
    source: { line: first.line },
    ...(lines.length > 1 && { sourceLines: lines }),
  });
}

/** The user's text: each line has a mark at its start and two spaces at its end. */
const requestText = (records: Block["records"]): string =>
  records
    .map(({ value }) => (textOf(value) ?? "").replace(/^#### ?/, "").trimEnd())
    .join("\n")
    .replace(ASKING, "");

/** The model's text, including blank lines, which are not records. */
const textBetween = (source: string, records: Block["records"]): string =>
  source.slice(records[0].start, records.at(-1)?.end).trim();
