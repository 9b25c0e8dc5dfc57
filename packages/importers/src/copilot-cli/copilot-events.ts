import type {
  JsonValue,
  MediaPart,
  Part,
  ReasoningPart,
  TextPart,
  ToolCallPart,
  ToolResultPart,
  Usage,
} from "@threadfold/core";
import { anthropicPart } from "../anthropic-messages/anthropic-parts.ts";
import { readArguments } from "../openai-chat/openai-tools.ts";
import { responseReasoning } from "../openai-responses/response-parts.ts";
import {
  countOf,
  type ForeignObject,
  listOf,
  nonEmptyText,
  objectOf,
  textOf,
  withoutUndefined,
} from "../reading/foreign-value.ts";
import type { SourcePointer, SourceRecord } from "../reading/source-records.ts";
import type { SessionDraft } from "../session/session-draft.ts";
import { shortId } from "../session/session-ids.ts";
import { opaquePart } from "../session/shared-readers.ts";

/** An event of a session, as `session-events.ts` of https://github.com/github/copilot-sdk defines it. */
export interface CopilotEvent {
  readonly type: string;
  readonly data: ForeignObject;
  readonly line: number;
  readonly id: string;
  readonly time: unknown;
  /** The branch of a sub-agent's events; undefined for the session's own. */
  readonly branch: string | undefined;
  /** Set for an event that is only streamed, and says again what another event says. */
  readonly isTransient: boolean;
}

/** Converts a record to an event; undefined when it has no type or no data. */
export function copilotEvent({ value, line }: SourceRecord): CopilotEvent | undefined {
  const fields = objectOf(value);
  const [type, data] = [textOf(fields?.type), objectOf(fields?.data)];
  if (fields === undefined || type === undefined || data === undefined) return undefined;
  const id = nonEmptyText(fields.id) ?? `copilot-${line}`;
  const agent = nonEmptyText(fields.agentId) ?? nonEmptyText(data.parentToolCallId) ?? reviewOf(data);
  const branch = agent === undefined ? undefined : `sidechain/${shortId(agent)}`;
  return { type, data, line, id, time: fields.timestamp, branch, isTransient: fields.ephemeral === true };
}

/** The phase of a review that several models hold beside the conversation. */
function reviewOf({ fusion }: ForeignObject): string | undefined {
  const { conversationScope, phaseId } = objectOf(fusion) ?? {};
  return conversationScope === "review" ? (nonEmptyText(phaseId) ?? "review") : undefined;
}

/** What events say that other events refer to. */
export interface CopilotReferences {
  /** Bytes, by the id of the asset. */
  readonly assets: ReadonlyMap<unknown, ForeignObject>;
  /** By the id of the model call. */
  readonly usages: ReadonlyMap<unknown, Usage>;
  /** The ids of the calls that answers ask for. */
  readonly asked: ReadonlySet<unknown>;
}

export function copilotReferences(events: readonly (CopilotEvent | undefined)[]): CopilotReferences {
  const assets = new Map<unknown, ForeignObject>();
  const usages = new Map<unknown, Usage>();
  const asked = new Set<unknown>();
  for (const event of events) {
    const { type, data }: Pick<CopilotEvent, "type" | "data"> = event ?? { type: "", data: {} };
    const usage = type === "assistant.usage" ? copilotUsage(data) : undefined;
    if (usage !== undefined) usages.set(data.apiCallId, usage);
    if (type === "session.binary_asset") assets.set(data.assetId, data);
    if (type === "assistant.message") for (const { toolCallId } of callRequests(data)) asked.add(toolCallId);
  }
  return { assets, usages, asked };
}

/** Usage as Copilot writes it: the input includes what was read from the cache. */
function copilotUsage(data: ForeignObject): Usage | undefined {
  const [inputTokens, outputTokens] = [countOf(data.inputTokens), countOf(data.outputTokens) ?? 0];
  if (inputTokens === undefined || nonEmptyText(data.apiCallId) === undefined) return undefined;
  return withoutUndefined({
    ...{ inputTokens, outputTokens },
    cacheReadTokens: countOf(data.cacheReadTokens),
    cacheWriteTokens: countOf(data.cacheWriteTokens),
    reasoningTokens: countOf(data.reasoningTokens),
  } as Usage);
}

/** Reads an answer: its thoughts, what the provider's own tools did, its text and its calls. */
export function answerParts(data: ForeignObject, draft: SessionDraft, at: SourcePointer): readonly Part[] {
  const said = nonEmptyText(data.content);
  return [
    ...thoughtsOf(data),
    ...serverItems(objectOf(data.serverTools)),
    ...(said === undefined ? [] : [{ type: "text" as const, text: said }]),
    ...callRequests(data).map((request, index) => readCall(request, draft, at, `call-${at.line}-${index}`)),
  ];
}

/** The provider's own blocks or, without them, the readable text beside what only Copilot can send back. */
function thoughtsOf(data: ForeignObject): readonly Part[] {
  const kept = objectOf(data.reasoningBlocks);
  const blocks = (listOf(kept?.blocks) ?? []).map(objectOf).filter((block) => block !== undefined);
  if (blocks.length > 0) return blocks.map((block) => readThought(block, textOf(kept?.provider) ?? "copilot"));
  const text = textOf(data.reasoningText) ?? "";
  const encrypted = nonEmptyText(data.reasoningOpaque) ?? nonEmptyText(data.encryptedContent);
  if (text === "" && encrypted === undefined) return [];
  const thought: ReasoningPart = { type: "reasoning", text, provider: "copilot" };
  return [encrypted === undefined ? thought : { ...thought, encrypted }];
}

function readThought(block: ForeignObject, provider: string): Part {
  if (block.type === "reasoning" && provider === "openai") return responseReasoning(block);
  return provider === "anthropic" ? anthropicPart(block) : opaquePart(provider, block);
}

/** Types of blocks that an answer's other fields have, too. */
const SAID_ELSEWHERE: ReadonlySet<unknown> = new Set(["text", "thinking", "redacted_thinking", "tool_use"]);

/** What the provider's own tools did, in the provider's form. */
function serverItems(tools: ForeignObject | undefined): readonly Part[] {
  const provider = nonEmptyText(tools?.provider) ?? "copilot";
  return [...(listOf(tools?.items) ?? []), ...(listOf(tools?.rawContentBlocks) ?? [])]
    .filter((block) => !SAID_ELSEWHERE.has(objectOf(block)?.type))
    .map((block) => opaquePart(provider, block));
}

/** The calls that an answer asks for. */
const callRequests = ({ toolRequests }: ForeignObject): readonly ForeignObject[] =>
  (listOf(toolRequests) ?? []).map(objectOf).filter((request) => request !== undefined);

/** Reads a call, as an answer asks for it or as it was executed. */
export function readCall(
  { toolCallId, name, toolName = name, arguments: given, type }: ForeignObject,
  draft: SessionDraft,
  at: SourcePointer,
  standIn: string,
): ToolCallPart {
  const tool = textOf(toolName) ?? "";
  const callId = draft.calls.open(toolCallId, tool, standIn);
  const input = type === "custom" ? { input: (given ?? "") as JsonValue } : readArguments(given, callId, draft, at);
  return { type: "tool-call", callId, toolName: tool, ...input };
}

/** Reads what a call returned, as the model was sent it: the detailed content is for the screen. */
export function readResult(
  { toolCallId, result, error, success }: ForeignObject,
  { assets }: CopilotReferences,
  draft: SessionDraft,
  standIn: string,
): ToolResultPart {
  const returned = objectOf(result);
  const text = nonEmptyText(returned?.content ?? result) ?? textOf(objectOf(error)?.message ?? error) ?? "";
  const media = (listOf(returned?.binaryResultsForLlm) ?? []).flatMap((binary) => mediaOf(binary, assets));
  const said: readonly TextPart[] = text === "" ? [] : [{ type: "text", text }];
  return {
    type: "tool-result",
    result: {
      ...draft.calls.answer(toolCallId, undefined, standIn),
      outcome: success === false ? "failure" : "success",
      content: media.length === 0 ? { type: "text", text } : { type: "blocks", blocks: [...said, ...media] },
    },
  };
}

/** The bytes of an attachment or of a result, in place or in an event of their own; none when the log lacks them. */
function mediaOf(value: unknown, assets: CopilotReferences["assets"]): readonly MediaPart[] {
  const fields = objectOf(value);
  const asset = assets.get(fields?.assetId);
  const [data, mediaType] = [fields?.data ?? asset?.data, fields?.mimeType ?? asset?.mimeType].map(nonEmptyText);
  if (data === undefined || mediaType === undefined) return [];
  const name = nonEmptyText(fields?.displayName);
  return [
    {
      type: mediaType.startsWith("image/") ? "image" : "file",
      source: { kind: "base64", mediaType, data },
      ...(name !== undefined && { name }),
    },
  ];
}

/** What a user attached: the media, and a text for each other attachment that the sent text does not have already. */
export function readAttachments(
  attachments: unknown,
  sent: string,
  { assets }: CopilotReferences,
): { readonly media: readonly MediaPart[]; readonly texts: readonly TextPart[] } {
  const media: MediaPart[] = [];
  const texts: TextPart[] = [];
  for (const attachment of listOf(attachments) ?? []) {
    const bytes = mediaOf(attachment, assets);
    media.push(...bytes);
    const text = bytes.length > 0 ? undefined : attachedText(objectOf(attachment) ?? {}, sent);
    if (text !== undefined) texts.push({ type: "text", text });
  }
  return { media, texts };
}

/** The fields that name an attachment, the best first. */
const NAMES = ["taggedFilesEntry", "filePath", "path", "url", "title", "displayName"];

function attachedText(attachment: ForeignObject, sent: string): string | undefined {
  const name = NAMES.map((field) => nonEmptyText(attachment[field])).find((text) => text !== undefined);
  const selected = nonEmptyText(attachment.text);
  if (name === undefined || sent.includes(selected ?? name)) return undefined;
  return selected === undefined ? name : `${name}\n\n${selected}`;
}

/** Sources of messages that Copilot itself wrote: each is followed by what it is about. */
const OF_PROGRAM = /^(?:system$|(?:agent|system|schedule|skill|embedding|instruction)-)/;

/** Checks whether a person typed a message. */
export function isTyped({ source, isAutopilotContinuation, crossSession, content }: ForeignObject): boolean {
  if (isAutopilotContinuation === true || objectOf(crossSession) !== undefined) return false;
  return !OF_PROGRAM.test(textOf(source) ?? "") && !textOf(content)?.startsWith("<skill-context");
}
