import type { JsonObject, JsonValue, ToolCallId, ToolCallPart, ToolDefinition } from "@threadfold/core";
import { type ForeignObject, listOf, nonEmptyText, objectOf, parseJson, textOf } from "../reading/foreign-value.ts";
import type { SourcePointer } from "../reading/source-records.ts";
import type { SessionDraft } from "../session/session-draft.ts";
import { providerExtras, readTools } from "../session/shared-readers.ts";

const TOOL_FIELDS = new Set(["name", "description", "parameters"]);

/** The `tools` of an OpenAI Chat request, or its older `functions`. */
export function openaiTools(tools: unknown, draft: SessionDraft): readonly ToolDefinition[] {
  return readTools(tools, draft, (tool): ToolDefinition | undefined => {
    const described = objectOf(tool.function) ?? tool;
    const name = nonEmptyText(described.name);
    if (name === undefined) return undefined;
    const description = textOf(described.description);
    return {
      name,
      ...(description !== undefined && { description }),
      inputSchema: (objectOf(described.parameters) ?? { type: "object" }) as JsonObject,
      ...providerExtras("openai", described, TOOL_FIELDS),
    };
  });
}

const CALL_FIELDS = new Set(["id", "type", "function", "index"]);

/** The calls of an assistant message: `tool_calls`, and the single `function_call` of older logs. */
export function openaiCalls(message: ForeignObject, draft: SessionDraft, at: SourcePointer): readonly ToolCallPart[] {
  const calls = (listOf(message.tool_calls) ?? []).map((call) => objectOf(call) ?? {});
  const legacy = objectOf(message.function_call);
  const all = legacy === undefined ? calls : [...calls, { function: legacy }];
  return all.map((call, index) => readCall(call, draft, at, `call-${at.line}${at.path ?? ""}-${index}`));
}

function readCall(call: ForeignObject, draft: SessionDraft, at: SourcePointer, standIn: string): ToolCallPart {
  const custom = objectOf(call.custom);
  const asked = objectOf(call.function) ?? custom;
  const toolName = textOf(asked?.name) ?? "";
  const callId = draft.calls.open(call.id, toolName, standIn);
  return {
    type: "tool-call",
    callId,
    toolName,
    ...(custom !== undefined
      ? { input: (custom.input ?? "") as JsonValue }
      : readArguments(asked?.arguments, callId, draft, at)),
    ...providerExtras("openai", call, CALL_FIELDS),
  };
}

/**
 * Reads the arguments of a call. They are a JSON text, or the object itself in logs that parsed it. No text at all is
 * how some models call without arguments.
 */
export function readArguments(
  value: unknown,
  callId: ToolCallId,
  draft: SessionDraft,
  at: SourcePointer,
): { readonly input: JsonValue; readonly invalidInput?: string } {
  const text = textOf(value);
  if (text === undefined) return { input: (value ?? {}) as JsonValue };
  if (text === "") return { input: {} };
  const parsed = parseJson(text);
  if (parsed.ok) return { input: parsed.value as JsonValue };
  draft.warnings.push({ kind: "invalid-arguments", at, callId });
  return { input: text, invalidInput: text };
}
