import { finishSteps, type Message, recallTerms, type Steps, type SummarySection } from "@threadfold/core";

/** Letters, digits and underscores; what is shorter than three of them tells nothing from anything else. */
const WORD = /[\p{L}\p{N}_]{3,}/gu;
/** How much of a body is read at its beginning and at its end, in UTF-16 code units. */
const HEAD = 6_000;
const TAIL = 2_000;
/** A word that stands in more messages than this, and in more than this share of them, is an everyday word. */
const COMMON_LEAST = 6;
const COMMON_SHARE = 0.5;

/** Words of prose and of programming languages that tell no change of a file from another. */
const TELLS_NOTHING = new Set(
  (
    "about above after again also always another around because been before being below between both cannot could does " +
    "doesn doing done down during each either ever every from given have having here however inside instead into isn " +
    "itself just keep kept last later less like make many more most much must need needed needs never next nothing now " +
    "often once only onto other otherwise over rather same several should shouldn since some something still such than " +
    "that their them then there these they thing this those though through together under unless until upon used uses " +
    "using very want wasn were what when whenever where whether which while will with within without would wouldn your " +
    "async await bool boolean break case catch class const continue default delete elif else enum except exit export " +
    "extends false final finally func function implements import instanceof interface lambda module none null number " +
    "object pass private protected public raise readonly return self static string struct super switch throw throws true " +
    "type typeof undefined union void yield"
  ).split(" "),
);

/** True for a word that every text has and that names nothing. */
export const tellsNothing = (word: string): boolean => TELLS_NOTHING.has(word.toLowerCase());

/** The words of a text in lower case, each once. */
export const wordsOf = (text: string): ReadonlySet<string> => new Set(text.toLowerCase().match(WORD) ?? []);

/** A word, and in how many messages of a span it stands. */
export interface CountedWord {
  readonly word: string;
  readonly count: number;
}

/** In how many messages of a span each word stands: what stands in few tells most. Counted when it is first asked for. */
export class SpanWords {
  readonly #messages: readonly Message[];
  #counts: ReadonlyMap<string, number> | undefined;

  constructor(messages: readonly Message[]) {
    this.#messages = messages;
  }

  /** At least 1, also for a word that was never counted. */
  count(word: string): number {
    if (this.#counts === undefined) finishSteps(this.countInSteps());
    return this.#counts?.get(word.toLowerCase()) ?? 1;
  }

  /** Counts, a message a step, what would otherwise be counted at once when it is first asked for. */
  *countInSteps(): Steps<void> {
    this.#counts ??= yield* countsOf(this.#messages);
  }

  /** True for a word that stands in so many messages that it tells nothing. */
  isCommon(word: string): boolean {
    return this.count(word) > Math.max(COMMON_LEAST, this.#messages.length * COMMON_SHARE);
  }

  /** The words that stand in the fewest messages, rarest first; the longer first of equally rare ones. */
  rarest(words: Iterable<string>, most: number): readonly CountedWord[] {
    return [...words]
      .map((word) => ({ word, count: this.count(word) }))
      .sort((a, b) => a.count - b.count || b.word.length - a.word.length)
      .slice(0, most);
  }
}

function* countsOf(messages: readonly Message[]): Steps<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>();
  for (const message of messages) {
    yield;
    for (const word of wordsOf(textOf(message))) counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  return counts;
}

function textOf({ parts }: Message): string {
  return parts
    .map((part) => {
      switch (part.type) {
        case "text":
          return ends(part.text);
        case "tool-call":
          return ends(typeof part.input === "string" ? part.input : JSON.stringify(part.input));
        case "tool-result": {
          const { content } = part.result;
          if (content.type === "text") return ends(content.text);
          return content.type === "json"
            ? ends(JSON.stringify(content.value))
            : content.blocks.map((block) => (block.type === "text" ? ends(block.text) : "")).join("\n");
        }
        default:
          return "";
      }
    })
    .join("\n");
}

const ends = (text: string): string =>
  text.length <= HEAD + TAIL ? text : `${text.slice(0, HEAD)}\n${text.slice(-TAIL)}`;

/** Words of instructions that say how to summarize, and those that every text has. What is left says what to look for. */
const ABOUT_SUMMARIES = new Set(
  "about account all also and any anything are but compact compaction details does everything focus for from goal has have how include including into its just keep leave let make mention more most must need needed needs not note nothing notes only other out over part please preserve remember rest say should skip sum summaries summarise summarize summary sure tell that the their them then there these they this those was were what when where which while why will with without you your".split(
    " ",
  ),
);

/** What people call the parts of a summary. */
const SECTION_WORDS: Readonly<Record<string, SummarySection>> = {
  ...named("openItems", "todo todos task tasks pending remaining requests questions"),
  ...named("files", "file files paths"),
  ...named("errors", "error errors failures bugs"),
  ...named("decisions", "decision decisions choices"),
  ...named("toolOutcomes", "command commands test tests runs"),
  ...named("facts", "fact facts finding findings conclusions"),
  ...named("constraints", "constraint constraints rule rules"),
};

function named(section: SummarySection, words: string): Readonly<Record<string, SummarySection>> {
  return Object.fromEntries(words.split(" ").map((word) => [word, section]));
}

const ASCII = /^[\0-\x7f]*$/;
/** A word that stands in more than this share of what there is tells none of it from the rest. */
const IN_MOST_SHARE = 1 / 3;
const IN_MOST_LEAST = 3;

/** What a summary was asked to look out for, as words to search for: there is no model here to understand it. */
export class InstructionWords {
  readonly #terms: ReadonlySet<string>;
  readonly #sections: ReadonlySet<SummarySection>;

  constructor(instructions: string | undefined) {
    const terms = recallTerms(instructions ?? "").filter(isTelling);
    this.#terms = new Set(terms);
    this.#sections = new Set(terms.flatMap((term) => SECTION_WORDS[term] ?? []));
  }

  /** False when there is nothing to look for. */
  get areGiven(): boolean {
    return this.#terms.size > 0;
  }

  names(section: SummarySection): boolean {
    return this.#sections.has(section);
  }

  /** The share of the words that stands in each text, from 0 to 1. Words that most texts have do not count. */
  sharesIn(texts: readonly string[]): readonly number[] {
    const found = texts.map((text) => new Set(recallTerms(text).filter((term) => this.#terms.has(term))));
    const counts = new Map<string, number>();
    for (const own of found) for (const term of own) counts.set(term, (counts.get(term) ?? 0) + 1);
    const most = Math.max(IN_MOST_LEAST, texts.length * IN_MOST_SHARE);
    return found.map(
      (own) => [...own].filter((term) => (counts.get(term) as number) <= most).length / this.#terms.size,
    );
  }
}

const isTelling = (term: string): boolean => term.length >= (ASCII.test(term) ? 3 : 2) && !ABOUT_SUMMARIES.has(term);
