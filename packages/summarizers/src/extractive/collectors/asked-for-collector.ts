import type { Place } from "../reading/place.ts";
import type { Speech } from "../reading/speech.ts";
import type { Candidate } from "../selection/candidate.ts";
import type { Harvest, SpanCollector } from "../span-collector.ts";
import { InstructionWords } from "../text/instruction-words.ts";

const MIN_SENTENCE = 18;

/** Finds the sentences that speak of what a fold's instructions ask for, also those that nothing else would quote. */
export class AskedForCollector implements SpanCollector {
  readonly #words: InstructionWords;
  readonly #sentences: { readonly text: string; readonly place: Place }[] = [];

  constructor(instructions: string | undefined) {
    this.#words = new InstructionWords(instructions);
  }

  userSpeech(speech: Speech): void {
    this.#read(speech);
  }

  agentSpeech(speech: Speech): void {
    this.#read(speech);
  }

  #read({ sentences, place }: Speech): void {
    if (!this.#words.areGiven) return;
    for (const { text } of sentences) if (text.length >= MIN_SENTENCE) this.#sentences.push({ text, place });
  }

  harvest(): Harvest {
    const shares = this.#words.sharesIn(this.#sentences.map(({ text }) => text));
    const candidates = this.#sentences.flatMap(({ text, place }, index): readonly Candidate[] =>
      shares[index] === 0
        ? []
        : [{ section: "facts", item: { text, sources: [place.messageId] }, worth: shares[index] as number }],
    );
    return { candidates };
  }
}
