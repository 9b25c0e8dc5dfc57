import type { MessageId } from "../model/ids.ts";
import { type Message, visibleText } from "../model/message.ts";
import { plainLetters } from "../pins/languages/rule-language.ts";
import type { ItemSpeaker, OpenItem, StructuredSummary, SummaryItem, TextItem } from "./structured-summary.ts";
import { type MergedSummary, type ResolvedItem, summaryItemId } from "./summary-change.ts";

/** What a work item says that stands for the original task, whose words are in a place of their own. */
export const ORIGINAL_TASK_ITEM = "The original task";

/** Looks messages up by id; undefined for one that the thread does not have. */
export type MessageLookup = (id: MessageId) => Pick<Message, "role" | "origin" | "branch" | "parts"> | undefined;

/**
 * True for a message in which a person speaks, or the operator: of a user or of the system, on the main branch, and not put
 * there by a harness or by another tool's compaction. Sub-agents, tools and assistants speak for nobody.
 */
export const isPersonal = ({ role, origin, branch }: Pick<Message, "role" | "origin" | "branch">): boolean =>
  (role === "user" || role === "system") && origin === undefined && branch === undefined;

/** An item that reads as an instruction, a request, a permission or a commitment, and that no user or system message bears out. */
export type UnsourcedItem =
  | { readonly section: "originalTask" | "constraints" | "facts"; readonly item: TextItem }
  | { readonly section: "openItems"; readonly item: OpenItem };

/**
 * The items of a summary that read as what a user asked, ruled or allowed, and that none of their sources bears out: no
 * message of a user or of the system among them says so. Rendering marks them as the agent's own notes. Facts are among
 * them that a summarizer had written as a rule or as the task. Questions to the user are the agent's by their nature.
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

/** The unsourced items of all summaries of a plan, in the order of its records; see {@link unsourcedItems}. */
export function unsourcedInPlan(
  { summarizations }: { readonly summarizations: readonly { readonly summary: StructuredSummary }[] },
  messageOf: MessageLookup,
): readonly UnsourcedItem[] {
  return summarizations.flatMap(({ summary }) => unsourcedItems(summary, messageOf));
}

/** What users and the system said, by message. Each message is read once. */
export class SpokenWords {
  readonly #messageOf: MessageLookup;
  readonly #texts = new Map<MessageId, string | null>();

  constructor(messageOf: MessageLookup) {
    this.#messageOf = messageOf;
  }

  /** True when a source says the task, or begins with it. */
  bearOutTask({ text, sources }: Omit<TextItem, "id">): boolean {
    return this.#said(sources).some((said) => saysVerbatim(said, text) || beginsWith(said, text));
  }

  /** True when a source says the rule word for word, as whole sentences. */
  bearOutRule({ text, sources }: Omit<TextItem, "id">): boolean {
    return this.#said(sources).some((said) => saysVerbatim(said, text));
  }

  /**
   * True when a source says what is asked, word for word or in its own words. A question of the agent needs none, nor does
   * what only points to the task.
   */
  bearOutWork({ description, kind, sources }: Omit<OpenItem, "id">): boolean {
    if (kind === "question" || description === ORIGINAL_TASK_ITEM) return true;
    return this.#said(sources).some((said) => saysVerbatim(said, description) || saysInOwnWords(said, description));
  }

  #said(sources: SummaryItem["sources"]): readonly string[] {
    return sources.flatMap((id) => this.#textOf(id) ?? []);
  }

  #textOf(id: MessageId): string | null {
    const known = this.#texts.get(id);
    if (known !== undefined) return known;
    const message = this.#messageOf(id);
    const text = message === undefined || !isPersonal(message) ? null : visibleText(message);
    this.#texts.set(id, text);
    return text;
  }
}

/**
 * A summary in which it is told whose words an item is, whoever wrote it: a task or a rule that no message of a user or of
 * the system says becomes a fact by the agent; other work that none of them asked for is marked as the agent's; what only
 * handoffs in the log said is marked as theirs. What changed its place is recorded. Linear in the messages that items name.
 */
export function attributedSummary(summary: StructuredSummary, messageOf: MessageLookup): MergedSummary {
  const spoken = new SpokenWords(messageOf);
  const { originalTask } = summary;
  const isTask = originalTask === null || spoken.bearOutTask(originalTask);
  const constraints = summary.constraints.map(withoutSpeaker);
  const rules = constraints.filter((rule) => spoken.bearOutRule(rule));
  const notes = constraints.filter((rule) => !rules.includes(rule));
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
  if (fact.by !== undefined) return fact;
  const isHandoff = fact.sources.length > 0 && fact.sources.every((id) => messageOf(id)?.origin === "compaction");
  if (isHandoff) return { ...fact, by: "handoff" };
  return speaksForOthers(fact.text) && !spoken.bearOutRule(fact) ? { ...fact, by: "agent" } : fact;
}

/** Those for whom nobody else speaks, in the languages of users. */
const SPEAKERS =
  "user|human|operator|system|developer|customer|(?:be)?nutzer(?:in)?|betreiber|kunde|utilisateur|usuario|usuário|cliente|пользовател[ья]|оператор|система|用户|用戶|系统|管理员|ユーザー?|システム|管理者|사용자|المستخدم|משתמש|उपयोगकर्ता|χρήστης|kullanıcı|użytkownik";
/** A label or a mark of a speaker before what he is to have said. */
const LABELLED = new RegExp(
  `^[\\p{P}\\p{S}\\s]*(?:role["'\\s]*[:=]["'\\s]*)?(?:${SPEAKERS})["'”’\\s]*[:：)\\]】）〉>=]`,
  "iu",
);
/** What somebody is said to have allowed. */
const ALLOWED = new RegExp(
  [
    `(?<!\\p{L})(?:${SPEAKERS})(?!\\p{L})[,\\s]+(?:\\p{L}+[,\\s]+){0,3}?(?:allow|approv|permit|authori|consent|agreed|confirmed|lifted|granted|waived|autoris|a accord|aprob|aprov|autoriz|permit|разреш|одобр|επέτρεψε|izin|pozwolił)`,
    "(?<!\\p{L})(?:nutzer|benutzer|betreiber|kunde)(?:in)? (?:hat|haben)(?: \\p{L}+){0,8}? (?:genehmigt|erlaubt|freigegeben|zugestimmt)",
    "(?:用户|用戶|管理员)[^，。！？]{0,8}(?:同意|批准|允许|允許|授权)|(?:ユーザー?|管理者)[^。！？]{0,24}(?:承認|許可)",
    "(?<!\\p{L})(?:approval granted|permission granted|consent received)",
  ].join("|"),
  "iu",
);
/** No more of a fact is looked at, in UTF-16 code units. */
const LOOKED_AT = 400;

/** True when a fact is put into the mouth of a user or of the system, or tells what one of them allowed. */
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
 * True when somebody who said `said` said these words: whole sentences of it, word for word, white space aside. Where
 * the words were cut, `…` or a note in brackets stands in the place of what is left out. Part of a sentence is not a
 * sentence: "delete the logs" is not what "Never delete the logs" says.
 */
export function saysVerbatim(said: string, words: string): boolean {
  const pieces = words.split(CUT).map((piece) => oneLine(piece).trim());
  const text = oneLine(said);
  let from = 0;
  for (const [index, piece] of pieces.entries()) {
    if (piece === "") continue;
    const opens = index === 0 || pieces.slice(0, index).every((before) => before === "");
    const closes = index === pieces.length - 1;
    const at = placeOf(piece, text, from, opens, closes);
    if (at < 0) return false;
    from = at + piece.length;
  }
  return pieces.some((piece) => piece !== "");
}

/** True when the words are how a message begins, cut wherever the room ended. */
export function beginsWith(said: string, words: string): boolean {
  const start = oneLine(words).trim();
  return start !== "" && flat(oneLine(said)).trimStart().startsWith(flat(start));
}

/**
 * True when somebody said the same in a sentence of `said`, in another order or form: every word that tells something
 * stands there, and the sentence denies what the words deny. Words in another language than the sentence's are not borne
 * out; nobody can tell.
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

const CUT = /…|\[[^[\]\n]{1,120}\]/;

/** Line ends stay visible as one sign, so that they count as ends of sentences; all other white space is one space. */
const oneLine = (text: string): string =>
  text.replace(/\s+/g, (space) => (/[\n\r\u2028\u2029]/.test(space) ? "\n" : " "));
const flat = (text: string): string => text.replaceAll("\n", " ");

/** Marks that stand around a sentence and belong to none: quotes, brackets, signs of lists and of emphasis. */
const AROUND = /["'“”„«»‹›「」『』()*_`#>•–—\-\s\d)]/u;
const ENDS = /[.!?;:。！？；：…\n]/u;

function placeOf(piece: string, text: string, from: number, opens: boolean, closes: boolean): number {
  const needle = flat(piece);
  const hay = flat(text);
  for (let at = hay.indexOf(needle, from); at >= 0; at = hay.indexOf(needle, at + 1)) {
    if ((!opens || opensSentence(text, at)) && (!closes || closesSentence(text, at + needle.length))) return at;
  }
  return -1;
}

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

/** Words that deny in the languages that users write most. */
const NEGATION =
  /(?<![\p{L}\p{N}])(?:not|never|no|none|nothing|without|cannot|nicht|nie|niemals|kein\p{Ll}*|ohne|nunca|jamás|sin|jamais|sans|ne|não|sem|nem|не|нет|никогда|без)(?![\p{L}\p{N}])|n['’]t(?!\p{L})|(?<!\p{L})n['’]|[不别勿没無无]|ない|なく|ません/iu;

/** Words of English that tell nothing of what is asked. Of other languages every word counts. */
const FUNCTION_WORDS: ReadonlySet<string> = new Set(
  "not a an and any are as at be been but by can could did do does for from had has have how i if in into is it its let me my of on or our out please so some than that the their them then there these they this those to up us was we were what when which who will with would you your also now just".split(
    " ",
  ),
);
const STEM = 5;
const WORD = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]+|[\p{L}\p{N}_]+/gu;
const UNSPACED = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u;

/** What denies is looked at by itself. */
const CONTRACTION = /n['’]t(?!\p{L})/gu;

/** Beginnings of the words that tell something; pairs of signs where a script sets no spaces. */
function stemsOf(text: string): ReadonlySet<string> {
  const stems = new Set<string>();
  for (const [word] of text.toLowerCase().replace(CONTRACTION, " ").matchAll(WORD)) {
    if (UNSPACED.test(word))
      for (let at = 0; at < Math.max(1, word.length - 1); at++) stems.add(word.slice(at, at + 2));
    else if (!FUNCTION_WORDS.has(word)) stems.add(word.slice(0, STEM));
  }
  return stems;
}
