/**
 * How rules and their retractions sound in one language. Every entry is a regular expression in small letters; a space
 * stands for any white space, an apostrophe for either kind or none. Entries end at the end of a word, where
 * the language has spaces. A full stop that a set leaves out is one that ends a
 * sentence, so that names of files stay whole. Keep entries without nested repetitions: a message may be as long as
 * anybody likes.
 */
export interface RuleLanguage {
  readonly name: string;
  /** Its letters. Entries for `han` and `kana` need not end at the end of a word, since there are no spaces. */
  readonly script: "latin" | "cyrillic" | "han" | "kana";
  /** Frequent words, by which languages of one script are told apart; none for the only one of its script. */
  readonly marks: readonly string[];
  /** What may stand before an order, and says nothing of it: "please", "also", "make sure that". */
  readonly openers: readonly string[];
  /** How a sentence begins that tells of something: an order in it needs a clause of its own. */
  readonly telling: readonly string[];
  /** Words that begin another clause. */
  readonly joins: readonly string[];
  /** Those of them that turn against what was said. */
  readonly contrasts: readonly string[];
  /** What only looks like an order at the beginning of a clause: "never mind", "don't know", "never seen". */
  readonly notOrders: readonly string[];
  /** Rules, at the beginning of a clause. */
  readonly orders: readonly string[];
  /** Rules wherever they stand in a sentence that does not tell of something. */
  readonly standing: readonly string[];
  /** Rules wherever they stand. */
  readonly anywhere: readonly string[];
  /** How a request begins that is put as a question: "could you please". An order is to follow. */
  readonly polite: readonly string[];
  /** What makes a rule of such a question: "not". */
  readonly politeNot: readonly string[];
  /** Whole sentences without a verb: "no new dependencies". */
  readonly elliptic: readonly string[];
  /** May be a rule, at the beginning of a clause: "you must". */
  readonly doubtful: readonly string[];
  /** What makes a rule one for the moment: "yet", "today". */
  readonly oneOff: readonly string[];
  /** Whole clauses that say nothing without what was said before: "don't do that again". */
  readonly unclear: readonly string[];
  /** Takes back a rule that is named or spoken of: "forget the rule about", "ignore what I said about". */
  readonly takesBack: readonly string[];
  /** Takes back what was said last, whatever it was: "forget that". */
  readonly takesBackLast: readonly string[];
  /** Allows what may have been forbidden: "you may now". */
  readonly allows: readonly string[];
  /** Foresees an exception that somebody grants: "without asking". To grant it takes no rule back. */
  readonly approvals: readonly string[];
  /** Headings under which every item is a rule. */
  readonly headings: readonly string[];
  /** How a sentence or line begins that makes an exception from the one before: "unless". */
  readonly exceptions: readonly string[];
  /** How a line begins that goes on from the one before: "and". */
  readonly continuations: readonly string[];
  /** Abbreviations with their full stop, behind which a sentence goes on. */
  readonly abbreviations: readonly string[];
  /** Those of them behind which it may also end. */
  readonly closingAbbreviations: readonly string[];
  /** Words that do not tell one rule from another. Separated by spaces. */
  readonly emptyWords: string;
  /** Verbs that forbid or allow the same, each group separated by spaces. */
  readonly sameVerbs: readonly string[];
}
