import type { Message } from "../model/message.ts";
import type { Pin } from "../thread/pin.ts";
import { detectConstraints } from "./detect-constraints.ts";

/** What limits detection. */
export interface PinDetection {
  /** All detected pins of a thread together take at most so many tokens; later ones are left out. */
  readonly maxTokens: number;
  readonly countTokens: (text: string) => number;
  /** Hears of a constraint that is left out for the cap. */
  readonly onLeftOut?: (pin: Pin, tokens: number) => void;
}

/**
 * The constraints in new messages that are worth pinning: no text twice, and together with what is already pinned by
 * detection no more than the cap. Oldest first, because a later rule that matters can be pinned explicitly.
 */
export function detectPins(messages: Iterable<Message>, live: readonly Pin[], detection: PinDetection): readonly Pin[] {
  const known = new Set(live.map((pin) => pin.text));
  let used = live
    .filter((pin) => pin.origin === "detector")
    .reduce((sum, pin) => sum + detection.countTokens(pin.text), 0);
  const found: Pin[] = [];
  for (const message of messages) {
    for (const pin of detectConstraints(message)) {
      const tokens = detection.countTokens(pin.text);
      if (known.has(pin.text)) continue;
      known.add(pin.text);
      if (used + tokens > detection.maxTokens) {
        detection.onLeftOut?.(pin, tokens);
        continue;
      }
      used += tokens;
      found.push(pin);
    }
  }
  return found;
}
