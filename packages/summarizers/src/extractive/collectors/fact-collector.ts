import type { Place } from "../reading/place.ts";
import type { Speech } from "../reading/speech.ts";
import type { Candidate } from "../selection/candidate.ts";
import type { Harvest, HarvestContext, SpanCollector } from "../span-collector.ts";
import { FINDING, PREFERENCE, RULE } from "../text/phrases.ts";

const MIN_FINDING = 30;
const MAX_LENGTH = 220;
/** What the agent is still guessing is no finding. */
const GUESS =
  /^(?:let me|let['’]s|now i|i['’]ll|since i|maybe|perhaps)\b|\b(?:maybe|perhaps|might be|check if|not sure|unclear)\b/i;
const FIGURE = /\d|["“«„][^"”»“]{2,60}["”»“]|[$€£¥]/;

interface Fact {
  readonly text: string;
  readonly place: Place;
  readonly worth: number;
}

/** Finds what users state about themselves and their work, with figures first, and what the agent says that it found out. */
export class FactCollector implements SpanCollector {
  readonly #facts: Fact[] = [];

  userSpeech({ sentences, place }: Speech): void {
    for (const { text, marks } of sentences) {
      if (!(marks & PREFERENCE) || marks & RULE || text.length > MAX_LENGTH || /[?:？：]$/.test(text)) continue;
      this.#facts.push({ text, place, worth: FIGURE.test(text) ? 3 : 2 });
    }
  }

  agentSpeech({ sentences, place }: Speech): void {
    for (const { text, marks } of sentences) {
      if (!(marks & FINDING) || text.length < MIN_FINDING || text.length > MAX_LENGTH || /[?:？：]$/.test(text))
        continue;
      if (!GUESS.test(text)) this.#facts.push({ text, place, worth: 1 });
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
