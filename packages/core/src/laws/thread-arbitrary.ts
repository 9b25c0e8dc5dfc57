import fc from "fast-check";
import { asPinId, asThreadId, type PinId } from "../model/ids.ts";
import { type MessageInput, visibleText } from "../model/message.ts";
import { AgentThread } from "../thread/agent-thread.ts";
import type { Authority, Pin, ThreadEntryInput } from "../thread/thread-entry.ts";
import { messageInputs, type TranscriptOptions } from "./message-arbitrary.ts";
import { LOOK_ALIKES, proseTexts } from "./text-arbitrary.ts";

/** What generated threads may contain. */
export interface ThreadOptions extends TranscriptOptions {
  /** Also pins between the messages, and entries that lift some of them. True by default. */
  readonly pins?: boolean;
}

/** The id of every generated thread. */
export const GENERATED_THREAD_ID = asThreadId("thread-1");

/** A generated pin, before the messages that it may quote are known. */
export interface PinDraft {
  /** Its text when it quotes nothing. */
  readonly text: string;
  readonly authority: Authority;
  readonly origin: Pin["origin"];
  /** Selects the line that it quotes; null for a pin with its own text. */
  readonly quote: number | null;
}

export const pinDrafts: fc.Arbitrary<PinDraft> = fc.record({
  text: fc.oneof(proseTexts, fc.constantFrom(...LOOK_ALIKES)),
  authority: fc.constantFrom<Authority>("system", "operator", "user"),
  origin: fc.constantFrom<Pin["origin"]>("explicit", "policy", "detector"),
  quote: fc.option(fc.nat(1_000), { freq: 3 }),
});

/** A pin, the number of messages before it, and the number of messages after which it is lifted, if ever. */
const placedPins = fc.record({ draft: pinDrafts, after: fc.nat(40), liftedLater: fc.option(fc.nat(20), { freq: 2 }) });

/** Entries that a thread accepts in this order: the messages of {@link messageInputs}, mixed with pins and liftings. */
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

/** Inserts pins and liftings between the messages; a pin quotes only messages before it. */
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

/** Makes the pin of a draft: a line of a user or system message with its source, or the draft's own text. */
export function pinFrom(draft: PinDraft, messages: readonly MessageInput[], id: PinId): Pin {
  const { text, quote, ...rest } = draft;
  const lines = quote === null ? [] : messages.flatMap(quotableLines);
  const quoted = lines[(quote ?? 0) % Math.max(1, lines.length)];
  return { id, ...(quoted ?? { text }), ...rest };
}

/** Up to four pins for a thread, with ids `pin_1`, `pin_2`, … */
export function pinsFor(thread: { readonly messages: Iterable<MessageInput> }): fc.Arbitrary<readonly Pin[]> {
  const messages = [...thread.messages];
  return fc
    .array(pinDrafts, { maxLength: 4 })
    .map((drafts) => drafts.map((draft, index) => pinFrom(draft, messages, asPinId(`pin_${index + 1}`))));
}

/** Returns the first lines of a message that a pin may quote, with their position in its visible text. */
function quotableLines(message: MessageInput): readonly Pick<Pin, "text" | "source">[] {
  if (message.role !== "user" && message.role !== "system") return [];
  let start = 0;
  return visibleText(message)
    .split("\n", 3)
    .map((text) => {
      const source = { messageId: message.id, start, end: start + text.length };
      start = source.end + 1;
      return { text, source };
    })
    .filter(({ text }) => text.trim() !== "");
}
