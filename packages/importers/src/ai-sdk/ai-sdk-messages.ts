import type { MessageId, Part, ToolCallPart, Usage } from "@threadfold/core";
import {
  countOf,
  type ForeignObject,
  listOf,
  nonEmptyText,
  objectOf,
  objectsOf,
  textOf,
  withoutUndefined,
} from "../reading/foreign-value.ts";
import type { SourcePointer, SourceRecords } from "../reading/source-records.ts";
import type { DraftMessage, SessionDraft } from "../session/session-draft.ts";
import { opaquePart } from "../session/shared-readers.ts";
import { aiSdkCall, aiSdkPart, aiSdkParts, aiSdkResult, compactionIn, metadataOf, uiResult } from "./ai-sdk-parts.ts";

/** The AI SDK messages found in a source. */
interface FoundAiSdkMessages {
  readonly messages: readonly { readonly value: unknown; readonly at: SourcePointer }[];
  /** The object around the messages; empty when there is none. */
  readonly frame: ForeignObject;
}

const NO_FRAME: ForeignObject = Object.freeze({});

/** Finds the messages: in a list, in an object that contains one, or one message per line. */
export function findAiSdkMessages({ records }: SourceRecords): FoundAiSdkMessages | undefined {
  const [first] = records;
  if (first === undefined) return undefined;
  const list = listIn(first.value);
  if (records.length === 1 && list !== undefined) {
    const at = (index: number) => ({ line: first.line, path: `${list.path}/${index}` });
    return { messages: list.values.map((value, index) => ({ value, at: at(index) })), frame: list.frame };
  }
  if (!records.some(({ value }) => isAiSdkMessage(value))) return undefined;
  return { messages: records.map(({ value, line }) => ({ value, at: { line } })), frame: NO_FRAME };
}

function listIn(
  value: unknown,
): { readonly values: readonly unknown[]; readonly frame: ForeignObject; readonly path: string } | undefined {
  const bare = listOf(value);
  if (bare !== undefined) return { values: bare, frame: NO_FRAME, path: "" };
  const frame = objectOf(value);
  const values = listOf(frame?.messages);
  return frame === undefined || values === undefined ? undefined : { values, frame, path: "/messages" };
}
const ROLES = new Set(["system", "user", "assistant", "tool"]);

/** Checks for a part that only the AI SDK writes, while texts in parts beside a content may be another program's. */
const isOwnPart = ({ type, toolCallId, text, reasoning }: ForeignObject): boolean =>
  type === "step-start" ||
  type === "tool-invocation" ||
  toolCallId !== undefined ||
  (text === undefined && reasoning !== undefined);

/** The attachments and calls that versions before 5 kept beside a message's text. */
function keptBeside(message: ForeignObject): Readonly<Record<"files" | "calls", readonly ForeignObject[]>> {
  const files = objectsOf(message.experimental_attachments ?? message.attachments);
  return {
    files: files.filter(({ url, contentType }) => textOf(url) !== undefined && textOf(contentType) !== undefined),
    calls: objectsOf(message.toolInvocations).filter(({ toolName }) => textOf(toolName) !== undefined),
  };
}

/** Checks for a UI message of version 4 or earlier that has more than its text. */
function isEarlier(message: ForeignObject): boolean {
  const { files, calls } = keptBeside(message);
  return files.length > 0 || calls.length > 0 || (isUi(message) && objectsOf(message.parts).some(isOwnPart));
}

/** Returns a UI message of version 4 or earlier with all that it has as parts, and any other message as it is. */
export function laterForm(message: ForeignObject): ForeignObject {
  if (!isEarlier(message)) return message;
  const { files, calls } = keptBeside(message);
  const { content: _content, ...rest } = message;
  const parts = isUi(message) ? objectsOf(message.parts).flatMap(laterThoughts) : partsBeside(message, calls);
  const missing = files.filter(({ url }) => parts.every((part) => part.url !== url));
  return { ...rest, parts: [...parts, ...missing.map(attachedFile)] };
}

/** What stood beside a text, in the order of the model's calls: those of each step, and at last the text. */
function partsBeside({ content, reasoning }: ForeignObject, calls: readonly ForeignObject[]): readonly ForeignObject[] {
  const stepOf = ({ step }: ForeignObject = {}): number => countOf(step) ?? 0;
  const inOrder = calls.toSorted((first, second) => stepOf(first) - stepOf(second));
  const invoked = inOrder.flatMap((toolInvocation, index): readonly ForeignObject[] => {
    const begins = index > 0 && stepOf(inOrder[index - 1]) !== stepOf(toolInvocation);
    return [...(begins ? [STEP] : []), { type: "tool-invocation", toolInvocation }];
  });
  const thought = nonEmptyText(reasoning) === undefined ? [] : [{ type: "reasoning", text: reasoning }];
  const said = nonEmptyText(content) === undefined ? [] : [{ type: "text", text: content }];
  return [...thought, ...invoked, ...(invoked.length > 0 && said.length > 0 ? [STEP] : []), ...said];
}

const STEP = { type: "step-start" };

/** Version 4 kept each signed thought in a list beside the text of all. */
function laterThoughts(part: ForeignObject): readonly ForeignObject[] {
  if (part.type !== "reasoning" || part.reasoning === undefined) return [part];
  const details = objectsOf(part.details);
  return details.length === 0
    ? [{ ...part, text: part.reasoning }]
    : details.map((detail) => ({ ...detail, type: "reasoning" }));
}

/** Converts an attachment; of a text, the model is sent the words. */
function attachedFile({ name, contentType, url }: ForeignObject): ForeignObject {
  const address = textOf(url) ?? "";
  const head = /^data:text\/[^,]{1,150};base64,/.exec(address.slice(0, 200));
  if (head === null) return { type: "file", mediaType: contentType, url, filename: name };
  return { type: "text", text: Buffer.from(address.slice(head[0].length), "base64").toString("utf8") };
}

/** Checks whether a value has the form of a model message or a UI message. */
export function isAiSdkMessage(value: unknown): boolean {
  const message = objectOf(value);
  return message !== undefined && ROLES.has(textOf(message.role) ?? "") && (isUi(message) || hasContent(message));
}

/** Checks for a UI message: its parts are typed, which distinguishes it from other providers' messages. */
export function isUi({ parts, content }: ForeignObject): boolean {
  const list = listOf(parts) ?? [undefined];
  const isTyped = list.every((part) => textOf(objectOf(part)?.type) !== undefined);
  return isTyped && (list.length > 0 || content === undefined);
}

const hasContent = ({ content }: ForeignObject): boolean =>
  typeof content === "string" || listOf(content) !== undefined;

/** The kinds of parts in messages of the AI SDK. */
const KINDS = new Set([
  ...["text", "reasoning", "image", "file", "custom", "tool-call", "tool-result"],
  ...["tool-approval-request", "tool-approval-response"],
]);

/** Checks whether a message could be from the AI SDK: it has no part that only another API has. */
export function mayBeAiSdk(value: unknown): boolean {
  if (!isAiSdkMessage(value)) return false;
  const parts = listOf(objectOf(value)?.parts) ?? listOf(objectOf(value)?.content) ?? [];
  return parts.every((part) => {
    const type = textOf(objectOf(part)?.type) ?? "";
    return KINDS.has(type) || type.startsWith("data-") || type.startsWith("tool-");
  });
}

/** Checks whether a message is certainly from the AI SDK: it has a kind of part that no provider's own API has. */
export function isUnmistakable(value: unknown): boolean {
  const message = objectOf(value);
  if (message === undefined || !isAiSdkMessage(message)) return false;
  if (isEarlier(message)) return true;
  if (listOf(message.parts) !== undefined) return isUi(message) && message.content === undefined;
  return (listOf(message.content) ?? []).some((part) =>
    /^tool-(?:call|result)$/.test(textOf(objectOf(part)?.type) ?? ""),
  );
}

/** The draft that a message is added to, and the message's id, time and source. */
interface AiSdkEntry {
  readonly draft: SessionDraft;
  readonly place: Pick<DraftMessage, "id" | "time" | "source">;
}

/** Adds a `ModelMessage`, the form that the AI SDK sends to a model. */
export function addModelMessage(message: ForeignObject, entry: AiSdkEntry): void {
  const { draft, place } = entry;
  if (message.role === "assistant") addAssistant(message, entry);
  else if (message.role === "tool") addResults(message, entry);
  else {
    const role = message.role === "system" ? "system" : "user";
    draft.add({ ...place, role, parts: aiSdkParts(message.content), ...metadataOf(message) });
  }
}

function addAssistant(message: ForeignObject, { draft, place }: AiSdkEntry): void {
  const content = listOf(message.content);
  const parts =
    content?.map((value, index): Part => {
      const part = objectOf(value);
      // A call that ran at the provider has its result here too: both are passed on unchanged, so that the pair stays
      // intact.
      if (part?.type !== "tool-call" || part.providerExecuted === true) return aiSdkPart(value);
      const standIn = `call-${place.source.line}${place.source.path ?? ""}-${index}`;
      return aiSdkCall(part, textOf(part.toolName) ?? "", draft, standIn);
    }) ?? aiSdkParts(message.content);
  const messageId = draft.add({ ...place, role: "assistant", parts, ...metadataOf(message) });
  if (compactionIn(parts)) draft.compactions.push({ messageId, trigger: "server" });
}

/**
 * Adds each result as a separate message; anything else in the message, such as an approval, is attributed to the
 * harness.
 */
function addResults(message: ForeignObject, { draft, place }: AiSdkEntry): void {
  const content = listOf(message.content) ?? [];
  const rest: Part[] = [];
  let results = 0;
  for (const [index, value] of content.entries()) {
    const part = objectOf(value);
    if (part?.type !== "tool-result") {
      rest.push(opaquePart("ai-sdk", value));
      continue;
    }
    const id = results === 0 ? place.id : `${place.id}.${results}`;
    draft.add({ ...place, id, role: "tool", parts: [aiSdkResult(part, draft, place.source, index)] });
    results++;
  }
  if (rest.length === 0 && results > 0) return;
  draft.add({
    ...place,
    id: results === 0 ? place.id : `${place.id}.rest`,
    role: "user",
    parts: rest,
    origin: "harness",
  });
}

/** Parts of UI messages that are never sent to a model. */
const NON_PROMPT = /^(?:step-start|source-url|source-document|source|data-.*)$/;

/**
 * Adds a `UIMessage`, the form that the AI SDK shows and stores. An assistant message contains all steps of its turn,
 * with the results.
 */
export function addUiMessage(message: ForeignObject, entry: AiSdkEntry): void {
  const { draft, place } = entry;
  const parts = listOf(message.parts) ?? [];
  if (message.role === "assistant") return addSteps(message, stepsOf(parts), entry);
  const sent = parts.filter((part) => !NON_PROMPT.test(textOf(objectOf(part)?.type) ?? ""));
  draft.add({ ...place, role: message.role === "system" ? "system" : "user", parts: sent.map(aiSdkPart) });
}

function addSteps(message: ForeignObject, steps: readonly (readonly unknown[])[], { draft, place }: AiSdkEntry): void {
  const metadata = objectOf(message.metadata);
  const usage = steps.length === 1 ? uiUsage(metadata?.usage) : undefined;
  const model = nonEmptyText(metadata?.model) ?? nonEmptyText(metadata?.modelId);
  for (const [index, step] of steps.entries()) {
    const results: { readonly call: ToolCallPart; readonly part: ForeignObject }[] = [];
    const parts = step.map((value, position): Part => {
      const part = objectOf(value);
      const toolName = part && toolNameOf(part);
      if (part === undefined || toolName === undefined || part.providerExecuted === true) return aiSdkPart(value);
      const call = readCall(part, toolName, draft, `call-${place.id}-${index}-${position}`);
      results.push({ call, part });
      return call;
    });
    const id = index === 0 ? place.id : `${place.id}.step-${index + 1}`;
    const own = { ...(model !== undefined && { model }), ...(usage && { usage }) };
    const messageId = draft.add({ ...place, id, role: "assistant", parts, ...own });
    if (compactionIn(parts)) draft.compactions.push({ messageId, trigger: "server" });
    addStepResults(results, messageId, { draft, place });
  }
}

function addStepResults(
  results: readonly { readonly call: ToolCallPart; readonly part: ForeignObject }[],
  messageId: MessageId,
  { draft, place }: AiSdkEntry,
): void {
  for (const [index, { call, part }] of results.entries()) {
    const ended = uiResult(objectOf(part.toolInvocation) ?? part);
    if (ended === undefined) continue;
    const result = { toolName: call.toolName, callId: call.callId, ...ended };
    draft.add({ ...place, id: `${messageId}.result-${index}`, role: "tool", parts: [{ type: "tool-result", result }] });
  }
}

/** Splits parts into model calls: every step but the first begins with a `step-start` part. */
function stepsOf(parts: readonly unknown[]): readonly (readonly unknown[])[] {
  const steps: unknown[][] = [[]];
  for (const value of parts) {
    const type = textOf(objectOf(value)?.type) ?? "";
    if (type === "step-start" && (steps.at(-1)?.length ?? 0) > 0) steps.push([]);
    if (!NON_PROMPT.test(type)) steps.at(-1)?.push(value);
  }
  return steps;
}

function readCall(part: ForeignObject, toolName: string, draft: SessionDraft, standIn: string): ToolCallPart {
  return aiSdkCall(objectOf(part.toolInvocation) ?? part, toolName, draft, standIn);
}

/** Tools known at compile time have their name in the type, others in a field. Version 4 nests both. */
function toolNameOf(part: ForeignObject): string | undefined {
  const type = textOf(part.type) ?? "";
  if (type === "dynamic-tool") return textOf(part.toolName) ?? "";
  if (type === "tool-invocation") return textOf(objectOf(part.toolInvocation)?.toolName) ?? "";
  return type.startsWith("tool-") && part.toolCallId !== undefined ? type.slice("tool-".length) : undefined;
}

/** Usage as the AI SDK reports it, if the program stored it with the message. Input includes cached tokens. */
function uiUsage(value: unknown): Usage | undefined {
  const usage = objectOf(value);
  const inputTokens = countOf(usage?.inputTokens) ?? 0;
  const outputTokens = countOf(usage?.outputTokens) ?? 0;
  if (inputTokens === 0 && outputTokens === 0) return undefined;
  const input = objectOf(usage?.inputTokenDetails);
  return withoutUndefined({
    inputTokens,
    outputTokens,
    cacheReadTokens: countOf(input?.cacheReadTokens) ?? countOf(usage?.cachedInputTokens),
    cacheWriteTokens: countOf(input?.cacheWriteTokens),
    reasoningTokens: countOf(objectOf(usage?.outputTokenDetails)?.reasoningTokens) ?? countOf(usage?.reasoningTokens),
  } as Usage);
}
