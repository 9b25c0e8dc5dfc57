import type {
  JsonObject,
  JsonValue,
  MediaSource,
  Part,
  ProviderMetadata,
  ReasoningPart,
  ToolCallPart,
  ToolOutcomeStatus,
  ToolResultPart,
} from "@threadfold/core";
import { refusalPart, sourceOfUrl } from "../openai-chat/openai-parts.ts";
import { exactArguments, readArguments } from "../openai-chat/openai-tools.ts";
import {
  countOf,
  type ForeignObject,
  listOf,
  nonEmptyText,
  objectOf,
  parseJson,
  textOf,
} from "../reading/foreign-value.ts";
import type { SourcePointer } from "../reading/source-records.ts";
import type { SessionDraft } from "../session/session-draft.ts";
import { opaquePart, providerExtras, toolResultContent } from "../session/shared-readers.ts";

type ReadBlock = (block: ForeignObject) => Part | undefined;

const TEXT_FIELDS = new Set(["type", "text"]);
const IMAGE_FIELDS = new Set(["type", "image_url", "file_id"]);
const FILE_FIELDS = new Set(["type", "file_data", "file_url", "file_id", "filename"]);

/** The reader for each content type. A map rather than an object, because the type comes from the log. */
const READERS: ReadonlyMap<unknown, ReadBlock> = new Map<string, ReadBlock>([
  ["input_text", readText],
  ["output_text", readText],
  ["text", readText],
  ["refusal", (block) => refusalPart(block.refusal)],
  ["input_image", readImage],
  ["input_file", readFile],
]);

/**
 * Converts a piece of content of the OpenAI Responses API. Content without an equivalent in core becomes an opaque
 * part.
 */
function responsePart(block: unknown): Part {
  const fields = objectOf(block);
  return (fields && READERS.get(fields.type)?.(fields)) ?? opaquePart("openai", block);
}

/**
 * Returns the parts of an item's content; a string is a single text. An image that the log left out, with neither bytes
 * nor a location, produces no part.
 */
export function responseParts(content: unknown): readonly Part[] {
  if (typeof content === "string") return [{ type: "text", text: content }];
  if (Array.isArray(content)) return content.filter((block) => !isMissingImage(block)).map(responsePart);
  return content === undefined || content === null ? [] : [responsePart(content)];
}

function isMissingImage(block: unknown): boolean {
  const fields = objectOf(block);
  return fields?.type === "input_image" && fields.image_url === null && (fields.file_id ?? null) === null;
}

function readText(block: ForeignObject): Part | undefined {
  const text = textOf(block.text);
  return text === undefined ? undefined : { type: "text", text, ...extrasOf(block, TEXT_FIELDS) };
}

function readImage(block: ForeignObject): Part | undefined {
  const [url, fileId] = [textOf(block.image_url), textOf(block.file_id)];
  const source: MediaSource | undefined =
    url !== undefined ? sourceOfUrl(url) : fileId !== undefined ? { kind: "file-id", fileId } : undefined;
  return source && { type: "image", source, ...extrasOf(block, IMAGE_FIELDS) };
}

function readFile(block: ForeignObject): Part | undefined {
  const [data, url, fileId] = [textOf(block.file_data), textOf(block.file_url), textOf(block.file_id)];
  const name = nonEmptyText(block.filename);
  const address = data ?? url;
  const source: MediaSource | undefined =
    address !== undefined ? sourceOfUrl(address) : fileId !== undefined ? { kind: "file-id", fileId } : undefined;
  return source && { type: "file", source, ...(name && { name }), ...extrasOf(block, FILE_FIELDS) };
}

/** The other fields of a block, except for the empty lists that every text has. */
function extrasOf(block: ForeignObject, known: ReadonlySet<string>): ReturnType<typeof providerExtras> {
  const isEmpty = (field: string) => Array.isArray(block[field]) && (block[field] as readonly unknown[]).length === 0;
  return providerExtras("openai", block, new Set([...known, ...["annotations", "logprobs"].filter(isEmpty)]));
}

/**
 * Converts a reasoning item to a part whose text is the item's summary or, failing that, its plain content. The whole
 * item is kept, because it must be sent back to the provider unchanged.
 */
export function responseReasoning(item: ForeignObject): ReasoningPart {
  const encrypted = nonEmptyText(item.encrypted_content);
  return {
    type: "reasoning",
    text: textsOf(item.summary) || textsOf(item.content),
    provider: "openai",
    ...(encrypted !== undefined && { encrypted }),
    providerMetadata: { openai: { item: item as JsonObject } },
  };
}

const textsOf = (blocks: unknown): string =>
  (listOf(blocks) ?? []).flatMap((block) => nonEmptyText(objectOf(block)?.text) ?? []).join("\n\n");

const CALL_FIELDS = ["type", "call_id", "name", "function"];
/** Calls of other types keep their type, so that they can be sent back in their original form. */
const TYPED_CALL_FIELDS = ["call_id", "name", "input", "action", "status"];

/** Converts an item with which the model calls a client tool. */
export function responseCall(item: ForeignObject, draft: SessionDraft, at: SourcePointer): ToolCallPart {
  const isLocalShell = item.type === "local_shell_call";
  const isTyped = isLocalShell || item.type === "custom_tool_call";
  const described = objectOf(item.function);
  const toolName = textOf(item.name) ?? textOf(described?.name) ?? (isLocalShell ? "local_shell" : "");
  const callId = draft.calls.open(item.call_id, toolName, `call-${at.line}${at.path ?? ""}`);
  const input = isLocalShell ? item.action : item.input;
  const given = item.arguments ?? described?.arguments;
  return {
    type: "tool-call",
    callId,
    toolName,
    ...(isTyped ? { input: (input ?? "") as JsonValue } : readArguments(given, callId, draft, at)),
    ...(isTyped
      ? itemMetadata(item, TYPED_CALL_FIELDS)
      : itemMetadata({ ...item, arguments: undefined, ...exactArguments(given) }, CALL_FIELDS)),
  };
}
const RESULT_FIELDS = ["type", "call_id", "output", "name", "result", "success"];
const TYPED_RESULT_FIELDS = ["call_id", "output", "name", "status"];

/** Converts an item that answers such a call. */
export function responseResult(item: ForeignObject, draft: SessionDraft, at: SourcePointer): ToolResultPart {
  const isOfLocalShell = item.type === "local_shell_call_output";
  // OpenAI's own types name the call of a local shell's output in `id`, and its guide in `call_id`.
  const called = item.call_id ?? (isOfLocalShell ? item.id : undefined);
  const isTyped = item.type === "custom_tool_call_output" || isOfLocalShell;
  const output = item.output ?? item.result;
  const body = objectOf(output);
  // For a while Codex wrote `{content, success}`; a single block is treated as a list of one.
  const content = textOf(body?.content) ?? (body !== undefined && textOf(body.type) !== undefined ? [body] : output);
  return {
    type: "tool-result",
    result: {
      ...draft.calls.answer(called, textOf(item.name), `result-${at.line}${at.path ?? ""}`),
      outcome: outcomeOf(item, output),
      content: toolResultContent(content, responsePart),
    },
    ...itemMetadata(item, isTyped ? TYPED_RESULT_FIELDS : RESULT_FIELDS),
  };
}

/** The API has no field for a tool's failure; Codex writes how a command ended in one of several ways. */
function outcomeOf(item: ForeignObject, output: unknown): ToolOutcomeStatus {
  const body = objectOf(output) ?? bodyIn(output);
  const words = (textOf(output) ?? textOf(objectOf(listOf(output)?.[0])?.text) ?? "").slice(0, LONGEST_HEAD);
  const [, isRunning, code = "0"] = ENDED.exec(words) ?? [];
  if (isRunning !== undefined) return "partial";
  const exitCode = countOf(objectOf(body?.metadata)?.exit_code) ?? countOf(body?.exitCode) ?? Number(code);
  const failed = item.success === false || body?.success === false || exitCode !== 0 || NOT_DONE.test(words);
  return failed ? "failure" : "success";
}

function bodyIn(output: unknown): ForeignObject | undefined {
  const text = textOf(output);
  if (text === undefined || !text.startsWith('{"output":')) return undefined;
  const parsed = parseJson(text);
  return parsed.ok ? objectOf(parsed.value) : undefined;
}

const LONGEST_HEAD = 1_000;

/** The lines above a command's output in Codex, down to the one that says how it ended, or that it still runs. */
const ENDED =
  /^(?:(?:Command: |Chunk ID: |Wall time:? )[^\n]*\n){0,3}(?:((?:Process running with session|Script running with cell) ID )|Exit code: |Process exited with code )(-?\d{1,10})(?:\n|$)/;

/** What Codex answers a call with that it did not carry out, or that was interrupted. */
const NOT_DONE =
  /^(?:(?:Wall time: [\d.]{1,20} seconds\n)?aborted by user\b|aborted$|Script failed\n|(?:exec_command|write_stdin) failed(?::| for )|apply_patch verification failed: |failed to parse (?:function|exec_command|write_stdin) arguments: |unsupported (?:custom tool )?call: |tool call error: )/;

/** Codex's own fields, which never go to the provider. */
const BOOKKEEPING = ["metadata", "internal_chat_message_metadata_passthrough", "timestamp", "created_at"];

/**
 * Collects the fields of a Responses item that core's model does not have, under `openai`: its id as `itemId`, other
 * fields unchanged.
 *
 * @param known the fields that core's model does have.
 */
export function itemMetadata(
  item: ForeignObject,
  known: readonly string[],
): { readonly providerMetadata?: ProviderMetadata } {
  const { providerMetadata } = providerExtras("openai", item, new Set([...known, ...BOOKKEEPING, "id"]));
  const itemId = nonEmptyText(item.id);
  if (itemId === undefined) return providerMetadata === undefined ? {} : { providerMetadata };
  return { providerMetadata: { openai: { itemId, ...providerMetadata?.openai } satisfies JsonObject } };
}
