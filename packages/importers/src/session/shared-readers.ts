import {
  type JsonObject,
  type JsonValue,
  type MediaPart,
  type OpaquePart,
  type Part,
  type ProviderMetadata,
  type TextPart,
  type ToolDefinition,
  type ToolResultContent,
  toWellFormedJson,
} from "@threadfold/core";
import { type ForeignObject, listOf, nonEmptyText, objectOf } from "../reading/foreign-value.ts";
import type { SessionDraft } from "./session-draft.ts";

/** Wraps a block that core's model has no part for, unchanged. */
export const opaquePart = (provider: string, block: unknown): OpaquePart => ({
  type: "opaque",
  provider,
  value: (block ?? null) as JsonValue,
});

/**
 * Collects the fields of a provider's block that core's model does not have, under the provider's name and spelled as
 * in the API: cache markers, citations, item ids. Rendering for that provider restores them.
 *
 * @param known the fields that core's model does have.
 */
export function providerExtras(
  provider: string,
  block: ForeignObject,
  known: ReadonlySet<string>,
): { readonly providerMetadata?: ProviderMetadata } {
  let extras: Record<string, JsonValue> | undefined;
  for (const key of Object.keys(block)) {
    const value = block[key];
    if (known.has(key) || value === null || value === undefined) continue;
    extras ??= {};
    // A plain assignment to `__proto__` would change the prototype instead of adding a field.
    Object.defineProperty(extras, key, { value, enumerable: true, configurable: true, writable: true });
  }
  return extras === undefined ? {} : { providerMetadata: { [provider]: extras satisfies JsonObject } };
}

/**
 * Reads provider options as the AI SDK and tools built on it write them: an object keyed by provider name. Anything
 * else is left out.
 */
export function providerOptions(value: unknown): { readonly providerMetadata?: ProviderMetadata } {
  const entries = Object.entries(objectOf(value) ?? {}).flatMap(([provider, options]) => {
    const own = objectOf(options);
    return own === undefined ? [] : [[provider, own as JsonObject] as const];
  });
  return entries.length === 0 ? {} : { providerMetadata: Object.fromEntries(entries) };
}

/**
 * Converts a log's tool result to its content: text stays text, and so does a list of one plain text block; other lists
 * of text and media become blocks; anything else is kept as JSON.
 *
 * @param toPart reads one block as a part.
 */
export function toolResultContent(content: unknown, toPart: (block: unknown) => Part): ToolResultContent {
  if (typeof content === "string") return { type: "text", text: content };
  if (content === undefined || content === null) return { type: "text", text: "" };
  if (!Array.isArray(content)) return { type: "json", value: content as JsonValue };
  const parts = content.map(toPart);
  if (!parts.every(isTextOrMedia)) return { type: "json", value: content as JsonValue };
  const [first] = parts;
  if (first === undefined) return { type: "text", text: "" };
  const isPlainText = parts.length === 1 && first.type === "text" && first.providerMetadata === undefined;
  return isPlainText ? { type: "text", text: first.text } : { type: "blocks", blocks: parts };
}

const isTextOrMedia = (part: Part): part is TextPart | MediaPart =>
  part.type === "text" || part.type === "image" || part.type === "file";

/** Replaces a schema that the log does not have. */
const ANY_OBJECT = { type: "object" } as const;

/**
 * Reads a log's list of tools. Entries that are bare names become tools that accept any object; entries that are not
 * tools are left out. Both are reported.
 *
 * @param read reads one entry; returns undefined when it is not a tool.
 */
export function readTools(
  tools: unknown,
  draft: SessionDraft,
  read: (tool: ForeignObject) => ToolDefinition | undefined,
): readonly ToolDefinition[] {
  const definitions: ToolDefinition[] = [];
  const bare: string[] = [];
  for (const [index, entry] of (listOf(tools) ?? []).entries()) {
    const name = nonEmptyText(entry)?.toWellFormed();
    const fields = objectOf(entry);
    const tool = name === undefined ? fields && read(fields) : { name, inputSchema: ANY_OBJECT };
    if (name !== undefined) bare.push(name);
    if (tool === undefined) draft.warnings.push({ kind: "unreadable-tool", index });
    else definitions.push(toWellFormedJson(tool) as unknown as ToolDefinition);
  }
  if (bare.length > 0) draft.warnings.push({ kind: "tools-without-schema", tools: bare });
  return definitions;
}

/** What a model was sent around the words that a person typed. */
interface AroundWords {
  readonly before: string;
  readonly after: string;
}

/**
 * Splits a text that a model was sent into what stands before and after the words that a person typed. Words that are a
 * paragraph of their own are preferred to the same words elsewhere. A text without the words is all after them.
 */
export function aroundWords(sent: string, words: string): AroundWords {
  const own = `\n${sent}\n`.indexOf(`\n${words}\n`);
  const start = own === -1 ? sent.indexOf(words) : own;
  if (words === "" || start === -1) return { before: "", after: sent.trim() };
  return { before: sent.slice(0, start).trim(), after: sent.slice(start + words.length).trim() };
}
