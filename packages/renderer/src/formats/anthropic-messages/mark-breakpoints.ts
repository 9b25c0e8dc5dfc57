import { type ChatMessage, type ChatRequest, type JsonObject, type JsonValue, RunningTotals } from "@threadfold/core";
import { type BreakpointPlaces, breakpointPlaces } from "../../cache/breakpoint-places.ts";
import { asList, isPlainObject } from "../../legality/legality-rule.ts";
import type { CacheOptions } from "../provider-format.ts";

/** A request has at most four breakpoints, and each looks back twenty blocks. */
const LIMITS = { most: 4, lookBackBlocks: 20 } as const;

/** Kinds of block that cannot carry a breakpoint. */
const UNMARKABLE: readonly unknown[] = ["thinking", "redacted_thinking"];

/** Returns where the cached prefixes of a request end. */
export const anthropicBreakpoints = (request: ChatRequest, { previous }: CacheOptions): BreakpointPlaces =>
  breakpointPlaces(request, { ...LIMITS, ...(previous !== undefined && { previous }) });

/** Returns where {@link markBreakpoints} puts breakpoints: none on messages that are only thinking. */
export function markedPlaces(request: ChatRequest, cache: CacheOptions): BreakpointPlaces {
  const { frame, messages } = anthropicBreakpoints(request, cache);
  return { frame, messages: messages.filter((index) => markedPart(request.messages[index]) >= 0) };
}

/** What is shown for one turn only takes no mark. */
const markedPart = (message: ChatRequest["messages"][number] | undefined): number =>
  message?.role === "system" && message.providerMetadata?.anthropic?.clear_at === "next_user_message"
    ? -1
    : (message?.parts.findLastIndex(({ type }) => type !== "reasoning") ?? -1);

const blocksOf = (message: unknown): readonly unknown[] => (isPlainObject(message) ? asList(message.content) : []);

/** Blocks of a payload's messages, and parts of a request's: one part is one block. */
const BLOCKS = new RunningTotals<unknown>((message) => blocksOf(message).length);
const PARTS = new RunningTotals<ChatMessage>(({ parts }) => parts.length);
/** Messages of a payload that cannot stay unchanged, because they came with marks. */
const CAME_MARKED = new RunningTotals<unknown>((message) =>
  isPlainObject(message) && blocksOf(message).every(isBare) ? 0 : 1,
);

/**
 * Puts breakpoints into a payload, replacing those that came with the thread. For a growing payload the cost is that of
 * its new messages, plus a copy of the list.
 */
export function markBreakpoints(payload: JsonObject, request: ChatRequest, cache: CacheOptions): JsonObject {
  const mark: JsonObject = { type: "ephemeral", ...(cache.ttl !== undefined && { ttl: cache.ttl }) };
  const { frame, messages } = anthropicBreakpoints(request, cache);
  const items = asList(payload.messages);
  const marked = Map.groupBy(blockOrdinals(request, messages), (ordinal) => BLOCKS.placeAbove(items, ordinal));
  const lowered = [...items] as JsonValue[];
  // A foreign payload may have fewer blocks than the request has parts.
  marked.delete(-1);
  for (const place of new Set([...marked.keys(), ...cameMarked(items)])) {
    const first = BLOCKS.of(items, place);
    const blocks = (marked.get(place) ?? []).map((ordinal) => ordinal - first);
    lowered[place] = remarked(items[place], blocks, mark);
  }
  const [system, tools] = [asList(payload.system), asList(payload.tools)];
  return {
    ...(system.length > 0 && { system: markedAtEnd(system, frame ? mark : null) }),
    ...(tools.length > 0 && { tools: markedAtEnd(tools, frame && system.length === 0 ? mark : null, isLoaded) }),
    messages: lowered,
  };
}

/** Returns, for each of these messages, its last block that can carry a mark, numbered across all blocks. */
const blockOrdinals = ({ messages }: ChatRequest, places: readonly number[]): readonly number[] =>
  places.flatMap((place) => {
    const last = markedPart(messages[place]);
    return last < 0 ? [] : PARTS.of(messages, place) + last;
  });

const cameMarked = (items: readonly unknown[]): readonly number[] =>
  Array.from({ length: CAME_MARKED.of(items) }, (_, index) => CAME_MARKED.placeAbove(items, index));

/** Returns a message with marks on exactly these of its blocks. */
function remarked(message: unknown, marked: readonly number[], mark: JsonObject): JsonObject {
  if (!isPlainObject(message)) return {};
  const content = blocksOf(message).map((block, index) => withMark(block, marked.includes(index) ? mark : null));
  return { ...message, content } as JsonObject;
}

function markedAtEnd(
  blocks: readonly unknown[],
  mark: JsonObject | null,
  takes: (block: unknown) => boolean = () => true,
): readonly JsonValue[] {
  const last = blocks.findLastIndex(takes);
  return blocks.map((block, index) => withMark(block, index === last ? mark : null));
}

/** A deferred tool is no part of the prefix: the API refuses a mark on it. */
const isLoaded = (tool: unknown): boolean => !(isPlainObject(tool) && tool.defer_loading === true);

/** Returns the block with this mark instead of its own. */
function withMark(block: unknown, mark: JsonObject | null): JsonValue {
  if (!isPlainObject(block)) return block as JsonValue;
  const { cache_control: _old, ...bare } = block;
  const content =
    Array.isArray(bare.content) && bare.type === "tool_result" ? { content: bare.content.map(unmarked) } : {};
  const takes = mark !== null && !UNMARKABLE.includes(bare.type);
  return { ...bare, ...content, ...(takes && { cache_control: mark }) } as JsonObject;
}

const unmarked = (block: unknown): JsonValue => withMark(block, null);

/** Checks for a block without marks, including inside it. */
const isBare = (block: unknown): boolean =>
  isPlainObject(block) &&
  !("cache_control" in block) &&
  (block.type !== "tool_result" || asList(block.content).every(isBare));
