import { COMPLETION, DECISION, FINDING, PREFERENCE, SETBACK } from "./phrases.ts";
import { isUnspaced, phraseMarks } from "./words.ts";

/** One sentence on one line, without list marks and emphasis, and what it expresses according to its phrases. */
export interface Sentence {
  readonly text: string;
  /** What it expresses, as bits of the marks in `phrases.ts`, and {@link LEADS_TO_UNTOLD}. */
  readonly marks: number;
}

/** Marks a sentence that ends in a colon before a block of code or at the end of its text. */
const LEADS_TO_UNTOLD = 1 << 16;

/** Marks a sentence of a heading. */
const HEADS = 1 << 17;
const HEADING = /^#{1,6}\s/;

/** Limits of a sentence and a line, in UTF-16 code units. Longer text is data; shorter text says nothing. */
const MIN_SENTENCE = 4;
const MIN_UNSPACED = 2;
const MAX_SENTENCE = 320;
const MAX_LINE = 1_200;
/** How much of the beginning and the end of a long text is read, in UTF-16 code units. */
const HEAD = 12_000;
const TAIL = 4_000;

/** After a punctuation mark and white space, or after a full stop of a script that needs no space. */
const SENTENCE_END = /(?<=[.!?؟])\s+|(?<=[。！？；])/;
/** Words between pairs of asterisks. Those of a glob or an argument (`**kwargs`) are not emphasis. */
const EMPHASIS = /(?<![/*\w])\*\*(?=\S)([^*]+)(?<=\S)\*\*(?![/*\w])/g;
const ROW = /^\|.*\|$/;
const LIST_MARK = /^(?:[-*+•>#]{1,6}\s+|\d{1,3}[.)]\s+|[a-z][.)]\s+)*/i;

/**
 * Returns the sentences of a text, without code blocks. Only the first and the last part of a long text are read,
 * because that is where pasted documents make their point. Linear in the text.
 */
export function sentencesOf(text: string, head = HEAD, tail = TAIL): readonly Sentence[] {
  const sentences: Sentence[] = [];
  if (text.length <= head + tail) addLines(text, sentences);
  else {
    addLines(text.slice(0, endOfWhole(text, head)).toWellFormed(), sentences);
    const from = tail > 0 ? startOfWhole(text, text.length - tail) : text.length;
    addLines(text.slice(from).toWellFormed(), sentences, text.slice(0, from));
  }
  markLeadIn(sentences);
  return sentences;
}

/** The end of a sentence or a line, as in `SENTENCE_END`. */
const BORDER = /[.!?؟]\s|[\n。！？；]/g;

/** The end of the last whole sentence before an index: what is left of a cut one may say the contrary. */
function endOfWhole(text: string, index: number): number {
  const from = Math.max(0, index - MAX_LINE);
  const last = [...text.slice(from, index + 1).matchAll(BORDER)].at(-1);
  return last === undefined ? index : from + last.index + 1;
}

/** The start of the first whole sentence behind an index. */
function startOfWhole(text: string, index: number): number {
  const from = Math.max(0, index - 2);
  const first = text.slice(from, index + MAX_LINE).search(BORDER);
  return first < 0 ? index : from + first + 1;
}

/** The fence at the beginning of a line that starts or ends a code block. */
const FENCE = /^[ \t]*(?:```|~~~)/gm;

/** True when a text ends in the middle of a code block. */
const isLeftFenced = (text: string): boolean => (text.match(FENCE) ?? []).length % 2 === 1;

/** Returns the parts of a text that are read for its sentences. */
export const partRead = (text: string): string =>
  text.length <= HEAD + TAIL ? text : `${text.slice(0, HEAD)}\n${text.slice(-TAIL)}`;

/** Lines of a patch: its header, and the beginning of a part with the number of lines before and after the change. */
const PATCH_HEADER =
  /^(?:diff --git |index [0-9a-f]{6,40}\.\.|(?:---|\+\+\+) (?:[ab]\/|\/dev\/null)|(?:new|deleted) file mode \d|similarity index \d)/;
const PATCH_PART = /^@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/;
/** The first and the last line of a patch in the form that agents write. */
const PATCH_FRAME = /^\*\*\* (Begin|End) Patch/;

/** Tells the lines of patches from those of the text that they stand in. */
class PatchLines {
  /** How many lines of the present part are still to come, before and after its change. */
  #before = 0;
  #after = 0;
  #isFramed = false;
  /** True when the next line is the rest of one. */
  #isCut = false;

  /** @param before the text before the lines, which may end in the middle of a patch. */
  constructor(before: string) {
    const lines = `\n${before}`;
    const from = Math.max(lines.lastIndexOf("\n@@ -"), lines.lastIndexOf("\n*** Begin Patch"));
    const isWhole = before.endsWith("\n");
    let isInside = false;
    if (from >= 0)
      for (const line of lines.slice(from + 1, isWhole ? -1 : undefined).split("\n")) isInside = this.has(line);
    this.#isCut = isInside && !isWhole;
  }

  has(line: string): boolean {
    if (this.#isCut) {
      this.#isCut = false;
      return true;
    }
    const frame = PATCH_FRAME.exec(line);
    if (frame !== null) this.#isFramed = frame[1] === "Begin";
    if (frame !== null || this.#isFramed || PATCH_HEADER.test(line)) return true;
    const part = PATCH_PART.exec(line);
    if (part !== null) {
      [this.#before, this.#after] = [Number(part[1] ?? 1), Number(part[2] ?? 1)];
      return true;
    }
    if (this.#before <= 0 && this.#after <= 0) return false;
    const sign = line.trim() === "" ? " " : line[0];
    if (sign === "\\") return true;
    const isPart = sign === " " || sign === "-" || sign === "+";
    if (sign !== "+") this.#before = isPart ? this.#before - 1 : 0;
    if (sign !== "-") this.#after = isPart ? this.#after - 1 : 0;
    return isPart;
  }
}

/** @param before the text before it, which may end in the middle of a code block or a patch. */
function addLines(text: string, sentences: Sentence[], before = ""): void {
  let fenced = isLeftFenced(before);
  const patches = new PatchLines(before);
  for (let start = 0; start < text.length; ) {
    const newline = text.indexOf("\n", start);
    const end = newline < 0 ? text.length : newline;
    const line = end - start > MAX_LINE ? "" : text.slice(start, end).trim();
    const isFence = line.startsWith("```") || line.startsWith("~~~");
    const isLeftOut = isFence || (!fenced && patches.has(text.slice(start, Math.min(end, start + MAX_LINE))));
    if (isLeftOut && !fenced) markLeadIn(sentences);
    if (isFence) fenced = !fenced;
    else if (!isLeftOut && !fenced && line.length >= MIN_UNSPACED) addSentences(line, sentences);
    start = end + 1;
  }
}

/** Marks the last sentence if it leads to what follows, which is left out. */
function markLeadIn(sentences: Sentence[]): void {
  const last = sentences.at(-1);
  if (last !== undefined && /[:：]$/.test(last.text))
    sentences[sentences.length - 1] = { ...last, marks: last.marks | LEADS_TO_UNTOLD };
}

function addSentences(line: string, sentences: Sentence[]): void {
  let plain = line.replace(LIST_MARK, "");
  if (plain.includes("**")) plain = plain.replace(EMPHASIS, "$1");
  // A table row is kept as a whole.
  const marks = HEADING.test(line) ? HEADS : 0;
  if (ROW.test(plain) && plain.length <= MAX_SENTENCE) addSentence(plain, sentences);
  else for (const part of wholeSpans(plain.split(SENTENCE_END))) addSentence(part, sentences, marks);
}

/** Joins parts of a line again that were split inside a code span (`.. automodule:: example`). */
function wholeSpans(parts: readonly string[]): readonly string[] {
  if (!parts.some(isInsideSpan) || isInsideSpan(parts.join(""))) return parts;
  const whole: string[] = [];
  let isOpen = false;
  for (const part of parts) {
    if (isOpen) whole.push(`${whole.pop()} ${part}`);
    else whole.push(part);
    if (isInsideSpan(part)) isOpen = !isOpen;
  }
  return whole;
}

/** True for a text that ends inside a code span, if it does not begin inside one. */
const isInsideSpan = (text: string): boolean => (text.split("`").length - 1) % 2 === 1;

function addSentence(part: string, sentences: Sentence[], marks = 0): void {
  const text = part.trim();
  if (text.length < (isUnspaced(text) ? MIN_UNSPACED : MIN_SENTENCE) || text.length > MAX_SENTENCE) return;
  const oneSpaced = text.includes("  ") || text.includes("\t") ? text.replace(/\s+/g, " ") : text;
  sentences.push({ text: oneSpaced, marks: marks | phraseMarks(oneSpaced) });
}

/** Checks whether a sentence is a question. */
export const isQuestion = (text: string): boolean => /[?？؟]["'”»)]?$/.test(text);

/** Words that ask the user for a reply without a question mark. */
const ASKS =
  /^(?:(?:to (?:get started|begin|continue|proceed)|first|if so|in that case),? )?(?:please (?:confirm|choose|provide|tell me|reply|let me know (?:which|how|whether|what|if you))|let me know (?:which|how you)|would you like me to\b.*:$|once you (?:have )?confirm|(?:bitte|merci de|por favor|пожалуйста,?|prosím,?) (?:bestätig|confirm|подтверд|potvrď))|(?:教えて|確認(?:・修正)?を?お願い(?:します)?|ご確認ください|请确认|请告诉我)/iu;
/** Words of a question without whose answer the work does not go on. */
const ASKS_LEAVE =
  /(?<!\p{L})(?:(?:would you like|do you want|shall i|should i)(?: me)?(?: to)? (?:proceed|continue|go ahead)|do you confirm|soll ich fortfahren|möchten sie fortfahren|(?:tu|vous) confirme[sz]|confirme[sz]-(?:tu|vous)|¿(?:me )?confirma(?:s|n)?|вы подтверждаете|подтверждаешь|продолжать\?)(?!\p{L})|よろしいですか|进行吗|진행할까요/iu;
/** A question that offers more work in general, and asks nothing about the work at hand. */
const OFFERS_MORE =
  /(?<!\p{L})(?:anything else|sonst noch etwas|noch etwas für (?:sie|dich)|autre chose|algo más|algo mais|mais alguma coisa|(?:чем|что)-(?:нибудь|то) ещ[её]|ещ[её] (?:чем|что)-)|还有(?:什么|其他|别的)|還有什麼|(?:他|ほか)に(?:も|何か|なにか)|더 (?:도와|필요)|شيء آخر/iu;
/** What an answer asks the user is among this many last sentences of an answer. */
export const ASKED_LAST = 3;

/** The end of a question, in languages that need no sign for it, too. */
export const ASKS_ONLY = /[?？؟吗嗎呢]["'”»)]?\s*$/;
/** The end of an answer that only leads to what comes next. */
export const LEADS_ON = /[:：]\s*$/;
/** Words of a proposal, which is no outcome. */
export const PROPOSES = /\b(?:would|could|should|i can|we can|i['’]d|propose|suggest|recommend|option|plan)\b/i;

/** Checks whether a sentence offers more work in general. */
export const offersMore = (text: string): boolean => isQuestion(text) && OFFERS_MORE.test(text);

/**
 * Returns the sentences of an answer that ask the user something about the work. A heading only asks what is explained
 * below it.
 */
export const asked = (sentences: readonly Sentence[]): readonly Sentence[] =>
  sentences.filter(
    ({ text, marks }, index) =>
      (isQuestion(text) && !(marks & HEADS) && !offersMore(text)) ||
      (index >= sentences.length - ASKED_LAST && ASKS.test(text)),
  );

/** Checks whether an answer ends with words without whose answer the work does not go on. */
export const awaitsReply = (sentences: readonly Sentence[]): boolean =>
  sentences.slice(-ASKED_LAST).some(({ text }) => ASKS.test(text) || ASKS_LEAVE.test(text));

const ANNOUNCES_ELSEWHERE =
  /^(?:(?:gut|ok|jetzt|dann|als nächstes|d['’]abord|maintenant|ahora|primero|agora|primeiro|теперь|сначала|хорошо)[,.!]?\s+)*(?:ich (?:werde|schaue|beginne|starte|lese|prüfe|erstelle|führe|suche|öffne|passe)|(?:jetzt|nun|zuerst|als nächstes) (?!weiß|sehe|verstehe|habe|kann|bin)\p{L}+ ich|lass(?:en sie|t)? (?:mich|uns)|je (?:vais|commence)|commençons|vérifions|regardons|voyons|laisse(?:z)?-moi|voy a|vamos a|veamos|(?:primero|ahora) (?:veo|miro|reviso)|déjame|vou|deixe-me|сейчас|давайте|я (?:сейчас )?(?:проверю|посмотрю|сделаю|добавлю|исправлю))(?!\p{L})|^(?:让我|我来|我先|接下来我|我现在|我将|我会)|^(?:まず|次に|では|これから)[^。]*(?:します|ます|ましょう)。?$|^[^。はが]*(?:します|進めます|中です|ていきます|ましょう)。?$/iu;
/** What its speaker does at this moment, in languages that say it in the present tense, or will tell when it is over. */
const ANNOUNCES_PRESENT =
  /^(?:(?:gut|ok|jetzt|bien|bon|vale|listo|ahora|primero|luego|después|maintenant|теперь|сейчас)[,.!]?\s+)*(?:ich (?:korrigiere|behebe|teste|generiere|schreibe|aktualisiere|ergänze|installiere|ändere|(?:melde mich|sage|gebe)(?=[^.]{0,30}(?:wenn|sobald|bescheid)))|je (?:corrige|lance|relance|vérifie|regarde|cherche|teste|génère|démarre|exécute|(?:te|vous) préviens|reviens vers)|j['’](?:ajoute|exécute|installe|ouvre)|(?:l[oae]s? )?(?:corrijo|lanzo|relanzo|genero|actualizo|ejecuto|arreglo|pruebo|verifico|compruebo|añado|agrego|modifico|instalo|empiezo|comienzo|procedo|reinicio|valido|implemento|elimino|reviso|busco|leo|entreno)|(?:ahora|primero|luego|después) creo(?! que)|(?:te|os|le|les) (?:aviso|avisaré)|(?:исправляю|запускаю|перезапускаю|проверяю|смотрю|создаю|добавляю|обновляю|генерирую|начинаю|сообщу|дам знать))(?!\p{L})|^(?:先(?:直接|来|去)|正在|现在(?:来|开始|生成|创建|检查|运行|测试|更新|实现|添加|修复|修改|重新|比对|验证)|(?:完成|结束|跑完)(?:之?后)?[，,]?我?(?:会|再|就)?(?:通知|告诉|告知)[你您])|^.{0,200}(?<!알|모르)(?:겠습니다|할게요|볼게요|드릴게요)[.!:]?$/iu;
const BEFORE_IT =
  "(?:(?:now|first|next|then|ok|okay|good(?: question| point| catch| idea)?|great|perfect|alright|so|actually|you['’]re (?:absolutely )?right)(?:[,.!]|\\s+[-–—])?\\s+)*";
/** Verbs for finding something out, which imply that it was not found yet. */
const LOOKS =
  "(?:check|double-check|examine|explore|figure out|find|inspect|investigate|know|look|make sure|read|reproduce|rerun|run|search|see|test|try|understand|verify)";
const ANNOUNCES = new RegExp(
  `^${BEFORE_IT}(?:(?:let me(?! know)|let['’]s|i['’]ll|i will|i['’]m going to|i am going to)|` +
    `(?:i|we) (?:also |just |still |now )?(?:need to|should|want to) (?:first |also |now )?${LOOKS}|` +
    `now,? (?:${LOOKS}|add|apply|create|fix|insert|remove|replace|update|write)|` +
    "i (?:also |first |just |now |then )?(?:begin (?:by|with)|collect|gather|look (?:at|for|into)|start (?:by|with)))\\b",
  "i",
);
/** Half a sentence on what its speaker turns to: "First the code that the test is about", "Now who calls it". */
const TURNS_TO =
  /^(?:and,? )?(?:(?:first|next|now|then),? (?:who|what|how|where|whether)|(?:first|next|then),? (?:everything|(?:the|all|every|another)(?: [\p{L}-]+){1,3}),? (?:that|which|where))(?!\p{L})|^[^.,:;]{0,60} comes (?:first|next)\.?$/iu;

/** Checks whether a sentence announces what its speaker will do next, which may then never be done. */
export const isAnnouncement = (sentence: string): boolean =>
  ANNOUNCES.test(sentence) || ANNOUNCES_ELSEWHERE.test(sentence) || ANNOUNCES_PRESENT.test(sentence);

/** Marks of sentences that say what was found, decided, done or not done. */
const CONCLUDES = FINDING | DECISION | COMPLETION | SETBACK;
/** Signs of a name: code, a path, a file, a number. */
const NAMES = /`|[a-z][A-Z]|\w_\w|[\w)]\.[a-z]\w|\/\w|\d/;
/** The speaker has looked at enough; what was seen is in other sentences. */
const UNDERSTOOD =
  /^(?:(?:now|good|great|perfect|excellent|ok(?:ay)?|so|yes)[,.!]?\s+)*(?:i(?: can)?(?: now)? (?:see|understand)\b.{0,60}\b(?:picture|pattern|issue|problem|flow|structure|situation)\b|i(?: now)? have (?:now )?(?:enough|everything|a (?:clear|full|good|better|complete|comprehensive|solid)|the (?:full|whole|complete)|gathered)\b)/i;
/** Praise, agreement and surprise, which say nothing about the work, and what stands for a fold of nothing. */
const REACTS =
  /^(?:(?:oh|ah|ok(?:ay)?|great|good|perfect|excellent|nice|wow|hmm+|sorry|thanks|no details were kept)\b|you['’]re (?:absolutely |completely |totally )?(?:right|correct)|(?:that|this|it)(?:['’]s| is| looks) (?:a |an |the |much |very |so |really |more )*(?:great|good|better|perfect|excellent|clever|nice|fine|fair|crucial|right|correct|clear|clean|cleaner|mess|complex|expected|helpful|useful)\b|(?:all |both )?(?:makes sense|looks good|works?)\b)/i;
/** How the speaker feels about the work. */
const FEELS =
  /^(?:(?:so|well|ok(?:ay)?|honestly|clearly|at this point)[,.!]?\s+)*i(?:['’]m|['’]ve| am| was| have been| may have been| must be| understand| realize| know| think)?\b.{0,40}\b(?:frustrat(?:ing|ed|ion)|at a (?:complete |total )?loss|overthinking|overcomplicating|apologi[sz]e|confused|missing something)\b/i;
/** A shorter sentence, in UTF-16 code units, that names nothing is hardly more than a remark. */
const SHORTEST_STATEMENT = 40;

/** True for a sentence that names something by a path, a number or a spelling of code. */
const namesSomething = (text: string): boolean => NAMES.test(text);

/** Checks whether a sentence is an announcement that names nothing, and so says nothing about what was found. */
export const isPassing = ({ text, marks }: Sentence): boolean =>
  (isAnnouncement(text) || (TURNS_TO.test(text) && (marks & CONCLUDES) === 0)) && !namesSomething(text);

/** Words of a guess. */
const GUESSES = /\b(?:maybe|perhaps|might be|not sure|unclear|it seems|i bet)\b/i;
/** Beginnings of one who thinks aloud: what follows is a moment's idea, often taken back at once. */
const MUSES =
  /^(?:(?:but|oh|ah|no|ok(?:ay)?)[,!.]? +)?(?:(?:wait|hm+|oops|whoops|oh|ah+|aha|uh|moment|warte|ups|attends|espera|погоди(?:те)?|подожди(?:те)?|хм+)(?!\p{L}) ?[,!.…:]|(?:等等|哦|噢|啊|咦|嗯|あれ|えっと|うーん|待って)[，、！。…])/iu;

/** Checks whether a sentence itself says that it may be wrong. */
export const isGuess = (text: string): boolean => GUESSES.test(text);

/** Leaves out the passing ideas of one who thinks aloud, unless there is nothing else. */
export function withoutMusing<T extends Sentence>(sentences: readonly T[]): readonly T[] {
  const sound = sentences.filter(({ text }) => !MUSES.test(text));
  return sound.length > 0 ? sound : sentences;
}

/** Words between what is so and why, or what follows from it. */
const REASONS =
  /(?<!\p{L})(?:because|(?:this|that|which|it) (?:means|implies|shows|confirms|explains)|therefore|so that|instead of|weil|deshalb|damit|parce que|donc|porque|por eso|потому что|поэтому)(?!\p{L})|因为|所以|ため|なので|때문/iu;

/** Checks whether a sentence says what was found, decided, done or not done, why, or what follows from it. */
export const isConclusion = ({ text, marks }: Sentence): boolean => (marks & CONCLUDES) !== 0 || REASONS.test(text);

/**
 * Checks whether a sentence concludes nothing, and is short without a name ("The constructor is large.") or only leads
 * to a block of code or a call, which is not told ("Now the same for `getwd`:").
 */
export const isSlight = ({ text, marks }: Sentence): boolean =>
  (marks & CONCLUDES) === 0 &&
  ((marks & LEADS_TO_UNTOLD) !== 0 || (text.length < SHORTEST_STATEMENT && !namesSomething(text) && !isUnspaced(text)));

/**
 * Checks whether a sentence says nothing out of context: "I see the problem.", "That's better.", words before a list.
 */
export const isRemark = (sentence: Sentence): boolean =>
  !namesSomething(sentence.text) &&
  (sentence.text.endsWith(":") ||
    UNDERSTOOD.test(sentence.text) ||
    FEELS.test(sentence.text) ||
    (isSlight(sentence) && REACTS.test(sentence.text)));

/** Up to twice this length, in UTF-16 code units, a longer sentence counts as more informative. */
const TELLING_LENGTH = 100;

/** Returns how informative a sentence is by itself, without the rest of its message, from 0 to 4. */
export function tellingOf(text: string): number {
  const marks = phraseMarks(text);
  // What users say about themselves and their work counts as a statement, just like an agent's conclusion.
  const states = (marks & (CONCLUDES | PREFERENCE)) !== 0;
  const isUserFact = (marks & PREFERENCE) !== 0;
  if (!isUserFact && (isAnnouncement(text) || isRemark({ text, marks }) || isSlight({ text, marks }))) return 0;
  return Math.min(2, text.length / TELLING_LENGTH) + (namesSomething(text) ? 1 : 0) + (states ? 1 : 0);
}

/**
 * Quotes as many of the first sentences as fit into this many UTF-16 code units, whole and each once; always the first.
 */
export function quoteSentences(sentences: readonly Sentence[], maxLength: number): string {
  let quote = "";
  for (const text of new Set(sentences.map((sentence) => sentence.text))) {
    const next = quote === "" ? text : `${quote}${/[.!?。！？:;,]["'”»)]?$/.test(quote) ? "" : ";"} ${text}`;
    if (quote !== "" && next.length > maxLength) break;
    quote = next;
  }
  return quote;
}

/** Words that only say that the speaker is there to help. */
const OFFERS_HELP =
  /^(?:(?:sure|of course|certainly|absolutely|thank you)[,.!]? )?i(?:['’]d| would|['’]ll| will|['’]m| am| can)?\b[^.]{0,24}\b(?:help|assist)\b/i;

/** Returns a text without its questions and courtesies, on one line, quoted like {@link quoteSentences}. */
export const quoteStatements = (text: string, maxLength: number): string =>
  quoteSentences(
    sentencesOf(text).filter((one) => !isQuestion(one.text) && !ASKS.test(one.text) && !OFFERS_HELP.test(one.text)),
    maxLength,
  );
