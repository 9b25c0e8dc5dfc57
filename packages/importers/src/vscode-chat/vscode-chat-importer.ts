import type { JsonValue, Part, ReasoningPart } from "@threadfold/core";
import {
  countOf,
  type ForeignObject,
  listOf,
  nonEmptyText,
  objectOf,
  parseJson,
  textOf,
} from "../reading/foreign-value.ts";
import type { SourcePointer, SourceRecords } from "../reading/source-records.ts";
import { documentThreads } from "../reading/source-threads.ts";
import { newestModel, type SessionDraft } from "../session/session-draft.ts";
import type { SessionImporter } from "../session/session-importer.ts";

/** The branch of questions that were removed: they stay in the log but are no longer sent. */
const REMOVED = "removed";

/**
 * Imports chats of VS Code with GitHub Copilot from `chatSessions` in a workspace's storage: the document of older
 * versions, and the change log of newer ones, as written by `chatModel.ts` and `objectMutationLog.ts` of
 * https://github.com/microsoft/vscode/tree/main/src/vs/workbench/contrib/chat/common/model. Tool calls and their
 * results come from `result.metadata.toolCallRounds`, which Copilot sends again; without these, the answer is what was
 * shown.
 */
export const vscodeChatImporter: SessionImporter = {
  format: "vscode-chat",
  detect: ({ records: [first] }) => (isChat(first?.value) || isChat(beginningOf(first?.value)) ? 1 : 0),
  threads: (source) => documentThreads(source, isChat),
  import(source, draft) {
    const [first] = source.records;
    const isDocument = isChat(first?.value);
    const chat = isDocument ? documentChat(source) : loggedChat(source, draft);
    draft.startAt(chat.state.creationDate);
    const used = new Set<number>();
    for (const [index, { value, at }] of chat.requests.entries()) {
      used.add(at.line);
      addRequest(value, at, `request-${index}`, draft);
    }
    if (!isDocument)
      for (const { line } of source.records) if (!used.has(line) && !chat.unread.has(line)) draft.skip("change", line);
    const sessionId = nonEmptyText(chat.state.sessionId);
    const model = newestModel(draft.messages);
    return {
      records: isDocument ? chat.requests.length : source.records.length,
      system: [],
      tools: [],
      ...(sessionId !== undefined && { sessionId }),
      ...(sessionId === undefined && { opening: source.source.sha256 }),
      ...(model !== undefined && { model }),
    };
  },
};

function isChat(value: unknown): boolean {
  const chat = objectOf(value);
  if (listOf(chat?.requests) === undefined) return false;
  return (
    textOf(chat?.responderUsername) !== undefined ||
    (textOf(chat?.sessionId) !== undefined && typeof chat?.version === "number")
  );
}

/** Returns the initial state that a change log begins with. */
function beginningOf(value: unknown): unknown {
  const entry = objectOf(value);
  return entry?.kind === 0 ? entry.v : undefined;
}

interface Placed {
  readonly value: unknown;
  readonly at: SourcePointer;
}

interface Chat {
  readonly state: ForeignObject;
  readonly requests: readonly Placed[];
  /** Lines that are not an applicable change. */
  readonly unread: ReadonlySet<number>;
}

function documentChat({ records: [first] }: SourceRecords): Chat {
  const state = objectOf(first?.value) ?? {};
  const at = (index: number) => ({ line: first?.line ?? 0, path: `/requests/${index}` });
  const requests = (listOf(state.requests) ?? []).map((value, index) => ({ value, at: at(index) }));
  return { state, requests, unread: new Set() };
}

/**
 * Computes the chat that a change log results in. Each request points to the line where it first appears or was last
 * replaced.
 */
function loggedChat({ records }: SourceRecords, draft: SessionDraft): Chat {
  let state: Record<string, unknown> = {};
  let lines: number[] = [];
  const unread = new Set<number>();
  const length = () => listOf(state.requests)?.length ?? 0;
  for (const { value, line } of records) {
    const change = structuredClone(objectOf(value) ?? {}) as Record<string, unknown>;
    const path = change.kind === 0 ? [] : listOf(change.k);
    const beginning = change.kind === 0 ? objectOf(change.v) : undefined;
    if (beginning !== undefined) state = beginning as Record<string, unknown>;
    const isMade = beginning !== undefined || (path !== undefined && path.length > 0 && applied(state, path, change));
    if (!isMade) {
      unread.add(line);
      draft.reportMalformed({ line }, "it is not a change to a chat");
      continue;
    }
    const [field, index] = path ?? [];
    if (change.kind === 0 || (field === "requests" && path?.length === 1)) {
      const kept =
        change.kind === 2 ? Math.min(lines.length, typeof change.i === "number" ? change.i : lines.length) : 0;
      lines = Array.from({ length: length() }, (_, place) => (place < kept ? (lines[place] ?? line) : line));
    } else if (field === "requests" && path?.length === 2 && typeof index === "number") lines[index] = line;
  }
  const requests = (listOf(state.requests) ?? []).map((value, index) => ({ value, at: { line: lines[index] ?? 0 } }));
  return { state, requests, unread };
}

/**
 * Applies a change at its path: 1 sets, 2 truncates a list and appends to it, 3 deletes. Returns false when the path
 * does not exist.
 */
function applied(state: object, path: readonly unknown[], { kind, v, i }: ForeignObject): boolean {
  let place: unknown = state;
  for (const step of path.slice(0, -1)) place = at(place, step);
  const last = path.at(-1);
  if (typeof place !== "object" || place === null || (typeof last !== "string" && typeof last !== "number"))
    return false;
  if (last === "__proto__" || (Array.isArray(place) && !isPlaceIn(place, last))) return false;
  const fields = place as Record<string | number, unknown>;
  if (kind === 1) fields[last] = v;
  else if (kind === 3) fields[last] = undefined;
  else if (kind === 2) {
    const before = listOf(at(place, last)) ?? [];
    fields[last] = [...before.slice(0, typeof i === "number" ? i : before.length), ...(listOf(v) ?? [])];
  } else return false;
  return true;
}

const isPlaceIn = (list: readonly unknown[], index: unknown): boolean =>
  typeof index === "number" && Number.isInteger(index) && index >= 0 && index <= list.length;

const at = (value: unknown, step: unknown): unknown =>
  typeof value === "object" &&
  value !== null &&
  (typeof step === "string" || typeof step === "number") &&
  Object.hasOwn(value, step)
    ? (value as Record<string | number, unknown>)[step]
    : undefined;

/** What all messages of a request have in common, and what they are made from. */
interface Request {
  readonly id: string;
  readonly draft: SessionDraft;
  readonly common: { readonly source: SourcePointer; readonly branch?: string };
  readonly model: { readonly model?: string };
  readonly metadata: ForeignObject;
  readonly summaries: ReadonlyMap<string, CopilotSummary>;
}

function addRequest(value: unknown, source: SourcePointer, standIn: string, draft: SessionDraft): void {
  const fields = objectOf(value);
  const asked = textOf(fields?.message) ?? textOf(objectOf(fields?.message)?.text);
  if (fields === undefined || asked === undefined)
    return draft.reportMalformed(source, "it is not a request with a message");
  const id = nonEmptyText(fields.requestId) ?? standIn;
  const isRemoved = fields.isHidden === true || objectOf(fields.shouldBeRemovedOnSend) !== undefined;
  const common = { source, ...(isRemoved && { branch: REMOVED }) };
  const named = nonEmptyText(fields.modelId);
  const model = named === undefined ? {} : { model: named };
  const metadata = objectOf(objectOf(fields.result)?.metadata) ?? {};
  const rounds = objectsOf(metadata.toolCallRounds);
  const request = { id, draft, common, model, metadata, summaries: summariesOf(metadata, rounds) };
  // A summary of an earlier request's rounds was made before this one was sent.
  for (const round of request.summaries.keys()) if (!rounds.some((own) => own.id === round)) addSummary(round, request);
  draft.add({ ...common, id, role: "user", time: fields.timestamp, parts: [{ type: "text", text: asked }] });
  for (const [index, round] of rounds.entries()) addRound(round, `${id}-${index}`, request);
  if (rounds.length > 0) return;
  const parts = (listOf(fields.response) ?? []).flatMap(readShown);
  if (parts.length > 0)
    draft.add({ ...common, ...model, id: nonEmptyText(fields.responseId) ?? `${id}-answer`, role: "assistant", parts });
}

/** Adds one answer of the model with the results of its calls, and the summary that replaced all up to there. */
function addRound(round: ForeignObject, id: string, request: Request): void {
  const { draft, common, model, metadata } = request;
  const opened = objectsOf(round.toolCalls).map((call, place) => readCall(call, `${id}-${place}`, draft));
  const parts: readonly Part[] = [...readThinking(round.thinking), ...readText(round.response), ...opened];
  const roundId = nonEmptyText(round.id);
  draft.add({ ...common, ...model, id: roundId ?? id, role: "assistant", time: round.timestamp, parts });
  for (const { callId, toolName } of opened) {
    const returned = at(metadata.toolCallResults, callId);
    if (returned === undefined) continue;
    const content = { type: "text" as const, text: resultText(objectOf(returned)?.content ?? returned) };
    const outcome = FAILED.test(content.text) ? "failure" : "success";
    const result = { ...draft.calls.answer(callId, toolName, id), outcome, content } as const;
    draft.add({ ...common, id: `${id}-${callId}`, role: "tool", parts: [{ type: "tool-result", result }] });
  }
  addSummary(roundId ?? "", request);
}

function addSummary(round: string, { id, draft, common, summaries }: Request): void {
  const { text, tokensBefore } = summaries.get(round) ?? {};
  if (text === undefined) return;
  const own = { id: `${id}-summary-${round}`, role: "user", origin: "compaction" } as const;
  const messageId = draft.add({ ...common, ...own, parts: [{ type: "text", text }] });
  if (common.branch === undefined)
    draft.compactions.push({ messageId, ...(tokensBefore !== undefined && { tokensBefore }) });
}

/** How Copilot answers a call that failed or that the user refused. */
const FAILED =
  /^(?:ERROR while calling tool: |The user cancelled the tool call\.|The user chose to skip the tool call\b)/;

interface CopilotSummary {
  readonly text: string;
  readonly tokensBefore?: number;
}

/**
 * Copilot's summaries in a request, by the id of the round that each is attached to: it replaces everything up to the
 * end of that round.
 */
function summariesOf(metadata: ForeignObject, rounds: readonly ForeignObject[]): ReadonlyMap<string, CopilotSummary> {
  const onRounds = rounds.map(({ id, summary }): ForeignObject => ({ toolCallRoundId: id, text: summary }));
  const all = [...onRounds, ...objectsOf([metadata.summary]), ...objectsOf(metadata.summaries)];
  return new Map(
    all.flatMap(({ toolCallRoundId, text, contextLengthBefore }): [string, CopilotSummary][] => {
      const [round, summary] = [nonEmptyText(toolCallRoundId), nonEmptyText(text)];
      const tokensBefore = countOf(contextLengthBefore);
      if (round === undefined || summary === undefined) return [];
      return [[round, { text: summary, ...(tokensBefore !== undefined && { tokensBefore }) }]];
    }),
  );
}

/** The objects in a list. */
const objectsOf = (value: unknown): readonly ForeignObject[] =>
  (listOf(value) ?? []).map(objectOf).filter((fields) => fields !== undefined);

const readText = (value: unknown): readonly Part[] =>
  typeof value === "string" && value !== "" ? [{ type: "text", text: value }] : [];

/** Reads thoughts as Copilot stores them: a text or a list of texts, and data that only their provider can read. */
function readThinking(value: unknown): readonly ReasoningPart[] {
  const thinking = objectOf(value);
  const text =
    textOf(thinking?.text) ?? (listOf(thinking?.text) ?? []).flatMap((piece) => textOf(piece) ?? []).join("\n");
  const encrypted = nonEmptyText(thinking?.encrypted);
  if (text === "" && encrypted === undefined) return [];
  return [{ type: "reasoning", text, provider: "copilot", ...(encrypted !== undefined && { encrypted }) }];
}

function readCall(call: ForeignObject, standIn: string, draft: SessionDraft) {
  const toolName = textOf(call.name) ?? "";
  const callId = draft.calls.open(call.id, toolName, standIn);
  const given = textOf(call.arguments) ?? "";
  const parsed = parseJson(given === "" ? "{}" : given);
  return { type: "tool-call" as const, callId, toolName, input: parsed.ok ? (parsed.value as JsonValue) : given };
}

/** The text of a result: that of its pieces, and of the trees from which VS Code builds prompts. */
function resultText(value: unknown): string {
  if (typeof value === "string") return value;
  const list = listOf(value);
  if (list !== undefined) return list.map(resultText).join("");
  const fields = objectOf(value);
  if (fields === undefined) return "";
  const own = textOf(fields.text);
  if (own !== undefined) return `${fields.lineBreakBefore === true ? "\n" : ""}${own}`;
  return resultText(fields.value ?? fields.node ?? fields.children);
}

/**
 * Reads a piece of an answer as it was shown: its text and its thoughts, without what the editor inserted between them.
 */
function readShown(piece: unknown): readonly Part[] {
  const fields = objectOf(piece);
  const said = textOf(fields?.value) ?? textOf(objectOf(fields?.content)?.value);
  if (said === undefined || said === "") return [];
  if (fields?.kind === "thinking") return [{ type: "reasoning", text: said, provider: "copilot" }];
  return fields?.kind === undefined || fields.kind === "markdownContent" ? [{ type: "text", text: said }] : [];
}
