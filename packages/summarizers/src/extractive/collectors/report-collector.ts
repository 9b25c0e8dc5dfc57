import type { Place } from "../reading/place.ts";
import type { Speech } from "../reading/speech.ts";
import type { Candidate } from "../selection/candidate.ts";
import type { Harvest, SpanCollector } from "../span-collector.ts";
import { COMPLETION, DECISION, FINDING, SETBACK } from "../text/phrases.ts";
import { isAnnouncement, isQuestion, type Sentence } from "../text/sentence.ts";
import { type SpanWords, wordsOf } from "../text/span-words.ts";

/** Rarest words that stand for what a message says. */
const TELLING_WORDS = 8;
/** Sentences that are quoted of a message at the most; the answer that ends a turn tells what a whole turn came to. */
const MOST_QUOTED = 3;
const MOST_CLOSING = 7;
const MIN_SENTENCE = 18;
/** What says what was found, decided or done is worth more than what says what comes next. */
const CONCLUDES = FINDING | DECISION | COMPLETION | SETBACK;
const CONCLUSION = 1.8;
const ANNOUNCEMENT = 0.6;
const GUESSED = 0.4;
/** What the agent is still guessing is told last. */
const GUESS = /\b(?:maybe|perhaps|might be|not sure|unclear)\b/i;
/** Signs of a name: code, a path, a file, a number. */
const NAMES = /`|[a-z][A-Z]|\w_\w|[\w)]\.[a-z]\w|\/\w|\d/;
const COURTESY = /^(?:you(?:['’]re| are) (?:very |most )?welcome|(?:always )?happy to help|no problem|my pleasure)\b/i;

interface ChosenSentence {
  readonly index: number;
  /** How rare the words are that only it brings. */
  readonly weight: number;
}

interface Report {
  readonly place: Place;
  readonly sentences: readonly Sentence[];
  readonly closing: boolean;
}

/**
 * Finds what the agent said that it found, decided and did: of every message the sentences that tell it from all else, whole
 * and word for word. Each message has its first line before any has a second one.
 */
export class ReportCollector implements SpanCollector {
  readonly #words: SpanWords;
  readonly #reports: Report[] = [];

  constructor(words: SpanWords) {
    this.#words = words;
  }

  agentSpeech({ sentences, place, closing }: Speech): void {
    const telling = sentences.filter(isTelling);
    if (telling.length > 0) this.#reports.push({ place, sentences: telling, closing });
  }

  harvest(): Harvest {
    const last = this.#reports.at(-1)?.place;
    const worthTelling = this.#reports.map((report) =>
      report.place.turn === last?.turn
        ? report
        : { ...report, sentences: report.sentences.filter((sentence) => !isPassing(sentence)) },
    );
    return { candidates: worthTelling.flatMap((report) => this.#quotes(report, last?.position ?? 0)) };
  }

  /** In the order of the message. What tells most of it is worth more than what comes second of any other. */
  #quotes(report: Report, last: number): readonly Candidate[] {
    const { place, closing } = report;
    const recent = (place.position + 1) / (last + 1);
    return [...this.#chosen(report).entries()]
      .map(([rank, { index, weight }]) => {
        const { text } = report.sentences[index] as Sentence;
        const first = 1 + (closing ? 1.5 : 1) + recent + Math.min(0.5, weight / 8);
        const more = (closing ? 1.5 : 0.8) / Math.max(1, rank) + recent;
        const worth = isAnnouncement(text) ? recent / 2 : rank === 0 ? first : more;
        return { text, index, worth };
      })
      .sort((a, b) => a.index - b.index)
      .map(({ text, worth }): Candidate => ({ section: "facts", item: { text, sources: [place.messageId] }, worth }));
  }

  /** The sentences that cover most of the message's rarest words, best first. */
  #chosen({ sentences, closing }: Report): readonly ChosenSentence[] {
    const words = sentences.map(({ text }) => wordsOf(text));
    const telling = TELLING_WORDS * (closing ? 3 : 1);
    const open = new Set(this.#words.rarest(new Set(words.flatMap((own) => [...own])), telling));
    const chosen: ChosenSentence[] = [];
    const taken = new Set<number>();
    while (open.size > 0 && chosen.length < (closing ? MOST_CLOSING : MOST_QUOTED)) {
      let best = { index: -1, weight: 0, value: 0 };
      for (const [index, sentence] of sentences.entries()) {
        if (taken.has(index)) continue;
        const weight = this.#weightOf(words[index] as ReadonlySet<string>, open);
        const value = (weight * standingOf(sentence)) / Math.sqrt(sentence.text.length + 40);
        if (value > best.value) best = { index, weight, value };
      }
      if (best.index < 0) break;
      taken.add(best.index);
      for (const word of words[best.index] as ReadonlySet<string>) open.delete(word);
      chosen.push(best);
    }
    return chosen;
  }

  #weightOf(words: ReadonlySet<string>, open: ReadonlySet<string>): number {
    let weight = 0;
    for (const word of words) if (open.has(word)) weight += 1 / this.#words.count(word);
    return weight;
  }
}

/** An announcement that names nothing. In the turn at hand it tells where the agent is; afterwards, nothing. */
const isPassing = ({ text }: Sentence): boolean => isAnnouncement(text) && !NAMES.test(text);

function standingOf({ text, marks }: Sentence): number {
  if (GUESS.test(text)) return GUESSED;
  if (marks & CONCLUDES) return CONCLUSION;
  return isAnnouncement(text) ? ANNOUNCEMENT : 1;
}

/** A row of a table, a heading, a question or a courtesy tells nothing that was found. */
const isTelling = ({ text }: Sentence): boolean =>
  text.length >= MIN_SENTENCE &&
  !COURTESY.test(text) &&
  !text.startsWith("|") &&
  !isQuestion(text) &&
  !/^[-=*#\s]+$/.test(text);
