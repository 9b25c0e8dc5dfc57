import type { MessageId } from "@threadfold/core";

/** The message that an entry became, and on which branch. */
export interface EntryMessage {
  readonly entry: number;
  readonly messageId: MessageId;
  readonly branch: string | undefined;
}

/** Which entry became which message, for finding the first message of a kept tail. */
export class EntryMessages {
  readonly #byBranch = new Map<string | undefined, EntryMessage[]>();

  /** Entries are added in the order of the log. */
  add(message: EntryMessage): void {
    const onBranch = this.#byBranch.get(message.branch);
    if (onBranch === undefined) this.#byBranch.set(message.branch, [message]);
    else onBranch.push(message);
  }

  /**
   * The first message at or after one entry and before another that is on one of the given branches. The entry that a
   * compaction names as the first kept one may be a setting that became no message.
   */
  firstFrom(fromEntry: number, beforeEntry: number, branches: readonly (string | undefined)[]): MessageId | undefined {
    let first: EntryMessage | undefined;
    for (const branch of branches) {
      const onBranch = this.#byBranch.get(branch) ?? [];
      const found = onBranch[lowerBound(onBranch, fromEntry)];
      if (found !== undefined && found.entry < (first?.entry ?? beforeEntry)) first = found;
    }
    return first?.messageId;
  }

  /** The first of the last `count` messages before an entry, on one branch. */
  firstOfLast(count: number, beforeEntry: number, branch: string | undefined): MessageId | undefined {
    const onBranch = this.#byBranch.get(branch) ?? [];
    const end = lowerBound(onBranch, beforeEntry);
    return count > 0 ? onBranch[Math.max(0, end - count)]?.messageId : undefined;
  }
}

function lowerBound(messages: readonly EntryMessage[], entry: number): number {
  let [low, high] = [0, messages.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((messages[middle] as EntryMessage).entry < entry) low = middle + 1;
    else high = middle;
  }
  return low;
}
