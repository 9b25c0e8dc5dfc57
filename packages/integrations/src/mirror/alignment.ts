import { type AgentThread, canonicalJson, type JsonValue, type MessageInput, type Part } from "@threadfold/core";
import { livePositions } from "@threadfold/importers";
import { withoutCacheMarks } from "./without-cache-marks.ts";

/** How a host's list lies on a thread. */
export interface Alignment {
  /** Place in the conversation of the list's first message: above 0 when the host hands in the end of it alone. */
  readonly offset: number;
  /** How many of the messages that were read from the list the thread has. */
  readonly common: number;
  /** Place in the conversation from which the thread has something else than the list; undefined when it has nothing else. */
  readonly partedAt: number | undefined;
}

/**
 * Finds where a host's list stands in a thread. It begins where the thread begins, or it is a window: its first messages
 * are those from a later place on.
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
 * Says whether so many first messages of a list are enough to know it for the end of a conversation. A question alone is
 * soon asked twice: an answer of the model has to be among them, or to follow where they end with the thread.
 */
const isWindow = (read: readonly MessageInput[], run: number, isEnd: boolean): boolean =>
  read.slice(0, run).some(({ role }) => role === "assistant") || (isEnd && read[run]?.role === "assistant");

/** The messages of a thread that were read from a host's list; the others are nobody's to compare. */
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

/** What a message says, whatever its id, its time and its cache marks are. */
export function contentOf({ role, parts }: MessageInput): string {
  const known = contents.get(parts);
  if (known !== undefined) return known;
  const content = canonicalJson(withoutCacheMarks({ role, parts: parts.map(withoutToolName) }) as JsonValue);
  contents.set(parts, content);
  return content;
}

/** The tool of a result is that of its call, which a window may have left behind. */
const withoutToolName = (part: Part): unknown =>
  part.type === "tool-result" ? { ...part, result: { ...part.result, toolName: "" } } : part;
