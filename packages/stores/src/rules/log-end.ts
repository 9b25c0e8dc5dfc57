import { type MessageId, type PinId, THREAD_CHAIN_START, type ThreadEntry } from "@threadfold/core";

/** Where a thread ends: all that an append has to know of the entries before it. */
export interface LogEnd {
  readonly version: number;
  readonly messages: number;
  readonly turn: number;
  readonly step: number;
  /** The thread's digest. */
  readonly link: string;
}

/** The end of a thread without an entry. */
export const START_OF_LOG: LogEnd = Object.freeze({
  version: 0,
  messages: 0,
  turn: 0,
  step: 0,
  link: THREAD_CHAIN_START,
});

/** Where a thread ends once it has one more entry. */
export function endAfter(before: LogEnd, entry: ThreadEntry, link: string): LogEnd {
  const version = before.version + 1;
  if (entry.type !== "message") return { ...before, version, link };
  const { turn, step, ordinal } = entry.message;
  return { version, messages: ordinal + 1, turn, step, link };
}

/** The ids by which an entry is found. */
export function idsOf(entry: ThreadEntry): { readonly messageId: MessageId | null; readonly pinId: PinId | null } {
  switch (entry.type) {
    case "message":
      return { messageId: entry.message.id, pinId: null };
    case "pin":
      return { messageId: null, pinId: entry.pin.id };
    case "pin-lifted":
      return { messageId: null, pinId: entry.pinId };
  }
}
