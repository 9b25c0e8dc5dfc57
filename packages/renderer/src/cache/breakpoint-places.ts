import {
  type ChatMessage,
  type ChatRequest,
  canonicalJson,
  type SyntheticKind,
  type SystemEntry,
  sharedLength,
} from "@threadfold/core";

/** Options for choosing the places of cache breakpoints. */
export interface BreakpointOptions {
  /** The previous request, if known: the prefix that both share is already in the cache. */
  readonly previous?: ChatRequest;
  /** The maximum number of breakpoints that the provider accepts. */
  readonly most: number;
  /** How many blocks before a breakpoint the provider looks for an earlier one. */
  readonly lookBackBlocks: number;
}

/** Where a request's cached prefixes end. */
export interface BreakpointPlaces {
  /** At the end of tools and system text. */
  readonly frame: boolean;
  /** Indexes of the messages that end with a breakpoint, in order. */
  readonly messages: readonly number[];
}

/** Messages that are gone in the next request: caching them would be wasted money. */
const PASSING: readonly (SyntheticKind | undefined)[] = ["rehydration", "continuation", "missing-result"];
/** Messages that stay unchanged until the next plan. */
const FOLDS: readonly (SyntheticKind | undefined)[] = ["summary", "pins", "pointer"];

/**
 * Chooses where a request's cached prefixes end: at the newest message that stays, where the previous request ended,
 * after the folds and pins at the beginning, and after the tools and system text. A spare breakpoint is placed as far
 * back from the newest one as the provider looks, so that a long step still finds what was written before.
 */
export function breakpointPlaces(request: ChatRequest, options: BreakpointOptions): BreakpointPlaces {
  const { messages, system, tools } = request;
  const newest = newestThatStays(messages);
  const shared = options.previous === undefined ? -1 : sharedMessages(options.previous, request) - 1;
  const folds = foldsEnd(messages);
  const wanted = [newest, shared, folds, blocksBack(messages, newest, options.lookBackBlocks)];
  const frame = options.most > 0 && system.length + tools.length > 0;
  const places = [...new Set(wanted)].filter((index) => index >= 0 && index <= newest);
  const chosen = places.slice(0, options.most - (frame ? 1 : 0));
  return { frame, messages: chosen.sort((a, b) => a - b) };
}

/**
 * Returns the newest message that the next request will still have, preceded only by messages that it will still have
 * too: a call of the last batch may still be answered, and its stand-in is then replaced by the result.
 */
function newestThatStays(messages: readonly ChatMessage[]): number {
  let end = messages.length;
  for (let index = messages.length - 1; index >= 0; index--) {
    const { role, synthetic } = messages[index] as ChatMessage;
    if (role === "assistant") break;
    if (synthetic === "missing-result") end = index;
  }
  do end--;
  while (end >= 0 && PASSING.includes((messages[end] as ChatMessage).synthetic));
  return end;
}

/** Returns the index of the last of the folds and pins that a request begins with; -1 when it begins with none. */
function foldsEnd(messages: readonly ChatMessage[]): number {
  let end = -1;
  for (let index = 0; index < messages.length; index++) {
    const message = messages[index] as ChatMessage;
    // A placeholder before the first fold is the opening that some providers require.
    if (FOLDS.includes(message.synthetic)) end = index;
    else if (message.synthetic !== "placeholder" || end >= 0) break;
  }
  return end;
}

/** Returns the message that ends at most this many blocks before the end of another; -1 if the request begins there. */
function blocksBack(messages: readonly ChatMessage[], newest: number, blocks: number): number {
  let between = 0;
  for (let index = newest; index > 0; index--) {
    between += (messages[index] as ChatMessage).parts.length;
    const before = (messages[index - 1] as ChatMessage).parts.length;
    if (between + before > blocks) return between <= blocks ? index - 1 : -1;
  }
  return -1;
}

/** Returns how many leading messages two requests share; 0 when their system text or tools differ. */
export function sharedMessages(a: ChatRequest, b: ChatRequest): number {
  if (!sameFrame(a, b)) return 0;
  const length = Math.min(a.messages.length, b.messages.length);
  for (let index = sharedLength(a.messages, b.messages); index < length; index++) {
    if (!sameMessage(a.messages[index] as ChatMessage, b.messages[index] as ChatMessage)) return index;
  }
  return length;
}

/** Checks whether two requests have the same system text and the same tools. */
export const sameFrame = (a: ChatRequest, b: ChatRequest): boolean =>
  isSameSystem(a.system, b.system) && sameTools(a, b);

/** Checks whether two lists of system texts are equal, including their metadata. */
export const isSameSystem = (a: readonly SystemEntry[], b: readonly SystemEntry[]): boolean =>
  a === b || (a.length === b.length && a.every((entry, index) => isSameEntry(entry, b[index])));

const isSameEntry = (a: SystemEntry, b: SystemEntry | undefined): boolean =>
  a === b || (typeof a === "object" && b !== undefined && canonicalJson(a) === canonicalJson(b));

const sameTools = (a: ChatRequest, b: ChatRequest): boolean =>
  a.tools === b.tools || canonicalJson(a.tools) === canonicalJson(b.tools);

/** Unchanged messages are mostly the same objects, so comparing them costs nothing. */
const sameMessage = (a: ChatMessage, b: ChatMessage): boolean =>
  a === b ||
  (a.role === b.role &&
    a.providerMetadata === b.providerMetadata &&
    (a.parts === b.parts || canonicalJson(a.parts) === canonicalJson(b.parts)));
