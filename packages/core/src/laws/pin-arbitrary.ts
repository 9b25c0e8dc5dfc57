import fc from "fast-check";
import { asPinId, type PinId } from "../model/ids.ts";
import type { MessageInput } from "../model/message.ts";
import { visibleText } from "../model/message-header.ts";
import type { Authority, Pin } from "../thread/pin.ts";
import { LOOK_ALIKES, proseTexts } from "./text-arbitrary.ts";

/** A pin before it is known which messages it may quote. */
export interface PinDraft {
  /** What it says when it quotes nothing. */
  readonly text: string;
  readonly authority: Authority;
  readonly origin: Pin["origin"];
  /** Picks the line that it quotes; null for a text of its own. */
  readonly quote: number | null;
}

export const pinDrafts: fc.Arbitrary<PinDraft> = fc.record({
  text: fc.oneof(proseTexts, fc.constantFrom(...LOOK_ALIKES)),
  authority: fc.constantFrom<Authority>("system", "operator", "user"),
  origin: fc.constantFrom<Pin["origin"]>("explicit", "policy", "detector"),
  quote: fc.option(fc.nat(1_000), { freq: 3 }),
});

/** The pin of a draft: a line of a user or system message with its source, or a text of its own. */
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

/** The first lines of a message that a pin may quote, with their place in its visible text. */
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
