import fc from "fast-check";
import { asPinId, asThreadId } from "../model/ids.ts";
import type { MessageInput } from "../model/message.ts";
import { AgentThread } from "../thread/agent-thread.ts";
import type { ThreadEntryInput } from "../thread/thread-entry.ts";
import { messageInputs, type TranscriptOptions } from "./message-arbitrary.ts";
import { type PinDraft, pinDrafts, pinFrom } from "./pin-arbitrary.ts";

/** What a generated thread may hold. */
export interface ThreadOptions extends TranscriptOptions {
  /** Also pins between the messages, and entries that lift some of them. True by default. */
  readonly pins?: boolean;
}

/** The id of every generated thread. */
export const GENERATED_THREAD_ID = asThreadId("thread-1");

/** A pin, after how many messages it is made, and how many messages later it is lifted, if ever. */
const placedPins = fc.record({ draft: pinDrafts, after: fc.nat(40), liftedLater: fc.option(fc.nat(20), { freq: 2 }) });

/** Entries that a thread accepts in this order: the messages of {@link messageInputs}, pins and liftings among them. */
export function threadEntryInputs(options: ThreadOptions = {}): fc.Arbitrary<readonly ThreadEntryInput[]> {
  const pins = options.pins === false ? fc.constant([]) : fc.array(placedPins, { maxLength: 4 });
  return fc.tuple(messageInputs(options), pins).map(([messages, placed]) => weave(messages, placed));
}

/** Threads; see {@link threadEntryInputs}. */
export function agentThreads(options: ThreadOptions = {}): fc.Arbitrary<AgentThread> {
  return threadEntryInputs(options).map((entries) => AgentThread.empty(GENERATED_THREAD_ID).appendEntries(entries));
}

interface PlacedPin {
  readonly draft: PinDraft;
  readonly after: number;
  readonly liftedLater: number | null;
}

/** Puts pins and liftings after the messages that they come after; a pin quotes only what is there by then. */
function weave(messages: readonly MessageInput[], placed: readonly PlacedPin[]): readonly ThreadEntryInput[] {
  const slots: ThreadEntryInput[][] = [
    [],
    ...messages.map((message): ThreadEntryInput[] => [{ type: "message", message }]),
  ];
  placed.forEach(({ draft, after, liftedLater }, index) => {
    const place = after % slots.length;
    const pin = pinFrom(draft, messages.slice(0, place), asPinId(`pin_${index + 1}`));
    slots[place]?.push({ type: "pin", pin });
    if (liftedLater === null) return;
    const end = Math.min(slots.length - 1, place + liftedLater);
    slots[end]?.push({ type: "pin-lifted", pinId: pin.id, authority: "system", reason: "no longer needed" });
  });
  return slots.flat();
}
