import type { Place } from "../reading/place.ts";
import type { Speech } from "../reading/speech.ts";
import type { Candidate } from "../selection/candidate.ts";
import type { Harvest, HarvestContext, SpanCollector } from "../span-collector.ts";
import { PREFERENCE, RULE } from "../text/phrases.ts";

const MAX_LENGTH = 220;
const FIGURE = /\d|["“«„][^"”»“]{2,60}["”»“]|[$€£¥]/;

interface Fact {
  readonly text: string;
  readonly place: Place;
  readonly worth: number;
}

/** Finds what users state about themselves and their work, with figures first. */
export class FactCollector implements SpanCollector {
  readonly #facts: Fact[] = [];

  userSpeech({ sentences, place }: Speech): void {
    for (const { text, marks } of sentences) {
      if (!(marks & PREFERENCE) || marks & RULE || text.length > MAX_LENGTH || /[?:？：]$/.test(text)) continue;
      this.#facts.push({ text, place, worth: FIGURE.test(text) ? 3 : 2 });
    }
  }

  harvest({ messages }: HarvestContext): Harvest {
    const candidates = this.#facts.map(
      ({ text, place, worth }): Candidate => ({
        section: "facts",
        item: { text, sources: [place.messageId] },
        worth: worth + (place.position + 1) / messages.length,
      }),
    );
    return { candidates };
  }
}
