import { recallTerms, type SummarySection } from "@threadfold/core";

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
const COMMON_SHARE = 1 / 3;
const COMMON_LEAST = 3;

/** What somebody asked a summary to look out for, as words to be found in it: there is no model that would understand it. */
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
    const most = Math.max(COMMON_LEAST, texts.length * COMMON_SHARE);
    return found.map(
      (own) => [...own].filter((term) => (counts.get(term) as number) <= most).length / this.#terms.size,
    );
  }
}

const isTelling = (term: string): boolean => term.length >= (ASCII.test(term) ? 3 : 2) && !ABOUT_SUMMARIES.has(term);
