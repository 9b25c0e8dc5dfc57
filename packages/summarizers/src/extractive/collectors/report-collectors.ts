import type { Steps } from "@threadfold/core";
import type { ResultReading } from "../reading/result-reading.ts";
import type { Place, Speech } from "../reading/speech.ts";
import {
  isAnnouncement,
  isConclusion,
  isGuess,
  isPassing,
  isQuestion,
  isRemark,
  isSlight,
  quoteSentences,
  type Sentence,
  sentencesOf,
  withoutMusing,
} from "../text/sentence.ts";
import { type SpanWords, wordsOf } from "../text/words.ts";
import type { Candidate, HandoffSpeaker, Harvest, HarvestContext, SpanCollector } from "./span-collector.ts";

/** The number of rarest words that represent what a message says. */
const TELLING_WORDS = 8;
/**
 * The most sentences quoted from one message, and from the answer that ends a turn, which gets more because it reports
 * on the whole turn.
 */
const MOST_QUOTED = 3;
const MOST_CLOSING = 7;
const MIN_SENTENCE = 18;
/** As many last messages of the current turn show where the agent is, even if they only say what comes next. */
const LAST_STEPS = 3;
/** Weights: sentences on what was found, decided or done are worth more than those on what comes next. */
const CONCLUSION = 1.8;
const ANNOUNCEMENT = 0.6;
/** Weight of the agent's guesses, which come last. */
const GUESSED = 0.4;
const COURTESY = /^(?:you(?:['’]re| are) (?:very |most )?welcome|(?:always )?happy to help|no problem|my pleasure)\b/i;

interface ChosenSentence {
  readonly index: number;
  /** The combined rarity of the words that no other chosen sentence contains. */
  readonly weight: number;
}

/** A sentence with its index in its message. */
interface PlacedSentence extends Sentence {
  readonly at: number;
}

const placed = (sentence: Sentence, at: number): PlacedSentence => ({ ...sentence, at });

interface Report {
  readonly place: Place;
  readonly sentences: readonly PlacedSentence[];
  readonly closing: boolean;
}

/**
 * Finds what the agent said that it found, decided and did: the most distinctive sentences of every message, whole and
 * word for word. A message's first quote ranks above the further quotes of any other message.
 */
export class ReportCollector implements SpanCollector {
  readonly #words: SpanWords;
  readonly #reports: Report[] = [];
  readonly #candidates: Candidate[] = [];

  constructor(words: SpanWords) {
    this.#words = words;
  }

  agentSpeech({ sentences, place, closing }: Speech): void {
    const all = sentences.map(placed);
    const stated = all.filter((sentence, index) => isTelling(sentence) || (closing && isRow(index, all)));
    const telling = withoutMusing(stated);
    if (telling.length > 0) this.#reports.push({ place, sentences: telling, closing });
  }

  *prepare(): Steps<void> {
    const last = this.#reports.at(-1)?.place;
    for (const [index, report] of this.#reports.entries()) {
      yield;
      const isLast = report.place.turn === last?.turn && index >= this.#reports.length - LAST_STEPS;
      // In the last steps, an announcement shows where the agent is; before them, it says nothing.
      const sentences = isLast ? report.sentences : report.sentences.filter((sentence) => !isPassing(sentence));
      this.#candidates.push(...this.#quotes({ ...report, sentences }, last?.position ?? 0));
    }
  }

  harvest(): Harvest {
    return { candidates: this.#candidates };
  }

  /** The quotes of a report, in the order of the message. The best one is worth more than the second of any other. */
  #quotes(report: Report, last: number): readonly Candidate[] {
    const { place, closing } = report;
    const recent = (place.position + 1) / (last + 1);
    return [...this.#chosen(report).entries()]
      .map(([rank, { index, weight }]) => {
        const sentence = report.sentences[index] as PlacedSentence;
        const { text, at } = sentence;
        const first = 1 + (closing ? 1.5 : 1) + recent + Math.min(0.5, weight / 8);
        const more = (closing ? 1.5 : 0.8) / Math.max(1, rank) + recent;
        const worth = isAnnouncement(text) || isSlight(sentence) ? recent / 2 : rank === 0 ? first : more;
        return { text, at, worth };
      })
      .sort((a, b) => a.at - b.at)
      .map(
        ({ text, at, worth }): Candidate => ({
          section: "facts",
          item: { text, at, sources: [place.messageId] },
          worth,
        }),
      );
  }

  /** The sentences that cover the most of the message's rarest words, best first. */
  #chosen({ sentences, closing }: Report): readonly ChosenSentence[] {
    const words = sentences.map(({ text }) => wordsOf(text));
    const telling = TELLING_WORDS * (closing ? 3 : 1);
    const rarest = this.#words.rarest(new Set(words.flatMap((own) => [...own])), telling);
    const open = new Map(rarest.map(({ word, count }) => [word, 1 / count]));
    const chosen: ChosenSentence[] = [];
    const taken = new Set<number>();
    while (open.size > 0 && chosen.length < (closing ? MOST_CLOSING : MOST_QUOTED)) {
      let best = { index: -1, weight: 0, value: 0 };
      for (const [index, sentence] of sentences.entries()) {
        if (taken.has(index)) continue;
        const weight = weightOf(words[index] as ReadonlySet<string>, open);
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
}

/** The combined weight of those words that are not covered yet. */
function weightOf(words: ReadonlySet<string>, open: ReadonlyMap<string, number>): number {
  let weight = 0;
  for (const word of words) weight += open.get(word) ?? 0;
  return weight;
}

function standingOf(sentence: Sentence): number {
  if (isGuess(sentence.text)) return GUESSED;
  if (isConclusion(sentence)) return CONCLUSION;
  return isAnnouncement(sentence.text) || isSlight(sentence) ? ANNOUNCEMENT : 1;
}

/** Leaves out table rows, headings, questions, courtesies and remarks, which say nothing about what was found. */
const isTelling = (sentence: Sentence): boolean =>
  sentence.text.length >= MIN_SENTENCE &&
  !COURTESY.test(sentence.text) &&
  !sentence.text.startsWith("|") &&
  !isQuestion(sentence.text) &&
  !isRemark(sentence) &&
  !/^[-=*#\s]+$/.test(sentence.text);

/** True for a row of a table that says something: neither its header nor a row of short cells. */
const isRow = (index: number, all: readonly PlacedSentence[]): boolean =>
  (all[index]?.text.startsWith("|") ?? false) && (all[index]?.text.length ?? 0) >= MIN_SENTENCE && !isRuled(index, all);

/** Ranks commit messages above other statements: text written for people says more than what was said along the way. */
const COMMIT_WORTH = 3.5;
const COMMIT_DETAIL_WORTH = 1.5;
const MAX_SUBJECT = 200;
const MAX_BODY = 320;

/** Keeps what the agent wrote about its work: the messages of successful commits and pull requests. */
export class CommitCollector implements SpanCollector {
  readonly #messages: { readonly lines: readonly string[]; readonly place: Place }[] = [];

  result({ call, failed }: ResultReading): void {
    if (call?.kind !== "shell" || failed) return;
    const lines = commitMessage(call.script ?? "");
    if (lines.length > 0) this.#messages.push({ lines, place: call.place });
  }

  commit(subject: string, place: Place): void {
    this.#messages.push({ lines: [subject], place });
  }

  harvest({ messages }: HarvestContext): Harvest {
    return {
      candidates: this.#messages.flatMap(({ lines, place }): readonly Candidate[] => {
        const recent = (place.position + 1) / messages.length;
        const [subject = "", ...body] = lines;
        const told = quoteSentences(sentencesOf(body.join("\n"), MAX_BODY * 4, 0), MAX_BODY);
        const sources = [place.messageId];
        const said = { text: `Committed: ${subject.slice(0, MAX_SUBJECT).toWellFormed()}`, sources };
        return [
          { section: "facts", item: said, worth: COMMIT_WORTH + recent },
          ...(told === ""
            ? []
            : [{ section: "facts" as const, item: { text: told, sources }, worth: COMMIT_DETAIL_WORTH + recent }]),
        ];
      }),
    };
  }
}

/** The most of a command that is read, in UTF-16 code units. */
const MOST_READ_OF_COMMAND = 8_000;
const WRITES_DOWN = /\bgit\s+(?:-[\w-]+(?:[= ]\S+)?\s+)*(?:commit|tag\s+-a)\b|\bgh\s+pr\s+(?:create|edit)\b/;
const HEREDOC = /<<-?\s*(['"]?)(\w+)\1\r?\n([\s\S]*?)\r?\n\s*\2\b/;
const ARGUMENT = /(?:^|\s)(?:-a?m|--message|--title|--body|-t|-b)(?:=|\s+)(?:"((?:[^"\\]|\\.)*)"|'([^']*)')/g;
/** Trailers that tools add for other tools. */
const TRAILER = /^(?:[\w-]+-by:|🤖|(?:Fixes|Closes|Refs):? #\d+$|https?:\/\/\S+$)/i;

/**
 * Returns the lines of a commit message, or of the title and text of a pull request, in a command; empty without one.
 */
export function commitMessage(command: string): readonly string[] {
  const text = command.slice(0, MOST_READ_OF_COMMAND);
  if (!WRITES_DOWN.test(text)) return [];
  const lines = [...argumentsOf(text), HEREDOC.exec(text)?.[3] ?? ""].join("\n").split("\n");
  return lines
    .map((line) => line.replace(/^\s*[-*]\s+/, "").trim())
    .filter((line) => line !== "" && !TRAILER.test(line));
}

/** Quoted arguments, except command substitutions, which contain the here-document that is read separately. */
const argumentsOf = (text: string): readonly string[] =>
  [...text.matchAll(ARGUMENT)]
    .map(([, double, single]) => double?.replace(/\\(["$`\\])/g, "$1").replaceAll("\\n", "\n") ?? single ?? "")
    .filter((argument) => !argument.startsWith("$("));

/** The most of a handoff that is read, in UTF-16 code units. */
const MOST_READ_OF_HANDOFF = 40_000;
const MIN_LINE = 20;
/** A line that only says what the lines below it are: a heading, bold words, a numbered title or a tag. */
const TITLE =
  /^[ \t]{0,12}(?:(#{1,6}) {1,3}([^\n]{1,80})|\d{1,2}\. {1,3}([^\n]{1,60}):|\*\*([^*\n]{1,60})\*\*:?|<([a-z][\w-]{1,40})>) {0,3}\r?$/gm;
/** In UTF-16 code units. */
const LONGEST_TITLE = 90;
const NUMBER_OR_COLON = /^\d{1,2}\.\s+|[:*`#\s]+$/g;
/** Text that harnesses put around a handoff, which is about the conversation and not about the work. */
const FRAME =
  /^(?:This session is being continued|The conversation history before|The summary below covers|If you need specific details from before|Please continue the conversation|Continue (?:the conversation|with the last task)|<\/?summary>|(?:Analysis|Summary):?$)/i;
/** The tag that a harness puts around a handoff, and those around a sub-agent's report. */
const WRAPPED = /^\s*<[\w-]+(?:\s[^<>]{0,200})?>\s*/;
const WRAPPED_OFTEN = /^\s*(?:<[\w-]+(?:\s[^<>]{0,200})?>\s*)+/;
/** What a model was told to think before it wrote a handoff, and the handoff, which says it again in fewer words. */
const DRAFT_BEGINS = /^[ \t]*(?:<analysis>|Analysis:)[ \t]*$/m;
const DRAFT_ENDS = /^[ \t]*(?:<summary>|Summary:)[ \t]*$/m;

/** Returns a handoff without the draft that its writer made for it. */
export function withoutDraft(handoff: string): string {
  const from = handoff.search(DRAFT_BEGINS);
  const length = from < 0 ? -1 : handoff.slice(from).search(DRAFT_ENDS);
  return length < 0 ? handoff : handoff.slice(0, from) + handoff.slice(from + length);
}

/** Ranks handoffs high: what a model wrote for its successor is worth more than what can be guessed from the steps. */
const HANDOFF_WORTH = 4;
/** The share of a handoff that counts as its beginning, which says what matters; the rest competes with the steps. */
const HANDOFF_BEGINNING = 0.5;
const HANDOFF_DETAIL_WORTH = 2;

/** The line under the header of a table. */
const RULE = /^\|[\s|:-]*$/;

/** True for the header of a table and the line under it, which say nothing without the rows. */
const isRuled = (index: number, all: readonly Sentence[]): boolean =>
  [all[index], all[index + 1]].some((sentence) => sentence !== undefined && RULE.test(sentence.text));

const titleKey = (text: string): string =>
  text
    .replace(/^<([\w-]+)>$/, "$1")
    .replace(/[*`]/g, "")
    .replace(NUMBER_OR_COLON, "")
    .replaceAll("_", " ");

/** A title as it is known again, and its depth: sections may begin with a title of their own. */
function levelledTitle([, hashes = "", heading, numbered, bold, tag]: RegExpExecArray): readonly [string, number] {
  const level = heading !== undefined ? hashes.length : numbered !== undefined ? 7 : bold !== undefined ? 8 : 0;
  return [titleKey(heading ?? numbered ?? bold ?? tag ?? ""), level];
}

/**
 * Returns what a handoff says, sentence by sentence. The first under a title begins with it: without it, nobody could
 * tell what is done from what comes next.
 */
function titledLines(text: string, by: HandoffSpeaker): readonly PlacedSentence[] {
  const handoff = text.slice(0, MOST_READ_OF_HANDOFF);
  const levels = new Map([...handoff.matchAll(TITLE)].map(levelledTitle));
  const levelOf = ({ text }: Sentence) => (text.length <= LONGEST_TITLE ? levels.get(titleKey(text)) : undefined);
  const all = sentencesOf(handoff, MOST_READ_OF_HANDOFF, 0);
  const lines: PlacedSentence[] = [];
  let [title, titleLevel, at] = ["", 0, 0];
  for (const [index, sentence] of all.entries()) {
    const level = levelOf(sentence);
    if (level !== undefined) {
      title = `${level > titleLevel ? title : ""}${titleKey(sentence.text)}: `;
      titleLevel = level;
    } else if (TAG.test(sentence.text)) continue;
    else if (!saysSomething(sentence, levels.size > 0) || isRuled(index, all)) at++;
    else if (by === "handoff" || lines.length > 0 || !saysItIsDone(sentence)) {
      lines.push({ ...sentence, text: title + sentence.text, at: at++ });
      title = "";
    }
  }
  return lines;
}

/** Agents that were sent out report first that they know enough now, and that they will say it. */
const saysItIsDone = (one: Sentence): boolean => isPassing(one) || (!one.text.endsWith(":") && isRemark(one));

/** The end of a section, or the beginning of one without a line. */
const TAG = /^<\/?[\w-]{1,40}>$/;

/** A single word says something only under a title: "Blocked: nothing". */
const saysSomething = ({ text }: Sentence, isTitled: boolean): boolean =>
  (text.length >= MIN_LINE || (isTitled ? /[\p{L}\p{N}]/u : /[\p{L}\p{N}]\S*\s+\S/u).test(text)) && !FRAME.test(text);

/**
 * Keeps the handoffs and summaries in the log, with their author, sentence by sentence and word for word. The newest
 * handoff comes first, because it includes what the others said; the reports of sub-agents count the same.
 */
export class HandoffCollector implements SpanCollector {
  readonly #handoffs: {
    readonly place: Place;
    readonly sentences: readonly PlacedSentence[];
    readonly by: HandoffSpeaker;
  }[] = [];

  handoff(text: string, place: Place, by: HandoffSpeaker): void {
    const sentences = titledLines(text.replace(by === "handoff" ? WRAPPED : WRAPPED_OFTEN, ""), by);
    if (sentences.length > 0) this.#handoffs.push({ place, sentences, by });
  }

  harvest(): Harvest {
    const newest = this.#handoffs.length - 1;
    return {
      candidates: this.#handoffs.flatMap(({ place, sentences, by }, index) =>
        sentences.map(({ text, at }, rank): Candidate => {
          const base = rank < sentences.length * HANDOFF_BEGINNING ? HANDOFF_WORTH : HANDOFF_DETAIL_WORTH;
          // A newer handoff includes the older ones; a sub-agent's report does not include those of other sub-agents.
          const recent = index === newest || by === "sub-agent" ? 1 : index / (newest + 1);
          const worth = base + recent + (sentences.length - rank) / sentences.length / 2;
          return { section: "facts", item: { text, at, sources: [place.messageId], by }, worth };
        }),
      ),
    };
  }
}
