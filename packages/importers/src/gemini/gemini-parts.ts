import {
  type JsonValue,
  type MediaPart,
  type MediaSource,
  type Part,
  type ReasoningPart,
  type TextPart,
  type ToolCallPart,
  type ToolResultContent,
  type ToolResultPart,
  toWellFormedJson,
} from "@threadfold/core";
import { type ForeignObject, listOf, nonEmptyText, objectOf, textOf } from "../reading/foreign-value.ts";
import type { SourcePointer } from "../reading/source-records.ts";
import type { SessionDraft } from "../session/session-draft.ts";
import { opaquePart, providerExtras } from "../session/shared-readers.ts";

/** The provider's name in metadata, as in the AI SDK. */
const GOOGLE = "google";

const TEXT_FIELDS = new Set(["text", "thought"]);
const THOUGHT_FIELDS = new Set(["text", "thought", "thoughtSignature"]);
const MEDIA_FIELDS = new Set(["inlineData", "fileData"]);
const CALL_FIELDS = new Set(["functionCall"]);

/**
 * Reads a part of Gemini's `Content` that is neither a call nor a response. A part without an equivalent in core
 * becomes an opaque one.
 */
export function geminiPart(value: unknown): Part {
  if (typeof value === "string") return { type: "text", text: value };
  const part = objectOf(value);
  const text = textOf(part?.text);
  if (part !== undefined && text !== undefined)
    return part.thought === true ? readThought(part, text) : readText(part, text);
  return (part && readMedia(part)) ?? opaquePart(GOOGLE, value);
}

/** Returns the parts of a `Content`; a bare text is one part. */
export const geminiPartsOf = (parts: unknown): readonly unknown[] =>
  listOf(parts) ?? (parts === undefined || parts === null ? [] : [parts]);

const readText = (part: ForeignObject, text: string): TextPart => ({
  type: "text",
  text,
  ...providerExtras(GOOGLE, part, TEXT_FIELDS),
});

function readThought(part: ForeignObject, text: string): ReasoningPart {
  const signature = nonEmptyText(part.thoughtSignature);
  return {
    type: "reasoning",
    text,
    provider: GOOGLE,
    ...(signature !== undefined && { signature }),
    ...providerExtras(GOOGLE, part, THOUGHT_FIELDS),
  };
}

function readMedia(part: ForeignObject): MediaPart | undefined {
  const source = mediaSource(part);
  if (source === undefined) return undefined;
  const mediaType = "mediaType" in source ? (source.mediaType ?? "") : "";
  return {
    type: mediaType.startsWith("image/") ? "image" : "file",
    source,
    ...providerExtras(GOOGLE, part, MEDIA_FIELDS),
  };
}

function mediaSource(part: ForeignObject): MediaSource | undefined {
  const [inline, file] = [objectOf(part.inlineData), objectOf(part.fileData)];
  const mediaType = textOf(inline?.mimeType) ?? textOf(file?.mimeType);
  const [data, url] = [textOf(inline?.data), textOf(file?.fileUri)];
  if (data !== undefined && mediaType !== undefined) return { kind: "base64", mediaType, data };
  return url === undefined ? undefined : { kind: "url", url, ...(mediaType !== undefined && { mediaType }) };
}

/** Converts a model turn to parts: function calls become calls, other parts are read by {@link geminiPart}. */
export function geminiModelParts(parts: unknown, draft: SessionDraft, at: SourcePointer): readonly Part[] {
  return geminiPartsOf(parts).map((value, index) => {
    const part = objectOf(value);
    const call = objectOf(part?.functionCall);
    if (part === undefined || call === undefined) return geminiPart(value);
    return readCall(part, call, draft, `call-${at.line}${at.path ?? ""}-${index}`);
  });
}

function readCall(part: ForeignObject, call: ForeignObject, draft: SessionDraft, standIn: string): ToolCallPart {
  const toolName = textOf(call.name) ?? "";
  return {
    type: "tool-call",
    callId: draft.calls.open(call.id, toolName, standIn),
    toolName,
    input: (call.args ?? {}) as JsonValue,
    ...providerExtras(GOOGLE, part, CALL_FIELDS),
  };
}

/** A user turn, split up: in Threadfold each function response is a separate message. */
interface GeminiUserTurn {
  readonly results: readonly ToolResultPart[];
  /** Everything else in the turn, in order. */
  readonly rest: readonly Part[];
}

export function geminiUserTurn(parts: unknown, draft: SessionDraft, at: SourcePointer): GeminiUserTurn {
  const results: ToolResultPart[] = [];
  const rest: Part[] = [];
  for (const value of geminiPartsOf(parts)) {
    const response = objectOf(objectOf(value)?.functionResponse);
    if (response === undefined) rest.push(geminiPart(value));
    else results.push(geminiResult(response, draft, `result-${at.line}${at.path ?? ""}-${results.length}`));
  }
  return { results, rest };
}

/** Converts a `functionResponse` to the result of its call. */
function geminiResult(response: ForeignObject, draft: SessionDraft, standIn: string): ToolResultPart {
  const said = objectOf(response.response) ?? {};
  const hasFailed = "error" in said;
  return {
    type: "tool-result",
    result: {
      ...draft.calls.answer(response.id, nonEmptyText(response.name), standIn),
      outcome: hasFailed ? "failure" : "success",
      content: contentOf(hasFailed ? said.error : "output" in said ? said.output : said, response.parts),
    },
  };
}

/** The content of a response, with the media that accompany it. */
function contentOf(said: unknown, parts: unknown): ToolResultContent {
  const media = geminiPartsOf(parts).flatMap((value) => {
    const part = objectOf(value);
    return (part && readMedia(part)) ?? [];
  });
  if (media.length > 0) return { type: "blocks", blocks: [...textBlocks(said), ...media] };
  return typeof said === "string" ? { type: "text", text: said } : { type: "json", value: (said ?? null) as JsonValue };
}

function textBlocks(said: unknown): readonly TextPart[] {
  const text = typeof said === "string" ? said : JSON.stringify(toWellFormedJson(said));
  return text === "" || text === "{}" ? [] : [{ type: "text", text }];
}
