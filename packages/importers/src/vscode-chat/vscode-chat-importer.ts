import type { MediaPart, Part, ReasoningPart } from "@threadfold/core";
import { sourceOfUrl } from "../openai-chat/openai-parts.ts";
import { readArguments } from "../openai-chat/openai-tools.ts";
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
import type { SourcePointer, SourceRecords } from "../reading/source-records.ts";
import { documentThreads } from "../reading/source-threads.ts";
import { newestModel, type SessionDraft } from "../session/session-draft.ts";
import type { SessionImporter } from "../session/session-importer.ts";
import { aroundWords } from "../session/shared-readers.ts";
import { addShownAnswer } from "./shown-answer.ts";

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
    const told = new Set<string>();
    for (const [index, { value, at }] of chat.requests.entries()) {
      used.add(at.line);
      addRequest(value, { source: at, standIn: `request-${index}`, told }, draft);
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
function loggedChat({ records, source }: SourceRecords, draft: SessionDraft): Chat {
  let state: Record<string, unknown> = {};
  let lines: number[] = [];
  const unread = new Set<number>();
  const length = () => listOf(state.requests)?.length ?? 0;
  for (const { line, start, end } of records) {
    // Changes are applied in place, so to values of our own. A clone of the record's would need a stack for its nesting.
    const own = parseJson(source.text.slice(start, end));
    const change = (own.ok ? objectOf(own.value) : undefined) ?? {};
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

/** The position of a request, and the contexts that requests before it were sent with. */
interface RequestPlace {
  readonly source: SourcePointer;
  readonly standIn: string;
  readonly told: Set<string>;
}

function addRequest(value: unknown, { source, standIn, told }: RequestPlace, draft: SessionDraft): void {
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
  addQuestion(fields, asked, request, told);
  for (const [index, round] of rounds.entries()) addRound(round, `${id}-${index}`, request);
  if (rounds.length > 0) return;
  addShownAnswer(fields.response, nonEmptyText(fields.responseId) ?? `${id}-answer`, { ...common, ...model }, draft);
}

/** Adds what was asked, between what Copilot sent before and after it: it sends the same again in later requests. */
function addQuestion(fields: ForeignObject, asked: string, request: Request, told: Set<string>): void {
  const { id, draft, common, metadata } = request;
  const context = textsOf(metadata.renderedGlobalContext).join("").trim();
  if (!told.has(context)) addHarness(`${id}-context`, context, request);
  told.add(context);
  const { before, after } = aroundWords(textsOf(metadata.renderedUserMessage).join(""), asked);
  const isFramed = before.endsWith(OPENED) && after.startsWith(CLOSED);
  addHarness(`${id}-before`, isFramed ? before.slice(0, -OPENED.length).trim() : before, request);
  const sent = objectsOf(metadata.renderedUserMessage).flatMap(readPicture);
  const attached = objectsOf(objectOf(fields.variableData)?.variables).flatMap(readAttached);
  const parts: readonly Part[] = [{ type: "text", text: asked }, ...(sent.length > 0 ? sent : attached)];
  draft.add({ ...common, id, role: "user", time: fields.timestamp, parts });
  addHarness(`${id}-after`, isFramed ? after.slice(CLOSED.length).trim() : after, request);
}

/** What Copilot puts around the words of a request. */
const [OPENED, CLOSED] = ["<userRequest>", "</userRequest>"];

const textsOf = (parts: unknown): readonly string[] => objectsOf(parts).flatMap(({ text }) => textOf(text) ?? []);

function addHarness(id: string, text: string, { draft, common }: Request): void {
  if (text !== "") draft.add({ ...common, id, role: "user", origin: "harness", parts: [{ type: "text", text }] });
}

/** A picture in a message as Copilot sent it. */
function readPicture({ imageUrl }: ForeignObject): readonly MediaPart[] {
  const url = nonEmptyText(objectOf(imageUrl)?.url);
  return url === undefined ? [] : [{ type: "image", source: sourceOfUrl(url) }];
}

/** A picture that was attached to a request; files are attached by their place only. */
function readAttached({ kind, mimeType, name, value }: ForeignObject): readonly MediaPart[] {
  const data = nonEmptyText(objectOf(value)?.$base64);
  const [mediaType, named] = [nonEmptyText(mimeType), nonEmptyText(name)];
  if (kind !== "image" || data === undefined || mediaType === undefined) return [];
  return [{ type: "image", source: { kind: "base64", mediaType, data }, ...(named !== undefined && { name: named }) }];
}

/** Adds one answer of the model with the results of its calls, and the summary that replaced all up to there. */
function addRound(round: ForeignObject, id: string, request: Request): void {
  const { draft, common, model, metadata } = request;
  const opened = objectsOf(round.toolCalls).map((call, place) => readCall(call, `${id}-${place}`, request));
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
  // What a hook said, so that the model went on.
  addHarness(`${id}-hook`, textOf(round.hookContext) ?? "", request);
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

function readCall(call: ForeignObject, standIn: string, { draft, common: { source } }: Request) {
  const toolName = textOf(call.name) ?? "";
  const callId = draft.calls.open(call.id, toolName, standIn);
  return { type: "tool-call" as const, callId, toolName, ...readArguments(call.arguments, callId, draft, source) };
}

/** The text of a result: that of its pieces, and of the trees from which VS Code builds prompts. */
function resultText(value: unknown): string {
  const texts: string[] = [];
  // Not by recursion: a log can nest trees deeper than the stack.
  const waiting = [value];
  while (waiting.length > 0) {
    const next = waiting.pop();
    if (typeof next === "string") texts.push(next);
    else if (Array.isArray(next)) for (const piece of next.toReversed()) waiting.push(piece);
    else {
      const fields = objectOf(next);
      const own = textOf(fields?.text);
      if (own !== undefined) texts.push(`${fields?.lineBreakBefore === true ? "\n" : ""}${own}`);
      else if (fields !== undefined) waiting.push(fields.value ?? fields.node ?? fields.children);
    }
  }
  return texts.join("");
}
