import type { JsonValue, ToolCallPart, ToolOutcomeStatus, ToolResultContent, ToolResultPart } from "@threadfold/core";
import type { SessionDraft } from "../draft/session-draft.ts";
import { toolResultContent } from "../draft/tool-result-content.ts";
import { type ForeignObject, listOf, objectOf, textOf } from "../reading/foreign-value.ts";
import type { SourcePointer } from "../source-pointer.ts";
import { aiSdkPart, metadataOf } from "./ai-sdk-parts.ts";

/** Kinds of output that tell of a failure. */
const FAILURES = new Set(["error-text", "error-json", "execution-denied"]);

/** A call of a tool. Versions before 5 call its input `args`. */
export function aiSdkCall(part: ForeignObject, toolName: string, draft: SessionDraft, standIn: string): ToolCallPart {
  return {
    type: "tool-call",
    callId: draft.calls.open(part.toolCallId, toolName, standIn),
    toolName,
    input: (part.input ?? part.rawInput ?? part.args ?? {}) as JsonValue,
    ...metadataOf(part),
  };
}

/** The result of a call in a message of role tool. Versions before 5 have it as `result`. */
export function aiSdkResult(
  part: ForeignObject,
  draft: SessionDraft,
  at: SourcePointer,
  index: number,
): ToolResultPart {
  const standIn = `result-${at.line}${at.path ?? ""}-${index}`;
  const output = objectOf(part.output);
  const failed = FAILURES.has(textOf(output?.type) ?? "") || part.isError === true;
  return {
    type: "tool-result",
    result: {
      ...draft.calls.answer(part.toolCallId, textOf(part.toolName), standIn),
      outcome: failed ? "failure" : "success",
      content: output === undefined ? toolResultContent(part.output ?? part.result, aiSdkPart) : outputContent(output),
    },
    ...metadataOf(part),
  };
}

/** What a tool part of a message for the screen says of its result; undefined while there is none. */
export function uiResult(
  part: ForeignObject,
): { readonly outcome: ToolOutcomeStatus; readonly content: ToolResultContent } | undefined {
  const state = textOf(part.state);
  if (state === "output-available" || state === "result")
    return { outcome: "success", content: toolResultContent(part.output ?? part.result, aiSdkPart) };
  if (state === "output-error")
    return { outcome: "failure", content: { type: "text", text: textOf(part.errorText) ?? "" } };
  if (state !== "output-denied") return undefined;
  return { outcome: "failure", content: { type: "text", text: textOf(objectOf(part.approval)?.reason) ?? "" } };
}

function outputContent(output: ForeignObject): ToolResultContent {
  switch (output.type) {
    case "text":
    case "error-text":
      return { type: "text", text: textOf(output.value) ?? "" };
    case "json":
    case "error-json":
      return { type: "json", value: (output.value ?? null) as JsonValue };
    case "content":
      return toolResultContent((listOf(output.value) ?? []).map(contentBlock), aiSdkPart);
    case "execution-denied":
      return { type: "text", text: textOf(output.reason) ?? "" };
    default:
      return { type: "json", value: output as JsonValue };
  }
}

/** Media in an output, as the parts that messages have: several names are in use for one thing. */
function contentBlock(value: unknown): unknown {
  const block = objectOf(value);
  const type = textOf(block?.type);
  if (block === undefined || type === undefined || type === "text") return value;
  if (type.startsWith("image")) return { ...block, type: "image", image: block.data ?? block.url };
  return type === "media" || type.startsWith("file") ? { ...block, type: "file" } : value;
}
