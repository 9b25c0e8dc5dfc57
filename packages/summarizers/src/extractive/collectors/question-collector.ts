import type { Place } from "../reading/place.ts";
import type { Speech } from "../reading/speech.ts";
import type { Harvest, SpanCollector } from "../span-collector.ts";
import { excerpt } from "../text/excerpt.ts";

const MAX_QUESTION = 240;
const MAX_QUESTIONS = 2;

/** Finds what the agent asked the user when it ended its turn and nobody has answered yet. */
export class QuestionCollector implements SpanCollector {
  #questions: readonly string[] = [];
  #place: Place | null = null;

  userSpeech(): void {
    this.#questions = [];
  }

  agentSpeech({ sentences, place, closing }: Speech): void {
    const questions = closing ? sentences.filter(({ text }) => text.endsWith("?") || text.endsWith("？")) : [];
    this.#questions = questions.slice(-MAX_QUESTIONS).map(({ text }) => text);
    this.#place = place;
  }

  call(): void {
    this.#questions = [];
  }

  harvest(): Harvest {
    const place = this.#place;
    if (place === null) return {};
    return {
      candidates: this.#questions.map((question) => ({
        section: "openItems",
        item: {
          description: `Question to the user: ${excerpt(question, MAX_QUESTION)}`,
          context: "not answered yet",
          priority: "high",
          status: "open",
          sources: [place.messageId],
        },
        worth: 3,
      })),
    };
  }
}
