import type { ChatMessage, JsonObject, Part, ToolCallPart } from "@threadfold/core";
import type { ReasonedItems } from "../../capabilities/format-requirements.ts";
import { isFreeTextCall } from "../../neutral/draft.ts";

/** Returns OpenAI's metadata on a part. */
export const openaiMetadata = (part: Part): JsonObject | undefined =>
  part.type === "opaque" ? undefined : part.providerMetadata?.["openai"];

/** Returns what a call of OpenAI's local shell runs; undefined for other calls, and once a fold cleared it. */
export function localShellAction({ input, providerMetadata }: ToolCallPart): JsonObject | undefined {
  const { type, command } = Object(input) as JsonObject;
  const isRun = type === "exec" && Array.isArray(command);
  return isRun && providerMetadata?.["openai"]?.["type"] === "local_shell_call" ? (input as JsonObject) : undefined;
}

/** Returns how the provider's id of this kind of item begins. */
function prefixOf(part: Part): string | undefined {
  switch (part.type) {
    case "text":
      return "msg";
    case "reasoning":
      return "rs";
    case "tool-call":
      if (localShellAction(part) !== undefined) return "lsh";
      return isFreeTextCall(part) ? "ctc" : "fc";
    default:
      return undefined;
  }
}

/**
 * Returns the ids that the items of a message are sent with, by part. Nothing is stored at the provider, so ids only
 * say that items belong together: they are kept if the message is unchanged since it arrived and its reasoning and
 * everything after it have ids that no earlier item has, and otherwise dropped. An id whose partner is gone is rejected
 * (W16). Hosted items always have theirs, so the reasoning that led to one keeps its own as well.
 */
export function itemIds(message: ChatMessage, taken: ReadonlySet<string>): ReadonlyMap<Part, string> {
  const whole = message.role === "assistant" ? wholeIds(message, taken) : null;
  return whole ?? idsBeforeHosted(message, taken);
}

function wholeIds({ parts, synthetic }: ChatMessage, taken: ReadonlySet<string>): ReadonlyMap<Part, string> | null {
  const first = parts.findIndex(({ type }) => type === "reasoning");
  return synthetic !== undefined || first < 0 ? null : idsOfAll(parts.slice(first), (id) => taken.has(id));
}

/** Returns the ids of parts other than hosted items; null if one of them has none that is still free. */
function idsOfAll(parts: readonly Part[], isTaken: (id: string) => boolean): ReadonlyMap<Part, string> | null {
  const ids = new Map<Part, string>();
  for (const part of parts) {
    if (part.type === "opaque") continue;
    const id = itemId(part);
    if (id === undefined || isTaken(id)) return null;
    ids.set(part, id);
  }
  return new Set(ids.values()).size === ids.size ? ids : null;
}

/**
 * Returns the ids of each reasoning and of everything up to the last hosted item that it led to, or of the reasoning
 * alone if something in between has none: only items with an id need their reasoning.
 */
function idsBeforeHosted({ parts }: ChatMessage, taken: ReadonlySet<string>): ReadonlyMap<Part, string> {
  const ids = new Map<Part, string>();
  const given = new Set<string>();
  const isTaken = (id: string): boolean => taken.has(id) || given.has(id);
  const starts = parts.flatMap(({ type }, index) => (type === "reasoning" ? [index] : []));
  for (const [nth, start] of starts.entries()) {
    const led = parts.slice(start, starts[nth + 1]);
    const last = led.findLastIndex(isHosted);
    if (last < 0) continue;
    const found = idsOfAll(led.slice(0, last), isTaken) ?? idsOfAll(led.slice(0, 1), isTaken) ?? [];
    for (const [one, id] of found) {
      ids.set(one, id);
      given.add(id);
    }
  }
  return ids;
}

function isHosted(part: Part | undefined): boolean {
  if (part?.type !== "opaque") return false;
  const { type, id } = Object(part.value) as JsonObject;
  return typeof id === "string" && [...REASONED_ITEMS.required, ...REASONED_ITEMS.optional].includes(String(type));
}

function itemId(part: Part): string | undefined {
  const metadata = openaiMetadata(part);
  const item = Object(metadata?.["item"]) as JsonObject;
  const id = metadata?.["id"] ?? metadata?.["itemId"] ?? item["id"];
  const prefix = prefixOf(part);
  const isId = typeof id === "string" && id.length <= MAX_ID_LENGTH;
  return isId && prefix !== undefined && id.startsWith(prefix) ? id : undefined;
}

/** Maximum length of an item id, in UTF-16 code units. */
export const MAX_ID_LENGTH = 64;

/**
 * Items of hosted tools that the model asked for after some reasoning: OpenAI rejects their ids without it (W16). A list
 * of tools is not among them, because no model writes it.
 */
export const REASONED_ITEMS: ReasonedItems = Object.freeze({
  field: "id",
  optional: ["shell_call", "shell_call_output", "apply_patch_call", "tool_search_call", "tool_search_output"],
  required: [
    ...["web_search_call", "file_search_call", "code_interpreter_call", "image_generation_call", "mcp_call"],
    ...["mcp_approval_request", "computer_call", "program"],
  ],
});
