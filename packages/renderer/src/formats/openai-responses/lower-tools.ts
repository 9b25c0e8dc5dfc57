import {
  type ChatMessage,
  type JsonObject,
  type JsonValue,
  type MediaPart,
  type MediaSource,
  type ProviderMetadata,
  type TextPart,
  type ToolCallPart,
  type ToolDefinition,
  type ToolResultContent,
  type ToolResultPart,
  toolNameOf,
  toolResultText,
} from "@threadfold/core";
import { derivation } from "../../input/derivation.ts";
import { callIn, isFreeTextCall } from "../../neutral/draft.ts";
import { argumentsText, openaiSchema, providerFields } from "../provider-fields.ts";
import { localShellAction } from "./item-ids.ts";
import type {
  ResponsesCaller,
  ResponsesCustomToolCall,
  ResponsesFunctionCall,
  ResponsesInputContent,
  ResponsesInputFile,
  ResponsesInputImage,
  ResponsesLocalShellCall,
  ResponsesLocalShellOutput,
  ResponsesNamedTool,
  ResponsesNamespace,
  ResponsesTool,
  ResponsesToolFormat,
  ResponsesToolOutput,
} from "./wire-types.ts";

/** Lowers a text, image or document to input content, with the cache breakpoint that it came with. */
function lowerContent(part: TextPart | MediaPart): ResponsesInputContent {
  const { prompt_cache_breakpoint: mark } = providerFields(part.providerMetadata, "openai", MARK);
  const content = lowerBare(part);
  return mark === undefined ? content : ({ ...content, prompt_cache_breakpoint: mark } as ResponsesInputContent);
}

/** Lowers content that is said together: a single text without a breakpoint to a string, anything else to a list. */
export function lowerContents(said: readonly (TextPart | MediaPart)[]): string | readonly ResponsesInputContent[] {
  const [first] = said;
  const content = said.map(lowerContent);
  return said.length === 1 && first?.type === "text" && content[0]?.prompt_cache_breakpoint === undefined
    ? first.text
    : content;
}

const MARK = ["prompt_cache_breakpoint"] as const;

function lowerBare(part: TextPart | MediaPart): ResponsesInputContent {
  if (part.type === "text") return { type: "input_text", text: part.text };
  return part.type === "image" ? lowerImage(part) : lowerFile(part);
}

const DETAILS: readonly unknown[] = ["auto", "low", "high", "original"];

function lowerImage({ source, providerMetadata }: MediaPart): ResponsesInputImage {
  const detail = providerMetadata?.["openai"]?.["detail"];
  const known = DETAILS.includes(detail) ? (detail as ResponsesInputImage["detail"]) : "auto";
  return source.kind === "file-id"
    ? { type: "input_image", detail: known, file_id: source.fileId }
    : { type: "input_image", detail: known, image_url: urlOf(source) };
}

function lowerFile({ source, name }: MediaPart): ResponsesInputFile {
  switch (source.kind) {
    case "file-id":
      return { type: "input_file", file_id: source.fileId };
    case "url":
      return { type: "input_file", file_url: source.url };
    case "base64":
      return { type: "input_file", filename: name ?? "document", file_data: urlOf(source) };
  }
}

const urlOf = (source: Exclude<MediaSource, { kind: "file-id" }>): string =>
  source.kind === "url" ? source.url : `data:${source.mediaType};base64,${source.data}`;

export function lowerToolCall(
  part: ToolCallPart,
  id: string | undefined,
): ResponsesFunctionCall | ResponsesCustomToolCall | ResponsesLocalShellCall {
  const action = localShellAction(part);
  if (action !== undefined)
    return {
      type: "local_shell_call",
      ...(id !== undefined && { id }),
      call_id: part.callId,
      action,
      status: "completed",
    };
  const { namespace, caller } = providerFields(part.providerMetadata, "openai", CALL_FIELDS);
  const named = {
    ...(id !== undefined && { id }),
    call_id: part.callId,
    name: part.toolName,
    ...(typeof namespace === "string" && { namespace }),
    ...callerField(caller),
  };
  return isFreeTextCall(part)
    ? { type: "custom_tool_call", ...named, input: freeText(part, null) }
    : { type: "function_call", ...named, arguments: argumentsText(part, null) };
}

const CALL_FIELDS = ["namespace", "caller"] as const;

function callerField(caller: JsonValue | undefined): { readonly caller?: ResponsesCaller } {
  const { type, caller_id } = Object(caller) as JsonObject;
  if (type === "direct") return { caller: { type } };
  return type === "program" && typeof caller_id === "string" ? { caller: { type, caller_id } } : {};
}

/** Free text whose body was replaced by a marker is wrapped in an object under `_raw`. */
const freeText = derivation(({ input }: ToolCallPart, _key: null): string => {
  const raw = typeof input === "string" ? input : (Object(input) as JsonObject)["_raw"];
  return typeof raw === "string" ? raw : JSON.stringify(input);
});

/**
 * Lowers a result to an output of the same kind as its call, whatever the log says about it. The output of a local shell
 * can only be text; a picture goes into an output of a function, which the provider takes as well.
 */
export function lowerToolOutput(
  { result, providerMetadata }: ToolResultPart,
  caller: ChatMessage | undefined,
): ResponsesToolOutput | ResponsesLocalShellOutput {
  const call = callIn(caller, result.callId);
  const output = lowerOutput(result.content);
  const isOfLocalShell = call !== undefined && localShellAction(call) !== undefined;
  if (isOfLocalShell && typeof output === "string")
    return { type: "local_shell_call_output", ...shellCallName(result.callId, providerMetadata), output };
  return {
    type: call !== undefined && isFreeTextCall(call) ? "custom_tool_call_output" : "function_call_output",
    call_id: result.callId,
    output,
    ...(call !== undefined && callerField(providerFields(call.providerMetadata, "openai", CALL_FIELDS).caller)),
  };
}

/** Names the call of a local shell's output as the host did; as OpenAI's types have it if the log does not tell. */
function shellCallName(
  callId: string,
  metadata: ProviderMetadata | undefined,
): Pick<ResponsesLocalShellOutput, "id" | "call_id"> {
  const { type, itemId } = providerFields(metadata, "openai", ["type", "itemId"]);
  return type === "local_shell_call_output" && itemId !== callId ? { call_id: callId } : { id: callId };
}

/** Lowers text to a string, and content with an image, document or cache breakpoint to a list. */
function lowerOutput(content: ToolResultContent): string | readonly ResponsesInputContent[] {
  if (content.type !== "blocks") return toolResultText(content);
  const blocks = content.blocks.map(lowerContent);
  const isPlain = blocks.every(
    ({ type, prompt_cache_breakpoint: mark }) => type === "input_text" && mark === undefined,
  );
  return isPlain ? toolResultText(content) : blocks;
}

/** Lowers tools. Those of one namespace are sent together, in place of the first of them. */
export function lowerTools(tools: readonly ToolDefinition[]): readonly ResponsesTool[] {
  const lowered: ResponsesTool[] = [];
  const groups = new Map<string, ResponsesNamedTool[]>();
  for (const tool of tools) {
    const own = tool.providerMetadata?.["openai"];
    const { namespace } = toolNameOf(tool);
    const group = namespace === undefined ? undefined : groups.get(namespace);
    if (isHosted(own)) lowered.push(own);
    else if (namespace === undefined) lowered.push(lowerTool(tool));
    else if (group !== undefined) group.push(lowerTool(tool));
    else {
      const members = [lowerTool(tool)];
      groups.set(namespace, members);
      lowered.push(lowerNamespace(namespace, own, members));
    }
  }
  return lowered;
}

/**
 * Checks for a provider-run tool, such as search or an MCP server: it has its own type and is sent as the host wrote
 * it.
 */
const isHosted = (own: JsonObject | undefined): own is JsonObject =>
  typeof own?.["type"] === "string" && own["type"] !== "custom" && own["type"] !== "function";

function lowerNamespace(
  name: string,
  own: JsonObject | undefined,
  tools: readonly ResponsesNamedTool[],
): ResponsesNamespace {
  const { description } = Object(own?.["namespace"]) as { readonly description?: unknown };
  return { type: "namespace", name, description: typeof description === "string" ? description : name, tools };
}

/**
 * Lowers a tool to a function, or to a custom tool if the definition came as one. The API's default is strict mode,
 * which rejects most schemas: a function is strict only if its definition says so.
 */
function lowerTool({ name, description, inputSchema, providerMetadata }: ToolDefinition): ResponsesNamedTool {
  const metadata = providerMetadata?.["openai"];
  const described = { name, ...(description !== undefined && description !== "" && { description }) };
  const extras: ToolExtras = providerFields(providerMetadata, "openai", EXTRAS);
  if (metadata?.["type"] === "custom")
    return { type: "custom", ...described, ...formatOf(metadata["format"]), ...extras };
  return {
    type: "function",
    ...described,
    parameters: openaiSchema(inputSchema),
    strict: metadata?.["strict"] === true,
    ...extras,
  };
}

/** Optional further fields of a definition. */
const EXTRAS = ["defer_loading", "allowed_callers", "async", "output_schema"] as const;
type ToolExtras = Pick<ResponsesNamedTool, (typeof EXTRAS)[number] & keyof ResponsesNamedTool>;

function formatOf(format: unknown): { readonly format?: ResponsesToolFormat } {
  const { type, syntax, definition } = Object(format) as Readonly<Record<string, unknown>>;
  if (type === "text") return { format: { type } };
  const isGrammar = type === "grammar" && (syntax === "lark" || syntax === "regex") && typeof definition === "string";
  return isGrammar ? { format: { type, syntax, definition } } : {};
}
