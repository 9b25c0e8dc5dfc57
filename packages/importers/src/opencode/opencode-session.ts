import type { SessionDraft } from "../draft/session-draft.ts";
import { type ForeignObject, listOf, nonEmptyText, objectOf, textOf } from "../reading/foreign-value.ts";
import { parseJson } from "../reading/parse-json.ts";
import type { SourceRecords } from "../reading/source-records.ts";
import { type OpencodeRow, opencodeRow } from "./opencode-row.ts";

/** A message of OpenCode with its parts, both in their order. */
export interface OpencodeMessage {
  readonly row: OpencodeRow;
  readonly parts: readonly OpencodeRow[];
}

/** A session of OpenCode. */
export interface OpencodeSession {
  readonly id: string | undefined;
  readonly messages: readonly OpencodeMessage[];
  /** From this message on, the user took everything back. */
  readonly revertedFrom: string | undefined;
  readonly records: number;
}

/**
 * Reads a session: one row a line, or the one document that `opencode export` writes. What is no part of it is reported
 * to the draft.
 */
export function readOpencodeSession({ records }: SourceRecords, draft: SessionDraft): OpencodeSession {
  const [first] = records;
  const exported = records.length === 1 ? exportedMessages(first?.value) : undefined;
  if (first !== undefined && exported !== undefined) return readExport(exported, first.value, first.line, draft);
  const rows = records.flatMap(({ value, line }): readonly OpencodeRow[] => {
    const row = opencodeRow(value, { line });
    if (row !== undefined) return [row];
    draft.reportMalformed({ line }, "it is no row of a session");
    return [];
  });
  const session = rows.find(({ table }) => table === "session");
  return {
    id: session?.id ?? rows.find(({ sessionId }) => sessionId !== undefined)?.sessionId,
    messages: joinRows(rows, draft),
    revertedFrom: revertOf(session?.data),
    records: records.length,
  };
}

/** The messages of a document that `opencode export` wrote: each with its `info` and its parts. */
export function exportedMessages(value: unknown): readonly unknown[] | undefined {
  const document = objectOf(value);
  const messages = listOf(document?.messages);
  const isExport = messages?.some((message) => objectOf(objectOf(message)?.info) && listOf(objectOf(message)?.parts));
  return isExport === true ? messages : undefined;
}

function readExport(
  messages: readonly unknown[],
  document: unknown,
  line: number,
  draft: SessionDraft,
): OpencodeSession {
  const info = objectOf(objectOf(document)?.info);
  const read = messages.flatMap((value, index): readonly OpencodeMessage[] => {
    const at = { line, path: `/messages/${index}` };
    const message = objectOf(value);
    const row = opencodeRow({ table: "message", ...objectOf(message?.info) }, at);
    const parts = listOf(message?.parts);
    if (row?.data.role === undefined || parts === undefined) {
      draft.reportMalformed(at, "it is no message with parts");
      return [];
    }
    return [{ row, parts: parts.flatMap((part) => opencodeRow({ table: "part", ...objectOf(part) }, at) ?? []) }];
  });
  return {
    id: nonEmptyText(info?.id),
    messages: read,
    revertedFrom: revertOf(info),
    records: messages.length,
  };
}

/** Puts parts to their messages, both in the order of their ids, which grow with time. */
function joinRows(rows: readonly OpencodeRow[], draft: SessionDraft): readonly OpencodeMessage[] {
  const partsById = new Map<string, OpencodeRow[]>();
  const messages = new Map<string, OpencodeRow>();
  for (const row of rows) {
    if (row.table !== "message") continue;
    if (row.id === undefined) draft.reportMalformed(row.at, "its message has no id");
    else if (messages.has(row.id)) skipDuplicate(row, row.id, draft);
    else messages.set(row.id, row);
  }
  for (const row of rows) {
    if (row.table === "part") addPart(row, messages, partsById, draft);
    else if (row.table === "session" || row.table === "session_message") draft.skip(row.table, row.at);
    else if (row.table !== "message") draft.skipUnknown(row.table, row.at);
  }
  return [...messages]
    .sort(([first], [second]) => compare(first, second))
    .map(([id, row]) => ({ row, parts: (partsById.get(id) ?? []).sort((a, b) => compare(a.id ?? "", b.id ?? "")) }));
}

function addPart(
  row: OpencodeRow,
  messages: ReadonlyMap<string, OpencodeRow>,
  partsById: Map<string, OpencodeRow[]>,
  draft: SessionDraft,
): void {
  if (row.messageId === undefined || !messages.has(row.messageId))
    return draft.reportMalformed(row.at, "the message of this part is not in the log");
  const parts = partsById.get(row.messageId);
  if (parts === undefined) partsById.set(row.messageId, [row]);
  else parts.push(row);
}

function skipDuplicate({ at }: OpencodeRow, id: string, draft: SessionDraft): void {
  draft.skip("duplicate", at);
  draft.warnings.push({ kind: "duplicate-record", at, id: id.toWellFormed() });
}

/** Ids compare by their code units, the same on every machine. */
const compare = (first: string, second: string): number => (first < second ? -1 : first > second ? 1 : 0);

/** Where the user went back to. The database keeps it as JSON text. */
function revertOf(session: ForeignObject | undefined): string | undefined {
  const text = textOf(session?.revert);
  const parsed = text === undefined ? undefined : parseJson(text);
  const revert = parsed?.ok === true ? objectOf(parsed.value) : objectOf(session?.revert);
  return nonEmptyText(revert?.messageID);
}
