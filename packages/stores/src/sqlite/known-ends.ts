import type { MessageId } from "@threadfold/core";
import type { LogEnd } from "../rules/log-end.ts";
import { notedUpTo } from "./noted-places.ts";

/** How many ends are remembered. Looking one up again is cheap; remembering every thread of a large store is not. */
const REMEMBERED = 4_096;

/** Where a connection left a thread. */
export interface KnownEnd {
  readonly end: LogEnd;
  /**
   * Ids of the newest messages, whose places are not noted and which the schema so does not refuse a second time. Absent
   * until somebody asks.
   */
  readonly recent?: Set<MessageId>;
}

/** Where a connection left the threads that it appended to. Another one may have gone on since. */
export class KnownEnds {
  readonly #ends = new Map<number, KnownEnd>();

  of(threadKey: number): KnownEnd | undefined {
    return this.#ends.get(threadKey);
  }

  remember(threadKey: number, known: KnownEnd): void {
    if (this.#ends.size >= REMEMBERED) this.#ends.clear();
    this.#ends.set(threadKey, known);
  }

  forget(threadKey: number): void {
    this.#ends.delete(threadKey);
  }
}

/** A known end after messages were appended there. The set of recent ids goes on with it. */
export function afterMessages(
  { end, recent }: Required<KnownEnd>,
  added: readonly MessageId[],
  after: LogEnd,
): KnownEnd {
  const noted = notedUpTo(after.version);
  // What is behind the noted ones came with this append, where that noted any.
  const isNoted = noted > end.version;
  if (isNoted) recent.clear();
  for (const id of isNoted ? added.slice(noted - end.version) : added) recent.add(id);
  return { end: after, recent };
}
