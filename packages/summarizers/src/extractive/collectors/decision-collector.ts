import type { Place } from "../reading/place.ts";
import type { Speech } from "../reading/speech.ts";
import type { Candidate } from "../selection/candidate.ts";
import type { Harvest, SpanCollector } from "../span-collector.ts";
import { DECISION } from "../text/phrases.ts";

/** What an agent says before it calls a tool is no decision. */
const ABOUT_TOOLS =
  /\b(?:tool|command|grep|search(?:ing)?|look(?:ing)? (?:at|for)|read(?:ing)? the|list(?:ing)?|bash|sed)\b/i;
const RATIONALE = /\s+(?:because|since|so that|weil|parce que|car|porque|因为)\s+|\s+[—–]\s+/iu;
const MIN_LENGTH = 20;
const MAX_LENGTH = 240;

/** Finds choices that the agent says it made, with the reason when the sentence gives one. */
export class DecisionCollector implements SpanCollector {
  readonly #found: { readonly text: string; readonly place: Place }[] = [];

  agentSpeech({ sentences, place }: Speech): void {
    for (const { text, marks } of sentences) {
      if (!(marks & DECISION) || text.length < MIN_LENGTH || text.length > MAX_LENGTH || /[?:？：]$/.test(text))
        continue;
      if (!ABOUT_TOOLS.test(text)) this.#found.push({ text, place });
    }
  }

  harvest(): Harvest {
    const last = this.#found.at(-1)?.place.position ?? 0;
    return { candidates: this.#found.map(({ text, place }) => candidateOf(text, place, last)) };
  }
}

function candidateOf(sentence: string, place: Place, last: number): Candidate {
  const split = RATIONALE.exec(sentence);
  const decision = split === null ? sentence : sentence.slice(0, split.index);
  const rationale = split === null ? "" : sentence.slice(split.index + split[0].length);
  return {
    section: "decisions",
    item: {
      decision: decision.replace(/[.。]$/, ""),
      rationale: rationale.replace(/[.。]$/, ""),
      turn: place.turn,
      sources: [place.messageId],
    },
    worth: 1 + (place.position + 1) / (last + 1) + (rationale === "" ? 0 : 0.3),
  };
}
