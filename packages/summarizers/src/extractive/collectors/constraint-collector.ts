import type { Place } from "../reading/place.ts";
import type { Speech } from "../reading/speech.ts";
import type { Candidate } from "../selection/candidate.ts";
import type { Harvest, HarvestContext, SpanCollector } from "../span-collector.ts";
import { statementKey } from "../text/excerpt.ts";
import { RULE } from "../text/phrases.ts";

const MIN_LENGTH = 8;
const USER_WORTH = 2;
const SYSTEM_WORTH = 1;

/** "I don't think" and "it must have been" tell of something; only an order or a duty is a rule. */
const TELLS =
  /\b(?:I|we|it|he|she|they|this|that|you|who|which|\w+s)\s+(?:don['’]t|do not)\b|\bmust(?:n['’]t)? have\b|\b(?:has|have|had|was|were|is|are)\s+(?:never|always)\b|\bnever\s?mind\b|\balmost always\b/i;

/** Finds standing rules ("never", "always", "must") in what the user and the system said. A pinned rule needs no second copy. */
export class ConstraintCollector implements SpanCollector {
  readonly #rules = new Map<string, { readonly text: string; readonly place: Place; readonly worth: number }>();

  userSpeech(speech: Speech): void {
    this.#collect(speech, USER_WORTH);
  }

  systemSpeech(speech: Speech): void {
    this.#collect(speech, SYSTEM_WORTH);
  }

  #collect({ sentences, place }: Speech, worth: number): void {
    for (const { text, marks } of sentences) {
      if (!(marks & RULE) || text.length < MIN_LENGTH || /[?:？：]$/.test(text)) continue;
      if (TELLS.test(text)) continue;
      const key = statementKey(text);
      if (!this.#rules.has(key)) this.#rules.set(key, { text, place, worth });
    }
  }

  harvest({ pins }: HarvestContext): Harvest {
    const pinned = pins.map((pin) => statementKey(pin.text)).join("\n");
    const candidates = [...this.#rules]
      .filter(([key]) => !pinned.includes(key))
      .map(
        ([, { text, place, worth }]): Candidate => ({
          section: "constraints",
          item: { text, sources: [place.messageId] },
          // Among rules of one source, shorter ones bind more per token.
          worth: worth + 1 / (1 + text.length / 100),
        }),
      );
    return { candidates };
  }
}
