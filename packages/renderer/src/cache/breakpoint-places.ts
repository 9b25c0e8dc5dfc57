import {
  type ChatMessage,
  type ChatRequest,
  canonicalJson,
  type SyntheticKind,
  type SystemEntry,
  sharedLength,
} from "@threadfold/core";

/** What the places of cache breakpoints are chosen from. */
export interface BreakpointOptions {
  /** The request before this one, where it is known: what both begin with is in the cache already. */
  readonly previous?: ChatRequest;
  /** How many breakpoints the provider takes. */
  readonly most: number;
  /** How many blocks before a breakpoint the provider looks for an earlier one. */
  readonly lookBackBlocks: number;
}

/** Where a request's cached prefixes end. */
export interface BreakpointPlaces {
  /** At the end of tools and system text. */
  readonly frame: boolean;
  /** Behind these messages, in order. */
  readonly messages: readonly number[];
}

/** Messages that are gone in the next request: writing them into a cache would pay for nothing. */
const PASSING: readonly (SyntheticKind | undefined)[] = ["rehydration", "continuation", "missing-result"];
/** Messages that stay as they are until the next plan. */
const FOLDS: readonly (SyntheticKind | undefined)[] = ["summary", "pins", "pointer"];

/**
 * Chooses where a request's cached prefixes end: at the newest message that stays, where the previous request ended, behind
 * the folds and pins at the beginning, and behind tools and system text. A spare one goes as far back from the newest as
 * the provider looks, so that a long step still finds what was written before.
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
 * The newest message that the next request has too, behind messages that it has too: a call of the last batch may still be
 * answered, and then its stand-in gives way to the result.
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

/** The last of the folds and pins that a request begins with; -1 when it begins with none. */
function foldsEnd(messages: readonly ChatMessage[]): number {
  let end = -1;
  for (let index = 0; index < messages.length; index++) {
    const message = messages[index] as ChatMessage;
    // A placeholder before the first fold is the opening that some providers ask for.
    if (FOLDS.includes(message.synthetic)) end = index;
    else if (message.synthetic !== "placeholder" || end >= 0) break;
  }
  return end;
}

/** The message that ends at most this many blocks before the end of another one; -1 when the request begins there. */
function blocksBack(messages: readonly ChatMessage[], newest: number, blocks: number): number {
  let between = 0;
  for (let index = newest; index > 0; index--) {
    between += (messages[index] as ChatMessage).parts.length;
    const before = (messages[index - 1] as ChatMessage).parts.length;
    if (between + before > blocks) return between <= blocks ? index - 1 : -1;
  }
  return -1;
}

/** How many messages two requests begin with alike; 0 when their system text or tools differ. */
export function sharedMessages(a: ChatRequest, b: ChatRequest): number {
  if (!sameFrame(a, b)) return 0;
  const length = Math.min(a.messages.length, b.messages.length);
  for (let index = sharedLength(a.messages, b.messages); index < length; index++) {
    if (!sameMessage(a.messages[index] as ChatMessage, b.messages[index] as ChatMessage)) return index;
  }
  return length;
}

/** True when two requests have the same system text and the same tools. */
export const sameFrame = (a: ChatRequest, b: ChatRequest): boolean =>
  isSameSystem(a.system, b.system) && sameTools(a, b);

/** True when two lists of system texts say the same, and carry the same besides. */
export const isSameSystem = (a: readonly SystemEntry[], b: readonly SystemEntry[]): boolean =>
  a === b || (a.length === b.length && a.every((entry, index) => isSameEntry(entry, b[index])));

const isSameEntry = (a: SystemEntry, b: SystemEntry | undefined): boolean =>
  a === b || (typeof a === "object" && b !== undefined && canonicalJson(a) === canonicalJson(b));

const sameTools = (a: ChatRequest, b: ChatRequest): boolean =>
  a.tools === b.tools || canonicalJson(a.tools) === canonicalJson(b.tools);

/** Messages that did not change are mostly the same objects, so that comparing them costs nothing. */
const sameMessage = (a: ChatMessage, b: ChatMessage): boolean =>
  a === b ||
  (a.role === b.role &&
    a.providerMetadata === b.providerMetadata &&
    (a.parts === b.parts || canonicalJson(a.parts) === canonicalJson(b.parts)));
