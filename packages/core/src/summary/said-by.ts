import type { MessageId } from "../model/ids.ts";
import type { Message } from "../model/message.ts";
import { typedText } from "../model/typed-text.ts";
import { plainLetters } from "../pins/languages/rule-language.ts";
import type { ItemSpeaker, OpenItem, StructuredSummary, SummaryItem, TextItem } from "./structured-summary.ts";
import { type MergedSummary, type ResolvedItem, summaryItemId } from "./summary-change.ts";

/** The description of the work item that represents the original task; the task's own words are in another field. */
export const ORIGINAL_TASK_ITEM = "The original task";

/** Looks messages up by id; undefined for one that the thread does not have. */
export type MessageLookup = (id: MessageId) => Pick<Message, "role" | "origin" | "branch" | "parts"> | undefined;

/**
 * True for a message in which a person or the operator speaks: a user or system message on the main branch that was not
 * added by a harness or by another tool's compaction. Sub-agents, tools and assistants do not speak for anybody.
 */
export const isPersonal = ({ role, origin, branch }: Pick<Message, "role" | "origin" | "branch">): boolean =>
  (role === "user" || role === "system") && origin === undefined && branch === undefined;

/**
 * An item that reads as an instruction, request, permission or commitment but is supported by no user or system
 * message.
 */
export type UnsourcedItem =
  | { readonly section: "originalTask" | "constraints" | "facts"; readonly item: TextItem }
  | { readonly section: "openItems"; readonly item: OpenItem };

/**
 * Returns the items of a summary that read as something a user asked, ruled or allowed, but that no user or system
 * message among their sources supports. Rendering marks them as the agent's own notes. They include facts that a
 * summarizer had written as a rule or as the task, but not questions to the user, which are the agent's by nature.
 */
export function unsourcedItems(summary: StructuredSummary, messageOf: MessageLookup): readonly UnsourcedItem[] {
  const { originalTask, constraints, openItems, facts } = summary;
  const spoken = new SpokenWords(messageOf);
  return [
    ...(originalTask === null || spoken.bearOutTask(originalTask)
      ? []
      : [{ section: "originalTask" as const, item: originalTask }]),
    ...constraints
      .filter((item) => !spoken.bearOutRule(item))
      .map((item) => ({ section: "constraints" as const, item })),
    ...openItems.filter((item) => !spoken.bearOutWork(item)).map((item) => ({ section: "openItems" as const, item })),
    ...facts.filter(({ by }) => by === "agent").map((item) => ({ section: "facts" as const, item })),
  ];
}

/** Returns the unsourced items of all summaries in a plan, in the order of its records; see {@link unsourcedItems}. */
export function unsourcedInPlan(
  { summarizations }: { readonly summarizations: readonly { readonly summary: StructuredSummary }[] },
  messageOf: MessageLookup,
): readonly UnsourcedItem[] {
  return summarizations.flatMap(({ summary }) => unsourcedItems(summary, messageOf));
}

/** The words of user and system messages, without results in them. Each message is read once. */
export class SpokenWords {
  readonly #messageOf: MessageLookup;
  readonly #texts = new Map<MessageId, SaidText | null>();

  constructor(messageOf: MessageLookup) {
    this.#messageOf = messageOf;
  }

  /** True when a source states the task or begins with it. */
  bearOutTask({ text, sources }: Omit<TextItem, "id">): boolean {
    return this.#said(sources).some((said) => said.says(text) || beginsWith(said.text, text));
  }

  /** True when a source states the rule or the fact word for word, as whole sentences. */
  bearOutRule({ text, sources }: Omit<TextItem, "id">): boolean {
    return this.#said(sources).some((said) => said.says(text));
  }

  /**
   * True when a source asks for the work, word for word or in its own words. A question by the agent needs no source,
   * nor does an item that only refers to the original task.
   */
  bearOutWork({ description, kind, sources }: Omit<OpenItem, "id">): boolean {
    if (kind === "question" || description === ORIGINAL_TASK_ITEM) return true;
    return this.#said(sources).some((said) => said.says(description) || saysInOwnWords(said.text, description));
  }

  #said(sources: SummaryItem["sources"]): readonly SaidText[] {
    return sources.flatMap((id) => this.#textOf(id) ?? []);
  }

  #textOf(id: MessageId): SaidText | null {
    const known = this.#texts.get(id);
    if (known !== undefined) return known;
    const message = this.#messageOf(id);
    const text = message === undefined || !isPersonal(message) ? null : new SaidText(typedText(message));
    this.#texts.set(id, text);
    return text;
  }
}

/**
 * Marks whose words each item of a summary is, whoever wrote the summary. A task or rule that no user or system message
 * states becomes a fact by the agent; other work that none of them asked for is marked as the agent's; facts that only
 * handoffs in the log or only users stated are marked as theirs. Demoted rules are recorded as resolved. Linear in the messages that
 * the items name.
 */
export function attributedSummary(summary: StructuredSummary, messageOf: MessageLookup): MergedSummary {
  const spoken = new SpokenWords(messageOf);
  const { originalTask } = summary;
  const isTask = originalTask === null || spoken.bearOutTask(originalTask);
  const constraints = summary.constraints.map(withoutSpeaker);
  const { rules = [], notes = [] } = Object.groupBy(constraints, (rule) =>
    spoken.bearOutRule(rule) ? "rules" : "notes",
  );
  const demoted = [...(isTask ? [] : [originalTask]), ...notes].map(asNote);
  const known = new Set(demoted.map(({ id }) => id));
  const facts = summary.facts.filter(({ id }) => !known.has(id)).map((fact) => attributedFact(fact, messageOf, spoken));
  return {
    summary: {
      ...summary,
      originalTask: isTask && originalTask !== null ? withoutSpeaker(originalTask) : null,
      constraints: rules,
      openItems: summary.openItems.map((item) => attributedWork(item, spoken)),
      facts: [...facts, ...demoted],
    },
    resolved: notes.map((item): ResolvedItem => ({ section: "constraints", item, reason: UNSOURCED })),
  };
}

const UNSOURCED = "no message of a user or of the system says it: it stands as the agent's note";

function attributedWork(item: OpenItem, spoken: SpokenWords): OpenItem {
  return spoken.bearOutWork(item) ? withoutSpeaker(item) : { ...item, by: "agent" };
}

function attributedFact(fact: TextItem, messageOf: MessageLookup, spoken: SpokenWords): TextItem {
  if (fact.by !== undefined && fact.by !== "user") return fact;
  const messages = fact.sources.map(messageOf);
  // A mark that an earlier fold set stands where its messages are not loaded any more.
  if (messages.length === 0 || messages.includes(undefined)) return fact.by === "user" ? fact : unmarked(fact, spoken);
  if (messages.every((message) => message?.origin === "compaction")) return { ...fact, by: "handoff" };
  const isUsers = messages.every((message) => message?.role === "user" && isPersonal(message));
  const isStated = isUsers && spoken.bearOutRule(fact);
  return isStated ? { ...fact, by: "user" } : unmarked(withoutSpeaker(fact), spoken);
}

/** A fact that nobody is known to have stated: the agent's note where it speaks for others. */
const unmarked = (fact: TextItem, spoken: SpokenWords): TextItem =>
  speaksForOthers(fact.text) && !spoken.bearOutRule(fact) ? { ...fact, by: "agent" } : fact;

/** The parties in whose name nobody else may speak, in the languages of users. */
const SPEAKERS =
  "user|human|operator|system|developer|customer|(?:be)?nutzer(?:in)?|betreiber|kunde|utilisateur|usuario|usuário|cliente|пользовател[ья]|оператор|система|用户|用戶|系统|管理员|ユーザー?|システム|管理者|사용자|المستخدم|משתמש|उपयोगकर्ता|χρήστης|kullanıcı|użytkownik";
/** A speaker label before words attributed to that speaker. */
const LABELLED = new RegExp(
  `^[\\p{P}\\p{S}\\s]*(?:role["'\\s]*[:=]["'\\s]*)?(?:${SPEAKERS})["'”’\\s]*[:：)\\]】）〉>=]`,
  "iu",
);
/** A claim that somebody allowed something. */
const ALLOWED = new RegExp(
  [
    `(?<!\\p{L})(?:${SPEAKERS})(?!\\p{L})[,\\s]+(?:\\p{L}+[,\\s]+){0,3}?(?:allow|approv|permit|authori|consent|agreed|confirmed|lifted|granted|waived|autoris|a accord|aprob|aprov|autoriz|permit|разреш|одобр|επέτρεψε|izin|pozwolił)`,
    "(?<!\\p{L})(?:nutzer|benutzer|betreiber|kunde)(?:in)? (?:hat|haben)(?: \\p{L}+){0,8}? (?:genehmigt|erlaubt|freigegeben|zugestimmt)",
    "(?:用户|用戶|管理员)[^，。！？]{0,8}(?:同意|批准|允许|允許|授权)|(?:ユーザー?|管理者)[^。！？]{0,24}(?:承認|許可)",
    "(?<!\\p{L})(?:approval granted|permission granted|consent received)",
  ].join("|"),
  "iu",
);
/** How much of a fact is examined, in UTF-16 code units. */
const LOOKED_AT = 400;

/** True when a fact attributes words to a user or the system, or claims that one of them allowed something. */
function speaksForOthers(text: string): boolean {
  const plain = plainLetters(text.slice(0, LOOKED_AT)).normalize("NFKC");
  return LABELLED.test(plain) || ALLOWED.test(plain);
}

function asNote({ text, sources }: TextItem): TextItem {
  const by: ItemSpeaker = "agent";
  const note = { text, sources, by };
  return { ...note, id: summaryItemId("facts", note) };
}

function withoutSpeaker<Item extends SummaryItem>(item: Item): Item {
  if (item.by === undefined) return item;
  const { by: _by, ...rest } = item;
  return rest as Item;
}

/**
 * True when `said` contains these words as whole sentences, word for word, ignoring whitespace. If the words were cut,
 * `…` or a note in brackets replaces what is left out. Part of a sentence is not a sentence: "Never delete the logs"
 * does not say "delete the logs".
 */
export const saysVerbatim = (said: string, words: string): boolean => new SaidText(said).contains(words);

/** What somebody said, read once for all words that are looked for in it. */
class SaidText {
  readonly text: string;
  readonly #lines: string;
  readonly #flat: string;
  #sentences: ReadonlySet<string> | undefined;

  constructor(text: string) {
    this.text = text;
    this.#lines = oneLine(text);
    this.#flat = flat(this.#lines);
  }

  /** Does the same as {@link saysVerbatim}. Most words are one sentence, for which the text need not be searched. */
  says(words: string): boolean {
    this.#sentences ??= new Set(passagesOf(this.text).map((passage) => passage.trim()));
    return this.#sentences.has(words) || this.contains(words);
  }

  contains(words: string): boolean {
    const pieces = words.split(CUT).map((piece) => oneLine(piece).trim());
    let from = 0;
    for (const [index, piece] of pieces.entries()) {
      if (piece === "") continue;
      const opens = index === 0 || pieces.slice(0, index).every((before) => before === "");
      const at = this.#placeOf(piece, from, opens, index === pieces.length - 1);
      if (at < 0) return false;
      from = at + piece.length;
    }
    return pieces.some((piece) => piece !== "");
  }

  #placeOf(piece: string, from: number, opens: boolean, closes: boolean): number {
    const needle = flat(piece);
    for (let at = this.#flat.indexOf(needle, from); at >= 0; at = this.#flat.indexOf(needle, at + 1)) {
      const isWhole = !closes || closesSentence(this.#lines, at + needle.length);
      if (isWhole && (!opens || opensSentence(this.#lines, at))) return at;
    }
    return -1;
  }
}

/** True when a message begins with these words, which may have been cut anywhere for lack of room. */
export function beginsWith(said: string, words: string): boolean {
  const start = oneLine(words).trim();
  return start !== "" && flat(oneLine(said)).trimStart().startsWith(flat(start));
}

/**
 * True when a sentence of `said` says the same in another order or form: it contains every content word, and either
 * both are negated or neither is. Words in a language other than that of the sentence never match, because they cannot
 * be compared.
 */
export function saysInOwnWords(said: string, words: string): boolean {
  const wanted = stemsOf(words);
  if (wanted.size === 0) return false;
  const denies = NEGATION.test(words);
  return passagesOf(said).some((passage) => {
    const stems = stemsOf(passage);
    return NEGATION.test(passage) === denies && [...wanted].every((stem) => stems.has(stem));
  });
}

const CUT = /…|\[(?:…|redacted )[^[\]\n]{0,120}\]/;

/** Line ends become one newline, so that they still count as sentence ends; all other whitespace becomes one space. */
const oneLine = (text: string): string =>
  text.replace(/[^\S\n\r\u2028\u2029]+/g, " ").replace(/ ?[\n\r\u2028\u2029]\s*/g, "\n");
const flat = (text: string): string => text.replaceAll("\n", " ");

/** Marks around a sentence that are not part of it: quotes, brackets, list markers and emphasis. */
const AROUND = /["'“”„«»‹›「」『』()[\]*_`#>•–—\-\s\d)]/u;
const ENDS = /[.!?;:。！？；：…\n]/u;

function opensSentence(text: string, at: number): boolean {
  for (let index = at - 1; index >= 0; index--) {
    const character = text.charAt(index);
    if (ENDS.test(character)) return true;
    if (!AROUND.test(character)) return false;
  }
  return true;
}

function closesSentence(text: string, end: number): boolean {
  for (let index = end - 1; index < text.length; index++) {
    const character = text.charAt(index);
    if (ENDS.test(character)) return true;
    if (index >= end && !AROUND.test(character)) return false;
  }
  return true;
}

const passagesOf = (said: string): readonly string[] =>
  oneLine(said)
    .split(/(?<=[.!?;])(?=\s)|(?<=[。！？；])|\n/u)
    .filter((passage) => passage.trim() !== "");

/** Words that negate, in the languages that users write most. */
const NEGATION =
  /(?<![\p{L}\p{N}])(?:not|never|no|none|nothing|without|cannot|nicht|nie|niemals|kein\p{Ll}*|ohne|nunca|jamás|sin|jamais|sans|ne|não|sem|nem|не|нет|никогда|без|لا|لم|لن|ليست?|بدون|دون|ممنوع|عدم)(?![\p{L}\p{N}])|n['’]t(?!\p{L})|(?<!\p{L})n['’]|[不别勿没無无]|ない|なく|ません|지 ?(?:마|말|않)|금지|없이|(?<!\p{L})[안못] /iu;

/** English words that say nothing about what is asked. In other languages, every word counts. */
const FUNCTION_WORDS: ReadonlySet<string> = new Set(
  "not a an and any are as at be been but by can could did do does for from had has have how i if in into is it its let me my of on or our out please so some than that the their them then there these they this those to up us was we were what when which who will with would you your also now just".split(
    " ",
  ),
);
const STEM = 5;
const WORD = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]+|[\p{L}\p{N}_]+/gu;
const UNSPACED = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u;

/** Contracted negations; negation is checked separately. */
const CONTRACTION = /n['’]t(?!\p{L})/gu;

/** The beginnings of the content words; in scripts without spaces, pairs of characters. */
function stemsOf(text: string): ReadonlySet<string> {
  const stems = new Set<string>();
  for (const [word] of text.toLowerCase().replace(CONTRACTION, " ").matchAll(WORD)) {
    if (UNSPACED.test(word))
      for (let at = 0; at < Math.max(1, word.length - 1); at++) stems.add(word.slice(at, at + 2));
    else if (!FUNCTION_WORDS.has(word)) stems.add(word.slice(0, STEM));
  }
  return stems;
}
