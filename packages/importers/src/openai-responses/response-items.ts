import { type ForeignObject, listOf, objectOf, textOf } from "../reading/foreign-value.ts";
import type { SourceRecords } from "../reading/source-records.ts";
import type { SourcePointer } from "../source-pointer.ts";

/** Items as bodies of the Responses API hold them. */
export interface FoundItems {
  readonly items: readonly { readonly value: unknown; readonly at: SourcePointer }[];
  /** The body around the items; empty when they stand alone. */
  readonly frame: ForeignObject;
}

/** The properties of a body that hold items, in the order of the conversation: those of the request come first. */
const LISTS = ["input", "output", "items", "data"] as const;

const NO_FRAME: ForeignObject = Object.freeze({});

/** Types of items that no other format has. */
const OWN_TYPES = new Set([
  ...["function_call", "function_call_output", "custom_tool_call", "custom_tool_call_output", "local_shell_call"],
  ...["local_shell_call_output", "web_search_call", "file_search_call", "computer_call", "code_interpreter_call"],
  ...["mcp_call", "mcp_list_tools", "image_generation_call", "item_reference", "reasoning"],
]);

/** Finds the items of a request, of a response, of both, or of a list alone, in a document or one item a line. */
export function findItems({ records }: SourceRecords): FoundItems | undefined {
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

/** Says whether a value has the form of an item: a message with content of this API, or a type of its own. */
export function isItem(value: unknown): boolean {
  const item = objectOf(value);
  if (item === undefined) return false;
  if (OWN_TYPES.has(textOf(item.type) ?? "")) return true;
  if (item.type === "compaction" && textOf(item.encrypted_content) !== undefined) return true;
  return textOf(item.role) !== undefined && (listOf(item.content) ?? []).some((block) => isOwnBlock(block));
}

const isOwnBlock = (block: unknown): boolean =>
  /^(?:input_(?:text|image|file)|output_text)$/.test(textOf(objectOf(block)?.type) ?? "");
