import type { MessageId, ThreadId } from "../model/ids.ts";
import type { Message, Role } from "../model/message.ts";
import type { RecallPassage } from "./recall-passage.ts";

/** What is looked for in one thread. */
export interface RecallRequest {
  /** Words in any order, in any form of theirs that a stemmer knows; see `recallTerms` for what counts as one. The first 1 024 are used (C6, term limit). */
  readonly text: string;
  /** The branch that asks. It sees the main branch, itself and its ancestors (C7); the main branch when it is absent. */
  readonly branch?: string;
  /** Only messages made at or after this ISO 8601 time. */
  readonly after?: string;
  /** Only messages made before this ISO 8601 time. */
  readonly before?: string;
  readonly roles?: readonly Role[];
  /** Messages that are not to be found, such as those that the prompt shows. */
  readonly except?: readonly MessageId[];
  /** Passages on a page, 1 to 2 000; 20 by default. */
  readonly limit?: number;
  /** `nextCursor` of the page before. */
  readonly cursor?: string;
}

/** A passage of a message that holds some of the words, and where it comes from. */
export interface RecallHit extends Omit<RecallPassage, "words"> {
  /** The passage itself, word for word. */
  readonly excerpt: string;
  /** BM25 over the passages of the thread, neighbours counted in; comparable within one search. */
  readonly score: number;
}

/** One page of what was found, best first. */
export interface RecallPage {
  readonly hits: readonly RecallHit[];
  /** Passages found on all pages together. */
  readonly total: number;
  /** Null on the last page, and beyond it. */
  readonly nextCursor: string | null;
}

/**
 * Finds passages of a thread by their words, whether they are in the prompt, folded or dropped (C6). It holds nothing
 * that the thread does not: it may be thrown away and made again. Every backend gives the same hits in the same order.
 */
export interface RecallIndex {
  /** Adds messages of a thread. Those that are indexed already are skipped, so handing in a whole thread again is cheap. */
  index(threadId: ThreadId, messages: Iterable<Message>): Promise<void>;
  /** @throws ThreadfoldError `INVALID_QUERY` for a malformed time, limit or cursor. */
  search(threadId: ThreadId, request: RecallRequest): Promise<RecallPage>;
  /** Forgets a thread. */
  remove(threadId: ThreadId): Promise<void>;
}
