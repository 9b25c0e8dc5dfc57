import { isDeepStrictEqual } from "node:util";
import { type AgentThread, canonicalJson, type JsonValue, type MessageInput, type Part } from "@threadfold/core";
import { livePositions } from "@threadfold/importers";

/** How a host's list lines up with a thread. */
interface Alignment {
  /**
   * Position in the conversation of the list's first message; above 0 when the host passes only the end of the
   * conversation.
   */
  readonly offset: number;
  /** How many of the messages read from the list are in the thread. */
  readonly common: number;
  /** Position in the conversation from which the thread differs from the list; undefined when it does not. */
  readonly partedAt: number | undefined;
}

/**
 * Finds where a host's list belongs in a thread. The list either begins where the thread begins, or is a window whose
 * first messages match those from a later position on.
 *
 * @param read the messages of the list, with positions from 0.
 */
export function alignmentOf(thread: AgentThread, read: readonly MessageInput[]): Alignment {
  const held = mirroredMessages(thread);
  const said = read.map(contentOf);
  let best = { start: 0, run: commonRun(held, 0, said) };
  const isWhole = best.run === held.length;
  for (let start = 1; !isWhole && start < held.length; start++) {
    const run = commonRun(held, start, said);
    if (run > best.run && isWindow(read, run, start + run === held.length)) best = { start, run };
  }
  const { start, run } = best;
  const offset = start === 0 ? 0 : (positionOf(held[start]) ?? 0) - (positionOf(read[0]) ?? 0);
  const parted = held[start + run];
  if (parted === undefined) return { offset, common: run, partedAt: undefined };
  const place = positionOf(parted) ?? 0;
  const next = positionOf(read[run]);
  return { offset, common: run, partedAt: next === undefined ? place : Math.min(place, offset + next) };
}

/**
 * Checks whether this many matching messages prove that a list is the end of the conversation. The same question may
 * well be asked twice, so an answer of the model must be among them, or must follow when they end where the thread
 * ends.
 */
const isWindow = (read: readonly MessageInput[], run: number, isEnd: boolean): boolean =>
  read.slice(0, run).some(({ role }) => role === "assistant") || (isEnd && read[run]?.role === "assistant");

/** Returns the messages of a thread that were read from a host's list; the others are not compared. */
export const mirroredMessages = (thread: AgentThread): readonly MessageInput[] =>
  [...thread.messagesBetween(0)].filter((message) => livePositions(message).length > 0);

export const positionOf = (message: MessageInput | undefined): number | undefined =>
  message && livePositions(message)[0];

function commonRun(held: readonly MessageInput[], start: number, said: readonly string[]): number {
  const length = Math.min(held.length - start, said.length);
  for (let index = 0; index < length; index++) {
    const message = held[start + index];
    if (message === undefined || contentOf(message) !== said[index]) return index;
  }
  return length;
}

const contents = new WeakMap<readonly Part[], string>();

/** Returns what a message says, regardless of its id, its time and its cache marks. */
export function contentOf({ role, parts }: MessageInput): string {
  const known = contents.get(parts);
  if (known !== undefined) return known;
  const content = canonicalJson(withoutCacheMarks({ role, parts: parts.map(withoutToolName) }) as JsonValue);
  contents.set(parts, content);
  return content;
}

/** Leaves out the tool name of a result: it comes from the call, which may be outside the window. */
const withoutToolName = (part: Part): unknown =>
  part.type === "tool-result" ? { ...part, result: { ...part.result, toolName: "" } } : part;

/** Fields with which APIs and SDKs mark the end of a cached prefix. Hosts move these marks from request to request. */
const CACHE_MARKS: ReadonlySet<string> = new Set([
  ...["cache_control", "cacheControl", "prompt_cache_breakpoint", "promptCacheBreakpoint"],
]);

/**
 * Returns a message without the marks that only say where a cached prefix ends, without undefined fields, and without
 * objects that contained nothing else. Class instances, such as URLs and bytes, stay unchanged.
 */
export function withoutCacheMarks(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutCacheMarks);
  if (typeof value !== "object" || value === null || !isPlain(value)) return value;
  const kept = Object.entries(value).flatMap(([key, field]) => {
    if (field === undefined || CACHE_MARKS.has(key)) return [];
    const bare = withoutCacheMarks(field);
    return isEmptied(field, bare) ? [] : [[key, bare] as const];
  });
  return Object.fromEntries(kept);
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

const isEmptied = (before: unknown, after: unknown): boolean =>
  typeof after === "object" &&
  after !== null &&
  !Array.isArray(after) &&
  Object.keys(after).length === 0 &&
  Object.keys(before as object).length > 0;

/**
 * Checks whether a host's message is unchanged: the same object, or one with the same content. Texts are compared by
 * identity first, so comparing a copy that shares them is cheap. Cache marks are ignored.
 */
export const isSameMessage = (before: unknown, now: unknown): boolean =>
  before === now ||
  isDeepStrictEqual(before, now) ||
  isDeepStrictEqual(withoutCacheMarks(before), withoutCacheMarks(now));
