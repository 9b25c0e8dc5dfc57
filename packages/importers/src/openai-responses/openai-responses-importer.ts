import { openaiUsage } from "../openai-chat/openai-messages.ts";
import { responsesTools } from "../openai-chat/openai-tools.ts";
import { type ForeignObject, listOf, nonEmptyText, objectOf, textOf } from "../reading/foreign-value.ts";
import type { SourcePointer, SourceRecords } from "../reading/source-records.ts";
import { newestModel } from "../session/session-draft.ts";
import { openingOf, seedOf } from "../session/session-ids.ts";
import type { SessionImporter } from "../session/session-importer.ts";
import { ResponseTranscript } from "./response-transcript.ts";

const RESULT = /_output$|^mcp_approval_response$/;

/**
 * Imports bodies of the OpenAI Responses API: the items of a request, of a response, or of both, or a list of items.
 */
export const openaiResponsesImporter: SessionImporter = {
  format: "openai-responses",
  detect: detectOpenaiResponses,
  import(source, draft) {
    const found = findItems(source);
    if (found === undefined) return { records: 0, system: [], tools: [] };
    const { items, frame } = found;
    draft.startAt(frame.created_at);
    const opening = openingOf(
      source.source,
      frame,
      items.map(({ value }) => value),
      isAnswer,
    );
    const transcript = new ResponseTranscript(draft);
    transcript.model = nonEmptyText(frame.model);
    for (const [index, { value, at }] of items.entries()) {
      const item = objectOf(value);
      if (item === undefined) draft.reportMalformed(at, "it is not an item");
      else transcript.read(item, { at, id: `${seedOf(opening)}-${index}` });
    }
    const usage = openaiUsage(frame.usage);
    if (usage !== undefined) transcript.measure(usage);
    transcript.finish();
    const model = newestModel(draft.messages) ?? nonEmptyText(frame.model);
    return {
      opening,
      records: items.length,
      system: systemOf(frame),
      tools: responsesTools(frame.tools, draft),
      ...(model !== undefined && { model }),
    };
  },
};

/** Checks for an item that a model produced. */
function isAnswer(value: unknown): boolean {
  const item = objectOf(value);
  const type = textOf(item?.type) ?? "message";
  return type === "message" ? item?.role === "assistant" : !RESULT.test(type);
}

function systemOf({ instructions }: ForeignObject): readonly string[] {
  const text = nonEmptyText(instructions)?.toWellFormed();
  return text === undefined ? [] : [text];
}

/**
 * Returns the confidence, from 0 to 1, that the source contains items of the OpenAI Responses API. A response
 * identifies itself.
 */
function detectOpenaiResponses(source: SourceRecords): number {
  const found = findItems(source);
  if (found === undefined) return 0;
  if (source.records.length === 1 && found.frame.object === "response") return 1;
  if (found.items.some(({ value }) => hasForeignBlock(value))) return 0;
  // Most items must be of this API: another tool's log may contain some among its own records.
  const share = found.items.filter(({ value }) => isItem(value) || textOf(objectOf(value)?.role)).length;
  return share >= found.items.length * 0.8 ? 0.95 : 0;
}

/** The items found in a body of the Responses API. */
interface FoundItems {
  readonly items: readonly { readonly value: unknown; readonly at: SourcePointer }[];
  /** The body around the items; empty when there is none. */
  readonly frame: ForeignObject;
}

/** The properties of a body that contain items, in the order of the conversation: the request's come first. */
const LISTS = ["input", "output", "items", "data"] as const;

const NO_FRAME: ForeignObject = Object.freeze({});

/** Item types that no other format has. */
const OWN_TYPES = new Set([
  ...["function_call", "function_call_output", "custom_tool_call", "custom_tool_call_output", "local_shell_call"],
  ...["local_shell_call_output", "web_search_call", "file_search_call", "computer_call", "code_interpreter_call"],
  ...["mcp_call", "mcp_list_tools", "image_generation_call", "item_reference", "reasoning"],
  ...["tool_search_call", "tool_search_output", "computer_call_output", "apply_patch_call", "apply_patch_call_output"],
  ...["shell_call", "shell_call_output", "mcp_approval_request", "mcp_approval_response"],
]);

/**
 * Finds the items of a request, of a response, of both, or of a bare list, in one document or with one item per line.
 */
function findItems({ records }: SourceRecords): FoundItems | undefined {
  const [first] = records;
  if (first === undefined) return undefined;
  const frame = objectOf(first.value);
  if (records.length > 1 || (frame !== undefined && isItem(frame))) {
    if (!records.some(({ value }) => isItem(value))) return undefined;
    return { items: records.map(({ value, line }) => ({ value, at: { line } })), frame: NO_FRAME };
  }
  const lists = frame === undefined ? [""] : LISTS.map((list) => `/${list}`);
  const items = lists.flatMap((path) => {
    const values = listOf(frame === undefined ? first.value : frame[path.slice(1)]) ?? [];
    return values.map((value, index) => ({ value, at: { line: first.line, path: `${path}/${index}` } }));
  });
  return items.some(({ value }) => isItem(value)) ? { items, frame: frame ?? NO_FRAME } : undefined;
}

/** Checks whether a value has the form of an item: a message with this API's content, or one of its own types. */
function isItem(value: unknown): boolean {
  const item = objectOf(value);
  if (item === undefined) return false;
  if (OWN_TYPES.has(textOf(item.type) ?? "")) return true;
  if (item.type === "compaction" && textOf(item.encrypted_content) !== undefined) return true;
  return textOf(item.role) !== undefined && (listOf(item.content) ?? []).some((block) => isOwnBlock(block));
}

/** Checks for blocks of the Anthropic API: other tools keep reasoning items of this one among such messages. */
const hasForeignBlock = (value: unknown): boolean =>
  (listOf(objectOf(value)?.content) ?? []).some((block) =>
    /^tool_(?:use|result)$/.test(textOf(objectOf(block)?.type) ?? ""),
  );

const isOwnBlock = (block: unknown): boolean =>
  /^(?:input_(?:text|image|file)|output_text)$/.test(textOf(objectOf(block)?.type) ?? "");
