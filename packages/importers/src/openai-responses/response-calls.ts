import type { JsonValue, ToolCallPart, ToolOutcomeStatus, ToolResultPart } from "@threadfold/core";
import type { SessionDraft } from "../draft/session-draft.ts";
import { toolResultContent } from "../draft/tool-result-content.ts";
import { readArguments } from "../openai-chat/openai-calls.ts";
import { countOf, type ForeignObject, objectOf, textOf } from "../reading/foreign-value.ts";
import { parseJson } from "../reading/parse-json.ts";
import type { SourcePointer } from "../source-pointer.ts";
import { itemMetadata } from "./item-metadata.ts";
import { responsePart } from "./response-content.ts";

const CALL_FIELDS = ["type", "call_id", "name", "arguments", "function"];
/** Calls of other types keep their type, so that they go back as what they were. */
const TYPED_CALL_FIELDS = ["call_id", "name", "input", "action", "status"];
const RESULT_FIELDS = ["type", "call_id", "output", "name", "result", "success"];
const TYPED_RESULT_FIELDS = ["call_id", "output", "name", "status"];

/** How Codex begins the output of a command. */
const EXIT_CODE = /^Exit code: (\d{1,5})\n/;

/** An item by which the model calls a tool of the client, as a part. */
export function responseCall(item: ForeignObject, draft: SessionDraft, at: SourcePointer): ToolCallPart {
  const isLocalShell = item.type === "local_shell_call";
  const isTyped = isLocalShell || item.type === "custom_tool_call";
  const described = objectOf(item.function);
  const toolName = textOf(item.name) ?? textOf(described?.name) ?? (isLocalShell ? "local_shell" : "");
  const callId = draft.calls.open(item.call_id, toolName, `call-${at.line}${at.path ?? ""}`);
  const input = isLocalShell ? item.action : item.input;
  return {
    type: "tool-call",
    callId,
    toolName,
    ...(isTyped
      ? { input: (input ?? "") as JsonValue }
      : readArguments(item.arguments ?? described?.arguments, callId, draft, at)),
    ...itemMetadata(item, isTyped ? TYPED_CALL_FIELDS : CALL_FIELDS),
  };
}

/** An item that answers such a call, as a part. */
export function responseResult(item: ForeignObject, draft: SessionDraft, at: SourcePointer): ToolResultPart {
  const isTyped = item.type === "custom_tool_call_output" || item.type === "local_shell_call_output";
  const output = item.output ?? item.result;
  const body = objectOf(output);
  // Codex wrote `{content, success}` for a while; a single block stands for a list of one.
  const content = textOf(body?.content) ?? (body !== undefined && textOf(body.type) !== undefined ? [body] : output);
  return {
    type: "tool-result",
    result: {
      ...draft.calls.answer(item.call_id, textOf(item.name), `result-${at.line}${at.path ?? ""}`),
      outcome: outcomeOf(item, output),
      content: toolResultContent(content, responsePart),
    },
    ...itemMetadata(item, isTyped ? TYPED_RESULT_FIELDS : RESULT_FIELDS),
  };
}

/** Nothing on the wire says whether a tool failed; Codex writes the exit code of commands in one of several ways. */
function outcomeOf(item: ForeignObject, output: unknown): ToolOutcomeStatus {
  const body = objectOf(output) ?? bodyIn(output);
  const exitCode = countOf(objectOf(body?.metadata)?.exit_code) ?? countOf(body?.exitCode) ?? exitCodeIn(output);
  const failed = item.success === false || body?.success === false || (exitCode ?? 0) !== 0;
  return failed ? "failure" : "success";
}

function bodyIn(output: unknown): ForeignObject | undefined {
  const text = textOf(output);
  if (text === undefined || !text.startsWith('{"output":')) return undefined;
  const parsed = parseJson(text);
  return parsed.ok ? objectOf(parsed.value) : undefined;
}

function exitCodeIn(output: unknown): number | undefined {
  const match = EXIT_CODE.exec(textOf(output)?.slice(0, 40) ?? "");
  return match === null ? undefined : Number(match[1]);
}
