import type { ChatMessage, ChatRequest, JsonObject, JsonValue } from "@threadfold/core";
import { type BreakpointPlaces, breakpointPlaces } from "../../cache/breakpoint-places.ts";
import { asList, isPlainObject } from "../../legality/legality-rule.ts";
import type { CacheOptions } from "../provider-format.ts";

/** A request has at most four breakpoints, and each looks back twenty blocks. */
const LIMITS = { most: 4, lookBackBlocks: 20 } as const;

/** Kinds of block that cannot carry a breakpoint. */
const UNMARKABLE: readonly unknown[] = ["thinking", "redacted_thinking"];

/** Where the cached prefixes of a request end. */
export const anthropicBreakpoints = (request: ChatRequest, { previous }: CacheOptions): BreakpointPlaces =>
  breakpointPlaces(request, { ...LIMITS, ...(previous !== undefined && { previous }) });

/** Where {@link markBreakpoints} puts them: thinking carries none. */
export function markedPlaces(request: ChatRequest, cache: CacheOptions): BreakpointPlaces {
  const { frame, messages } = anthropicBreakpoints(request, cache);
  return { frame, messages: messages.filter((index) => markedPart(request.messages[index]) >= 0) };
}

const markedPart = (message: ChatRequest["messages"][number] | undefined): number =>
  message?.parts.findLastIndex(({ type }) => type !== "reasoning") ?? -1;

/** Puts breakpoints into a payload in place of those that came with the thread. */
export function markBreakpoints(payload: JsonObject, request: ChatRequest, cache: CacheOptions): JsonObject {
  const mark: JsonObject = { type: "ephemeral", ...(cache.ttl !== undefined && { ttl: cache.ttl }) };
  const { frame, messages } = anthropicBreakpoints(request, cache);
  const marked = blockOrdinals(request, messages);
  const lowered: JsonValue[] = [];
  let ordinal = 0;
  for (const message of asList(payload.messages)) {
    const first = ordinal;
    const before = isPlainObject(message) ? asList(message.content) : [];
    ordinal += before.length;
    if (!isPlainObject(message)) lowered.push({});
    else if (!hasMarks(message, before) && !marked.some((place) => place >= first && place < ordinal))
      lowered.push(message as JsonObject);
    else {
      const content = before.map((block, index) => withMark(block, marked.includes(first + index) ? mark : null));
      lowered.push({ ...message, content } as JsonObject);
    }
  }
  const [system, tools] = [asList(payload.system), asList(payload.tools)];
  return {
    ...(system.length > 0 && { system: markedAtEnd(system, frame ? mark : null) }),
    ...(tools.length > 0 && { tools: markedAtEnd(tools, frame && system.length === 0 ? mark : null, isLoaded) }),
    messages: lowered,
  };
}

/** For each of these messages, which are in order, the last of its blocks that can carry a mark, counted over all blocks. One part is one block. */
function blockOrdinals({ messages }: ChatRequest, places: readonly number[]): readonly number[] {
  const ordinals: number[] = [];
  let [first, counted] = [0, 0];
  for (const place of places) {
    for (; counted < place; counted++) first += (messages[counted] as ChatMessage).parts.length;
    const last = markedPart(messages[place]);
    if (last >= 0) ordinals.push(first + last);
  }
  return ordinals;
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

/** The block with this mark in place of its own. */
function withMark(block: unknown, mark: JsonObject | null): JsonValue {
  if (!isPlainObject(block)) return block as JsonValue;
  const { cache_control: _old, ...bare } = block;
  const content =
    Array.isArray(bare.content) && bare.type === "tool_result" ? { content: bare.content.map(unmarked) } : {};
  const takes = mark !== null && !UNMARKABLE.includes(bare.type);
  return { ...bare, ...content, ...(takes && { cache_control: mark }) } as JsonObject;
}

const unmarked = (block: unknown): JsonValue => withMark(block, null);

/** Messages of payloads without a mark: most of them, and a payload has nearly all of those of the one before. */
const bareMessages = new WeakSet<object>();

/** True when some block of a message came with a mark. */
function hasMarks(message: object, blocks: readonly unknown[]): boolean {
  if (bareMessages.has(message)) return false;
  if (!blocks.every(isBare)) return true;
  bareMessages.add(message);
  return false;
}

/** True for a block without a mark of its own, also inside. */
const isBare = (block: unknown): boolean =>
  isPlainObject(block) &&
  !("cache_control" in block) &&
  (block.type !== "tool_result" || asList(block.content).every(isBare));
