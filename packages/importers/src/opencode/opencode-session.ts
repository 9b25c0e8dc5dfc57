import {
  countOf,
  type ForeignObject,
  listOf,
  nonEmptyText,
  objectOf,
  objectsOf,
  parseJson,
  textOf,
} from "../reading/foreign-value.ts";
import type { SourcePointer, SourceRecord, SourceRecords } from "../reading/source-records.ts";
import type { SourceThread } from "../reading/source-threads.ts";
import type { SessionDraft } from "../session/session-draft.ts";

/** One row of OpenCode's database, or the equivalent file of its storage folder. */
export interface OpencodeRow {
  readonly table: string;
  readonly id: string | undefined;
  readonly sessionId: string | undefined;
  readonly messageId: string | undefined;
  /** The content of the row. The database keeps it as JSON text in a separate column. */
  readonly data: ForeignObject;
  readonly time: unknown;
  readonly at: SourcePointer;
}

/** A message of OpenCode with its parts in order. */
export interface OpencodeMessage {
  readonly row: OpencodeRow;
  readonly parts: readonly OpencodeRow[];
}

/** A session of OpenCode: its messages, and the point that the user went back to. */
export interface OpencodeSession {
  readonly id: string | undefined;
  readonly messages: readonly OpencodeMessage[];
  /** The id of the first message that the user undid; all later ones are undone as well. */
  readonly revertedFrom: string | undefined;
  readonly records: number;
}

/**
 * Reads a session: one row per line, or the single document that `opencode export` writes. Records that do not belong
 * to it are reported to the draft.
 */
export function readOpencodeSession({ records }: SourceRecords, draft: SessionDraft): OpencodeSession {
  const [first] = records;
  const exported = records.length === 1 ? exportedMessages(first?.value) : undefined;
  if (first !== undefined && exported !== undefined) return readExport(exported, first.value, first.line, draft);
  const rows = records.flatMap(({ value, line }): readonly OpencodeRow[] => {
    const row = opencodeRow(value, { line });
    if (row !== undefined) return [row];
    draft.reportMalformed({ line }, "it is not a row of a session");
    return [];
  });
  const session = rows.find(({ table }) => table === "session");
  const isNewer = !rows.some(({ table }) => table === "message");
  return {
    id: session?.id ?? rows.find(({ sessionId }) => sessionId !== undefined)?.sessionId,
    messages: isNewer ? newerMessages(rows, draft) : joinRows(rows, draft),
    revertedFrom: revertOf(session?.data),
    records: records.length,
  };
}

/**
 * Returns the messages of a document that `opencode export` wrote, each with its `info` and its parts; undefined for
 * anything else.
 */
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
      draft.reportMalformed(at, "it is not a message with parts");
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

/**
 * Reads the table of newer versions, whose messages have their parts inside, in the form of earlier ones. Its types are
 * defined in `packages/core/src/session/message.ts` of https://github.com/anomalyco/opencode.
 */
function newerMessages(rows: readonly OpencodeRow[], draft: SessionDraft): readonly OpencodeMessage[] {
  const own = rows.filter(({ table }) => table === "session_message");
  joinRows(
    rows.filter(({ table }) => table !== "session_message"),
    draft,
  );
  return own
    .toSorted((first, second) => (countOf(first.data.seq) ?? 0) - (countOf(second.data.seq) ?? 0))
    .flatMap((row): readonly OpencodeMessage[] => {
      const type = textOf(row.data.type) ?? "other";
      const read = Object.hasOwn(NEWER, type) ? NEWER[type]?.(row.data) : undefined;
      if (read === undefined) {
        if (NOT_SENT.has(type)) draft.skip(row.table, row.at);
        else draft.skipUnknown(`${row.table}/${type}`, row.at);
        return [];
      }
      const { parts, ...data } = read;
      const messageId = row.id ?? `opencode-${row.at.line}`;
      return [
        {
          row: { ...row, data },
          parts: parts.map((part, index) => ({ ...row, id: `${messageId}.${index}`, messageId, data: part })),
        },
      ];
    });
}

/** Types of newer messages with nothing for the model; of compactions, those that did not come about. */
const NOT_SENT = new Set(["agent-switched", "model-switched", "location-switched", "idle", "compaction"]);

/** The content of a message of earlier versions, together with its parts. */
type EarlierMessage = ForeignObject & { readonly parts: readonly ForeignObject[] };

const synthetic = (text: unknown): ForeignObject => ({ type: "text", text, synthetic: true });

const NEWER: Readonly<Record<string, (data: ForeignObject) => EarlierMessage | undefined>> = {
  user: ({ text, files }) => ({ role: "user", parts: [{ type: "text", text }, ...objectsOf(files).map(earlierFile)] }),
  synthetic: ({ text }) => ({ role: "user", parts: [synthetic(text)] }),
  skill: ({ text }) => ({ role: "user", parts: [synthetic(text)] }),
  system: ({ text }) => ({ role: "system", parts: [{ type: "text", text }] }),
  shell: ({ command, output }) => {
    const printed = textOf(output) ?? textOf(objectOf(output)?.output) ?? "";
    return { role: "user", parts: [synthetic(`Shell command: ${textOf(command) ?? ""}\n\n${printed}`)] };
  },
  assistant: ({ model, content, tokens, finish, error }) => ({
    ...{ role: "assistant", modelID: objectOf(model)?.id, providerID: objectOf(model)?.providerID },
    ...{ tokens, finish, error },
    parts: objectsOf(content).map((part) => earlierPart(part, textOf(objectOf(model)?.providerID) ?? GATEWAY)),
  }),
  compaction: ({ status = "completed", reason, summary, recent }) => {
    if (status !== "completed") return undefined;
    const text = [summary, recent].filter((words) => nonEmptyText(words) !== undefined).join("\n\n");
    return { role: "user", summary: true, reason, parts: [synthetic(text)] };
  },
};

function earlierPart(part: ForeignObject, provider: string): ForeignObject {
  const own = part.native ?? part.providerState ?? (part.type === "tool" ? undefined : part.state);
  const metadata = part.providerMetadata ?? objectOf(part.provider)?.metadata ?? byProvider(own, provider);
  if (part.type !== "tool") return { ...part, metadata };
  const state = objectOf(part.state) ?? {};
  const time = objectOf(part.time);
  const content = objectsOf(state.content);
  const output = content.flatMap(({ text }) => textOf(text) ?? []).join("\n");
  return {
    ...{ type: "tool", tool: part.name, callID: part.id, metadata },
    state: {
      ...{ status: state.status, input: state.input, output, metadata: state.metadata ?? state.structured },
      error: nonEmptyText(objectOf(state.error)?.message) ?? output,
      attachments: content.filter(({ type }) => type === "file").map(earlierFile),
      time: { start: time?.ran ?? time?.created, end: time?.completed, compacted: time?.pruned },
    },
  };
}

/** OpenCode's own provider, which passes on what others' models answer. */
const GATEWAY = "opencode";

/** Whose field each is, of what a provider lets OpenCode keep. */
const OWNERS: readonly (readonly [field: string, provider: string])[] = [
  ...([
    ["signature", "anthropic"],
    ["redactedData", "anthropic"],
    ["thoughtSignature", "google"],
  ] as const),
  ...([
    ["reasoningEncryptedContent", "openai"],
    ["itemId", "openai"],
  ] as const),
];

/** Files what only a provider can read under its name, as earlier versions do. */
function byProvider(own: unknown, provider: string): unknown {
  const fields = objectOf(own);
  if (fields === undefined) return undefined;
  const owner = provider === GATEWAY ? OWNERS.find(([field]) => fields[field] !== undefined)?.[1] : undefined;
  return { [owner ?? provider]: fields };
}

/** Converts a file; the model reads what is in a text. */
function earlierFile({ uri, data, mime, name }: ForeignObject): ForeignObject {
  const bytes = textOf(data);
  if (bytes !== undefined && textOf(mime)?.startsWith("text/") === true)
    return synthetic(`${textOf(name) ?? ""}\n\n${Buffer.from(bytes, "base64").toString("utf8")}`.trim());
  return { type: "file", url: uri ?? (bytes && `data:${textOf(mime) ?? ""};base64,${bytes}`), mime, filename: name };
}

/** Joins parts to their messages, both ordered by id. Ids increase over time. */
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

/** Compares ids by code units, which gives the same order on every machine. */
const compare = (first: string, second: string): number => (first < second ? -1 : first > second ? 1 : 0);

/** The message that the user went back to. The database keeps it as JSON text. */
function revertOf(session: ForeignObject | undefined): string | undefined {
  const text = textOf(session?.revert);
  const parsed = text === undefined ? undefined : parseJson(text);
  const revert = parsed?.ok === true ? objectOf(parsed.value) : objectOf(session?.revert);
  return nonEmptyText(revert?.messageID);
}

/** The id prefixes of storage files, and the tables that contain the same data. */
const TABLES: Readonly<Record<string, string>> = { ses_: "session", msg_: "message", prt_: "part" };

/** Reads a row. @returns undefined when the value is not a row of a session. */
function opencodeRow(value: unknown, at: SourcePointer): OpencodeRow | undefined {
  const fields = objectOf(value);
  const id = nonEmptyText(fields?.id);
  const table = textOf(fields?.table) ?? TABLES[id?.slice(0, 4) ?? ""];
  if (fields === undefined || table === undefined) return undefined;
  const data = dataOf(fields);
  if (data === undefined) return undefined;
  const sessionId = nonEmptyText(fields.session_id) ?? nonEmptyText(data.sessionID);
  return {
    table,
    id,
    sessionId: table === "session" ? id : sessionId,
    messageId: nonEmptyText(fields.message_id) ?? nonEmptyText(data.messageID),
    data: table === "session_message" ? { type: fields.type, seq: fields.seq, ...data } : data,
    time: fields.time_created ?? objectOf(data.time)?.created,
    at,
  };
}

function dataOf(fields: ForeignObject): ForeignObject | undefined {
  const text = textOf(fields.data);
  if (text === undefined) return objectOf(fields.data) ?? fields;
  const parsed = parseJson(text);
  return parsed.ok ? objectOf(parsed.value) : undefined;
}

/**
 * Returns the sessions in an export of the database, in order of first appearance; sessions of sub-agents are separate
 * threads. Rows that belong to no session are added to the first.
 */
export function opencodeThreads({ records }: SourceRecords): readonly SourceThread[] {
  if (records.length < 2) return [];
  const sessions = new Map<string, SourceRecord[]>();
  const stray: SourceRecord[] = [];
  const messages = new Map<string, string>();
  for (const record of records) {
    const row = opencodeRow(record.value, { line: record.line });
    const sessionId = row?.sessionId ?? messages.get(row?.messageId ?? "");
    if (row?.table === "message" && row.id !== undefined && sessionId !== undefined) messages.set(row.id, sessionId);
    const session = sessionId === undefined ? stray : sessions.get(sessionId);
    if (session !== undefined) session.push(record);
    else if (sessionId !== undefined) sessions.set(sessionId, [record]);
  }
  const threads = [...sessions].map(([id, own]): SourceThread => ({ name: id.toWellFormed(), records: own }));
  const [first, ...rest] = threads;
  if (first === undefined || stray.length === 0) return threads;
  const inOrder = [...first.records, ...stray].sort((a, b) => a.line - b.line);
  return [{ ...first, records: inOrder }, ...rest];
}
