import type {
  JsonValue,
  MediaPart,
  Part,
  ReasoningPart,
  ToolCallId,
  ToolCallPart,
  ToolResultPart,
} from "@threadfold/core";
import { sourceOfUrl } from "../openai-chat/openai-parts.ts";
import { type ForeignObject, listOf, nonEmptyText, objectOf, textOf, utcTime } from "../reading/foreign-value.ts";
import type { SessionDraft } from "../session/session-draft.ts";
import { providerOptions } from "../session/shared-readers.ts";
import type { OpencodeRow } from "./opencode-session.ts";

/** The texts that the model is sent for a compaction, and for a task that the user gave to a sub-agent. */
const COMPACTION_QUESTION = "What did we do so far?";
const SUBTASK_NOTE = "The following tool was executed by the user";

/** Files of these types are not sent: separate parts contain their text. */
const READ_AS_TEXT = new Set(["text/plain", "application/x-directory"]);

/** Parts of the types that OpenCode writes: those that a model may be sent, and what it keeps for itself. */
const KNOWN: ReadonlySet<unknown> = new Set([
  ...["text", "reasoning", "file", "tool", "compaction", "subtask"],
  ...["step-start", "step-finish", "snapshot", "patch", "retry", "agent"],
]);

export const isKnownPart = ({ type }: ForeignObject): boolean => KNOWN.has(type);

/**
 * Converts a message part that the model is sent; undefined for one that it is not sent (steps, snapshots, patches,
 * retries).
 */
export function opencodePart(data: ForeignObject, provider: string): Part | undefined {
  switch (data.type) {
    case "text":
      return readText(data);
    case "reasoning":
      return readReasoning(data, provider);
    case "file":
      return readFile(data);
    case "compaction":
      return { type: "text", text: COMPACTION_QUESTION };
    case "subtask":
      return { type: "text", text: SUBTASK_NOTE };
    default:
      return undefined;
  }
}

function readText(data: ForeignObject): Part | undefined {
  const text = textOf(data.text);
  if (text === undefined || data.ignored === true) return undefined;
  return { type: "text", text, ...providerOptions(data.metadata) };
}

function readReasoning(data: ForeignObject, provider: string): ReasoningPart {
  const { providerMetadata } = providerOptions(data.metadata);
  const owner = Object.keys(providerMetadata ?? {})[0] ?? provider;
  const own = providerMetadata?.[owner];
  const signature = nonEmptyText(own?.signature) ?? nonEmptyText(own?.thoughtSignature);
  const encrypted = nonEmptyText(own?.reasoningEncryptedContent) ?? nonEmptyText(own?.redactedData);
  return {
    type: "reasoning",
    text: textOf(data.text) ?? "",
    provider: owner,
    ...(signature !== undefined && { signature }),
    ...(encrypted !== undefined && { encrypted }),
    ...(providerMetadata && { providerMetadata }),
  };
}

/** Reads a file that is sent, with its bytes in the URL or stored elsewhere. */
function readFile(data: ForeignObject): MediaPart | undefined {
  const [url, mediaType] = [textOf(data.url), textOf(data.mime)];
  if (url === undefined || READ_AS_TEXT.has(mediaType ?? "")) return undefined;
  const name = nonEmptyText(data.filename);
  return {
    type: mediaType?.startsWith("image/") === true ? "image" : "file",
    source: sourceOfUrl(url),
    ...(name !== undefined && { name }),
  };
}

/** Checks whether OpenCode, rather than the user, wrote the part. */
export const isSynthetic = (data: ForeignObject): boolean =>
  data.synthetic === true || data.type === "compaction" || data.type === "subtask";

/** Checks whether a message is a summary. One that failed or was stopped does not count: OpenCode goes on without it. */
export function isSummary({ summary, error, finish, time }: ForeignObject): boolean {
  if (summary !== true || objectOf(error) !== undefined) return false;
  return time === undefined || finish !== undefined || objectOf(time)?.completed !== undefined;
}

/**
 * A tool part of OpenCode: the call and, once available, its result. Both are in one part, so they are never separated.
 */
export interface OpencodeTool {
  readonly call: ToolCallPart;
  readonly result: ToolResultPart | undefined;
  /** When OpenCode began to send a placeholder instead of the result; the log still has the result. */
  readonly prunedAt: string | undefined;
}

/** Statuses of calls that have a result. */
const ENDED = new Set(["completed", "error"]);

export function opencodeTool({ data, at, id }: OpencodeRow, draft: SessionDraft): OpencodeTool {
  const state = objectOf(data.state) ?? {};
  const toolName = textOf(data.tool) ?? "";
  const callId = draft.calls.open(data.callID, toolName, `call-${id ?? at.line}`);
  const time = objectOf(state.time);
  const call: ToolCallPart = {
    type: "tool-call",
    callId,
    toolName,
    input: (state.input ?? {}) as JsonValue,
    ...providerOptions(data.metadata),
  };
  const result = ENDED.has(textOf(state.status) ?? "") ? readResult(callId, toolName, state, time) : undefined;
  return { call, result, prunedAt: utcTime(time?.compacted) };
}

function readResult(
  callId: ToolCallId,
  toolName: string,
  state: ForeignObject,
  time: ForeignObject | undefined,
): ToolResultPart {
  const isError = state.status === "error";
  const printed = isError ? printedBefore(state.metadata) : textOf(state.output);
  const text = printed ?? (isError ? textOf(state.error) : undefined) ?? "";
  const attachments = (listOf(state.attachments) ?? []).flatMap((file) => readFile(objectOf(file) ?? {}) ?? []);
  const [startedAt, completedAt] = [utcTime(time?.start), utcTime(time?.end)];
  return {
    type: "tool-result",
    result: {
      callId,
      toolName,
      outcome:
        isError && printed !== undefined ? "partial" : isError || hasFailed(state.metadata) ? "failure" : "success",
      content:
        attachments.length === 0
          ? { type: "text", text }
          : { type: "blocks", blocks: [{ type: "text", text }, ...attachments] },
      ...(startedAt !== undefined && { startedAt }),
      ...(completedAt !== undefined && { completedAt }),
    },
  };
}

/** What a call had printed when it was interrupted, which the model is sent in the place of the error. */
function printedBefore(metadata: unknown): string | undefined {
  const { interrupted, output } = objectOf(metadata) ?? {};
  return interrupted === true ? textOf(output) : undefined;
}

/** A command's exit code stands only beside its output. It is null when the command was killed. */
function hasFailed(metadata: unknown): boolean {
  const exit = objectOf(metadata)?.exit;
  return exit === null || (typeof exit === "number" && exit !== 0);
}
