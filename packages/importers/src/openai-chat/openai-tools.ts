import type { JsonObject, JsonValue, ToolCallId, ToolCallPart, ToolDefinition } from "@threadfold/core";
import { type ForeignObject, listOf, nonEmptyText, objectOf, parseJson, textOf } from "../reading/foreign-value.ts";
import type { SourcePointer } from "../reading/source-records.ts";
import type { SessionDraft } from "../session/session-draft.ts";
import { providerExtras, readTools } from "../session/shared-readers.ts";

const TOOL_FIELDS = new Set(["name", "description", "parameters"]);

/** Reads the `tools` of an OpenAI Chat request, or its older `functions`. */
export const openaiTools = (tools: unknown, draft: SessionDraft): readonly ToolDefinition[] =>
  readTools(tools, draft, (tool) => describedTool(objectOf(tool.function) ?? tool));

/**
 * Reads the `tools` of a Responses request. A tool in a namespace keeps the namespace's name and description under
 * `openai`. Tools that run at the provider have no name or schema, and their fields are kept for it.
 */
export function responsesTools(tools: unknown, draft: SessionDraft): readonly ToolDefinition[] {
  const flat = (listOf(tools) ?? []).flatMap((tool) => inNamespace(objectOf(tool)) ?? [tool]);
  return readTools(flat, draft, (tool) => describedTool(objectOf(tool.function) ?? tool) ?? hostedTool(tool));
}

function inNamespace(group: ForeignObject | undefined): readonly unknown[] | undefined {
  const name = nonEmptyText(group?.name);
  if (group?.type !== "namespace" || name === undefined) return undefined;
  const description = nonEmptyText(group.description);
  const namespace = { name, ...(description !== undefined && { description }) };
  return (listOf(group.tools) ?? []).map((tool) => {
    const fields = objectOf(tool);
    return fields === undefined ? tool : { ...fields, namespace };
  });
}

function describedTool(described: ForeignObject): ToolDefinition | undefined {
  const name = nonEmptyText(described.name);
  if (name === undefined) return undefined;
  const description = textOf(described.description);
  return {
    name,
    ...(description !== undefined && { description }),
    inputSchema: (objectOf(described.parameters) ?? { type: "object" }) as JsonObject,
    ...providerExtras("openai", described, TOOL_FIELDS),
  };
}

function hostedTool(tool: ForeignObject): ToolDefinition | undefined {
  const name = nonEmptyText(tool.server_label) ?? nonEmptyText(tool.type);
  if (name === undefined || nonEmptyText(tool.type) === undefined) return undefined;
  return { name, inputSchema: { type: "object" }, ...providerExtras("openai", tool, NO_FIELDS) };
}

const NO_FIELDS: ReadonlySet<string> = new Set();

const CALL_FIELDS = new Set(["id", "type", "function", "index"]);

/** Reads the calls of an assistant message: `tool_calls`, and the single `function_call` of older logs. */
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
    ...providerExtras("openai", { ...call, ...exactArguments(asked?.arguments) }, CALL_FIELDS),
  };
}

/** Matches any number that may have more digits than a double holds. */
const LONG_NUMBER = /\d{16}/;

/**
 * Returns the text of arguments under its own name if reading it changes a number, such as a 64-bit id: the provider
 * gets it back as it was. Otherwise nothing, since the text says no more than the value does.
 */
export function exactArguments(value: unknown): { readonly arguments?: string } {
  const text = textOf(value);
  return text !== undefined && LONG_NUMBER.test(text) && changesNumber(text) ? { arguments: text } : {};
}

function changesNumber(text: string): boolean {
  if (!parseJson(text).ok) return false;
  let isChanged = false;
  const look = (_key: string, value: unknown, { source }: { readonly source?: string }): unknown => {
    isChanged ||= typeof value === "number" && LONG_NUMBER.test(source ?? "") && String(value) !== source;
    return value;
  };
  JSON.parse(text, look as Parameters<typeof JSON.parse>[1]);
  return isChanged;
}

/**
 * Reads the arguments of a call: JSON text, or the object itself in logs that parsed it. Some models send an empty text
 * for a call without arguments.
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
