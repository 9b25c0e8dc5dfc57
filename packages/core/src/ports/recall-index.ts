import type { MessageId, ThreadId } from "../model/ids.ts";
import type { Message } from "../model/message.ts";
import type { RecallPage, RecallRequest } from "../recall/recall-search.ts";

/**
 * Finds passages of a thread by their words, whether they are in the prompt, folded or dropped (C6). It holds nothing
 * that the thread does not, so it can be discarded and rebuilt. Every backend returns the same hits in the same order.
 */
export interface RecallIndex {
  /** Adds messages of a thread. Messages already indexed are skipped, so passing a whole thread again is cheap. */
  index(threadId: ThreadId, messages: Iterable<Message>): Promise<void>;
  /** @throws ThreadfoldError `INVALID_QUERY` for a malformed time, limit or cursor. */
  search(threadId: ThreadId, request: RecallRequest): Promise<RecallPage>;
  /** Removes a thread from the index. */
  remove(threadId: ThreadId): Promise<void>;
}

/** A text with its embedding. */
export interface VectorEntry {
  /** Unique within the thread. Storing an id again replaces its entry. */
  readonly id: string;
  readonly vector: readonly number[];
  readonly text: string;
  /** The messages that the text was taken from. */
  readonly sources: readonly MessageId[];
}

/** An entry close to the query vector. */
export interface VectorMatch {
  readonly entry: VectorEntry;
  /** Cosine of the angle between the two vectors, −1 to 1. */
  readonly similarity: number;
}

/** Stores embeddings per thread. The host chooses the model that makes them. */
export interface VectorStore {
  /** @throws ThreadfoldError `INVALID_QUERY` when the vectors of a thread differ in length, or one is not finite. */
  upsert(threadId: ThreadId, entries: readonly VectorEntry[]): Promise<void>;
  /** Returns the nearest entries, nearest first; ties in order of their ids. */
  search(threadId: ThreadId, vector: readonly number[], limit: number): Promise<readonly VectorMatch[]>;
  /** Removes all entries of a thread. */
  remove(threadId: ThreadId): Promise<void>;
}

/** Turns texts into vectors of equal length, in the same order. */
export type Embed = (texts: readonly string[]) => Promise<readonly (readonly number[])[]>;
