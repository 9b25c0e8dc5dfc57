import type { Place } from "../reading/place.ts";
import type { Candidate } from "../selection/candidate.ts";
import type { HandoffSpeaker, Harvest, SpanCollector } from "../span-collector.ts";
import { type Sentence, sentencesOf } from "../text/sentence.ts";

/** A handoff is read whole up to so many UTF-16 code units. */
const MOST_READ = 40_000;
const MIN_LINE = 20;
/** What harnesses put around a handoff: it speaks of the conversation and not of the work. */
const FRAME =
  /^(?:This session is being continued|The conversation history before|The summary below covers|If you need specific details from before|Please continue the conversation|Continue (?:the conversation|with the last task)|<\/?summary>|(?:Analysis|Summary):?$)/i;
/** A tag that a harness puts around what an agent brought back. */
const WRAPPED = /^\s*(?:<[\w-]+(?:\s[^<>]{0,200})?>\s*)+/;
/** What a model wrote down for whoever takes over is worth more than what can be guessed from the steps themselves. */
const WORTH = 4;
/** The beginning says what matters; what follows it competes with what the steps say. */
const BEGINNING = 0.5;
const DETAIL_WORTH = 2;

/**
 * Keeps handoffs and summaries that stand in the log, with who wrote them: sentence by sentence, word for word. The newest
 * one tells what the others told, so that it comes first.
 */
export class HandoffCollector implements SpanCollector {
  readonly #handoffs: {
    readonly place: Place;
    readonly sentences: readonly Sentence[];
    readonly by: HandoffSpeaker;
  }[] = [];

  handoff(text: string, place: Place, by: HandoffSpeaker): void {
    const sentences = sentencesOf(text.replace(WRAPPED, ""), MOST_READ, 0).filter(
      ({ text: line }) => line.length >= MIN_LINE && !FRAME.test(line),
    );
    if (sentences.length > 0) this.#handoffs.push({ place, sentences, by });
  }

  harvest(): Harvest {
    const newest = this.#handoffs.length - 1;
    return {
      candidates: this.#handoffs.flatMap(({ place, sentences, by }, index) =>
        sentences.map(({ text }, at): Candidate => {
          const base = at < sentences.length * BEGINNING ? WORTH : DETAIL_WORTH;
          const worth =
            base + (index === newest ? 1 : index / (newest + 1)) + (sentences.length - at) / sentences.length / 2;
          return { section: "facts", item: { text, sources: [place.messageId], by }, worth };
        }),
      ),
    };
  }
}
