import type { Steps } from "../time/steps.ts";
import { plainLetters } from "./languages/rule-language.ts";

/** Ends of lines in any convention: a rule must not reach over one that a reader of the message sees. */
const LINE_END = /\r\n|[\n\r\v\f\u0085\u2028\u2029]/g;

/** One line of a text, without its end. */
export interface Line {
  readonly start: number;
  readonly end: number;
  readonly text: string;
  /** False for what was pasted and not phrased: code, logs, quotes, tables, documents in tags. */
  readonly isProse: boolean;
}

/** Tags that people put around what they want: everything else in tags was pasted. */
const TELLING_TAG =
  /^(?:(?:\w+[_-])?(?:instructions?|rules?|constraints?|guidelines?|requirements?|policy|policies|important|conventions?|task|role)|[A-Z][A-Z_-]+)$/;
/** What a prompt shows as an example in tags is not an instruction. */
const EXAMPLE_TAG = /^(?:format_)?examples?$/i;
const OPENING_TAG = /^\s*<([a-zA-Z][\w-]*)(?:\s[^<>]{0,400})?(?<!\/)>/;
const TAG = /<(\/?)([a-zA-Z][\w-]*)(?:\s[^<>]{0,400})?>/g;
/** How a comment begins that may go over several lines, and how each kind ends. */
const COMMENT = /^\s*(<!--|\/\*)/;
const COMMENT_ENDS: Readonly<Record<string, string>> = { "<!--": "-->", "/*": "*/" };
const FENCE = /^\s{0,60}(`{3,}|~{3,})(.*)$/;

/** How a line begins that a program wrote or that is a program. */
const NOT_PROSE = [
  // Quotes, tables, frames of a terminal, diffs.
  /^\s*(?:>|\||[\u2500-\u257f]|@@|\+{3}\s|-{3}\s\S|diff --git|\+\s*\d)/,
  /^\s*(?:[-*+•]|\d{1,3}[.)])\s+>+\s*[^\d\s=>]/,
  // Comments of a program, prompts of a shell.
  /^\s*(?:\/\/|\/\*|\*\/|<!--|#!|#include|--\s|;;|%%|\$\s|➜|❯|PS [A-Z]:|[\w.-]+@[\w.-]+[:~#$])/,
  // Declarations and statements.
  /^\s*(?:(?:const|let|var|def|class|function|fn|func|public|private|protected|export|import|return|throw|async|await|static|interface|type|enum|struct|impl|pub)\b.*(?:[={;]|\w\()|from \S+ import\b|(?:if|for|while|switch|catch|elif|else if)\s*\(|(?:else|try|finally)\s*[:{]|@\w+\()/,
  /^\s*[\w$.[\]]+\s*(?:\+|-|\*)?=(?!=)\s*\S/,
  /^\s*[\w$.]+\(.*\)[;,{]?\s*$/,
  /^\s*["'][\w$ .-]{1,60}["']\s*:/,
  /^\s*[}\])]+[;,)]*\s*$/,
  // Mark-up with its end on the line.
  /^\s*<\/?[a-zA-Z][^<>]*>.*<\/[a-zA-Z][\w-]*>\s*$/,
  // Logs, stack traces, errors, and what harnesses say of a message.
  /^\s*(?:Caveat: The messages below|\[Request interrupted)/,
  /^\s*(?:\[?\d{4}-\d\d-\d\d[T ]\d|\[?\d\d:\d\d:\d\d|\[?(?:INFO|ERROR|DEBUG|TRACE|FATAL)\b[\]:| ]|\[(?:warn|warning|info|error|debug)\])/i,
  /^\s*(?:at\s\S.*[:(]\d+|File ".*", line \d|Traceback \(|Caused by:|npm (?:ERR!|warn)|error(?:\[\w+\])?:\s|fatal:\s|panic:\s|E\s{2,}\S|FAIL\s|PASS\s|✓|✗|×\s)/i,
  /^\s*(?:Uncaught\s)?[A-Za-z.]*(?:Error|Exception|Warning|Panic)\b[ :[(]/,
  /^\s*[\w./\\-]+\.\w{1,5}[:(]\d+[:,)]/,
] as const;
const CODE_END = /(?:[{};]|=>|\);?|\\)\s*(?:\/\/.*)?$/;
const CODE_SIGN = /[={}]|\w\(|\)\s*;/;
/** How many lines are read in one step. */
const LINES_A_STEP = 64;
/** How many signs of quotes are paired in one step. */
const SIGNS_A_STEP = 512;
/** How many tags are paired in one step. */
const TAGS_A_STEP = 512;
/** No more of a line is looked at to tell what it is. In UTF-16 code units. */
const LOOKED_AT = 400;

/**
 * The lines of a text, each with whether somebody phrased it. Reads every line once.
 *
 * @param trusted true for text in which documents in tags are instructions too, as in a system prompt.
 */
export function* linesOf(text: string, trusted = false): Steps<readonly Line[]> {
  const bare = yield* bareLines(text);
  const fences = yield* closedFences(bare);
  const reader = new LineReader(yield* closingsOf(text), fences, trusted);
  for (const [index, line] of bare.entries()) {
    if (index % LINES_A_STEP === 0) yield;
    reader.read(line, index);
  }
  yield;
  return yield* withoutPrograms(reader.lines, reader.marked);
}

/** How the head of a mail looks, line by line: two of them begin one. */
export const MAIL_HEAD =
  /^(?:from|to|cc|subject|date|sent|reply-to|von|an|betreff|gesendet|datum|de|à|objet|envoyé|para|asunto|assunto|enviado|от|кому|тема|дата|发件人|收件人|主题|差出人|宛先|件名)\s?[:：]\s*\S/iu;

const QUOTE_SIGN = /["`“”„«»‘’「」『』\n]/g;
const QUOTE_ENDS: Readonly<Record<string, string>> = {
  '"': '"',
  "`": "`",
  "“": '”"',
  "”": "”",
  "„": '“”"',
  "«": "»",
  "»": "«",
  "‘": "’",
  "「": "」",
  "『": "』",
};
const NARROW = "`‘";
const LONGEST_NARROW = 200;
const LONGEST_QUOTE = 1_600;
const LETTER = /[\p{Script=Latin}\p{Script=Cyrillic}\p{N}]/u;
const BLANK_LINE = /[^\S\n]*(?:\n|$)/y;

/** A range of a text, in UTF-16 code units. */
type TextRange = readonly [start: number, end: number];

/**
 * What stands in quotes, in order: of one passage, with the signs around it. A sign that nothing closes, that stands for
 * inches or in a word, quotes nothing. Reads the text once.
 */
export function* quotesIn(text: string): Steps<readonly TextRange[]> {
  const quotes: TextRange[] = [];
  let open: { readonly at: number; readonly ends: string; readonly longest: number } | undefined;
  let signs = 0;
  for (const { 0: sign, index } of text.matchAll(QUOTE_SIGN)) {
    if (signs++ % SIGNS_A_STEP === 0) yield;
    const isInWord = LETTER.test(text[index + 1] ?? "");
    if (open !== undefined && index - open.at > open.longest) open = undefined;
    if (sign === "\n") {
      BLANK_LINE.lastIndex = index + 1;
      if (open?.longest === LONGEST_NARROW || BLANK_LINE.test(text)) open = undefined;
    } else if (open?.ends.includes(sign) === true) {
      if (isInWord && !"»”」』«`".includes(sign)) continue;
      if (index - open.at > 1) quotes.push([open.at, index + 1]);
      open = undefined;
    } else if (open === undefined) {
      const ends = QUOTE_ENDS[sign];
      const isAlone = !LETTER.test(text[index - 1] ?? "") && !/^\s?$/.test(text[index + 1] ?? "");
      if (ends === undefined || !(isAlone || "“„«「『".includes(sign))) continue;
      open = { at: index, ends, longest: NARROW.includes(sign) ? LONGEST_NARROW : LONGEST_QUOTE };
    }
  }
  // A prompt that a harness wrote is in quotes as a whole, and nobody is quoted with it.
  const isWhole = quotes.length === 1 && quotes[0]?.[0] === text.search(/\S/) && text.trimEnd().length === quotes[0][1];
  return isWhole ? [] : quotes;
}

/** What a statement says, in plain letters; masked, with what is quoted in it made unreadable at the same length. */
export interface Spoken {
  readonly plain: string;
  readonly masked: string;
}

/** A text as its statements say it, asked for in their order. */
export class SpokenText {
  readonly #text: string;
  readonly #quotes: readonly TextRange[];
  #next = 0;

  constructor(text: string, quotes: readonly TextRange[]) {
    this.#text = text;
    this.#quotes = quotes;
  }

  between(start: number, end: number): Spoken {
    while ((this.#quotes[this.#next]?.[1] ?? Number.POSITIVE_INFINITY) <= start) this.#next++;
    let plain = "";
    let masked = "";
    let at = start;
    for (let next = this.#next; at < end; next++) {
      const [from, to] = this.#quotes[next] ?? [end, end];
      const own = plainLetters(this.#text.slice(at, Math.min(Math.max(from, at), end)));
      const quoted = plainLetters(this.#text.slice(Math.min(Math.max(from, at), end), Math.min(to, end)));
      plain += own + quoted;
      masked += own.replaceAll("*", " ") + "x".repeat(quoted.length);
      at = Math.max(at, to);
    }
    return { plain, masked };
  }
}

type BareLine = Omit<Line, "isProse">;

/** Tells line by line, in order, what was phrased. */
class LineReader {
  readonly lines: Line[] = [];
  /** Places of the lines that stand in a fence or in tags. */
  readonly marked = new Set<number>();
  readonly #isQuoting: (tag: string) => boolean;
  readonly #closings: Closings;
  readonly #fences: ReadonlySet<number>;
  #fence: string | undefined;
  #hiddenTo = 0;

  constructor(closings: Closings, fences: ReadonlySet<number>, trusted: boolean) {
    this.#isQuoting = trusted ? (tag) => EXAMPLE_TAG.test(tag) : (tag) => !TELLING_TAG.test(tag);
    this.#closings = closings;
    this.#fences = fences;
  }

  /** Reads a line of the text, and what stands behind a closing tag as a line of its own. */
  read(whole: BareLine, index: number): void {
    let line = whole;
    while (this.#isHidden(line, index)) {
      if (line.end <= this.#hiddenTo || this.#fence !== undefined || line.start >= this.#hiddenTo) {
        this.#hide(line);
        return;
      }
      const { start, end, text } = line;
      const cut = this.#hiddenTo - start;
      this.#hide({ start, end: this.#hiddenTo, text: text.slice(0, cut) });
      line = { start: this.#hiddenTo, end, text: text.slice(cut) };
    }
    this.lines.push({ ...line, isProse: !isPasted(line.text) });
  }

  #isHidden({ start, text }: BareLine, index: number): boolean {
    if (start < this.#hiddenTo) return true;
    const mark = FENCE.exec(text);
    if (this.#fence !== undefined) {
      if (mark !== null && closes(mark, this.#fence)) this.#fence = undefined;
      return true;
    }
    if (mark !== null) {
      if (this.#fences.has(index)) this.#fence = mark[1] as string;
      return true;
    }
    const end = this.#endOfPasted(text, start);
    if (end !== undefined) this.#hiddenTo = end;
    return end !== undefined;
  }

  /** Where the comment or the document ends that a line opens; undefined when it opens none, or none that ends. */
  #endOfPasted(text: string, start: number): number | undefined {
    const comment = COMMENT.exec(text)?.[1];
    if (comment !== undefined) return this.#closings.ofComment(comment, start + text.indexOf(comment));
    const tag = OPENING_TAG.exec(text)?.[1];
    if (tag === undefined || !this.#isQuoting(tag)) return undefined;
    return this.#closings.after(tag, start + text.indexOf("<"));
  }

  #hide(line: BareLine): void {
    this.marked.add(this.lines.length);
    this.lines.push({ ...line, isProse: false });
  }
}

function* bareLines(text: string): Steps<readonly BareLine[]> {
  const lines: BareLine[] = [];
  let start = 0;
  for (const match of text.matchAll(LINE_END)) {
    if (lines.length % LINES_A_STEP === 0) yield;
    lines.push({ start, end: match.index, text: text.slice(start, match.index) });
    start = match.index + match[0].length;
  }
  lines.push({ start, end: text.length, text: text.slice(start) });
  return lines;
}

function isPasted(line: string): boolean {
  const looked = line.length > LOOKED_AT ? line.slice(0, LOOKED_AT) : line;
  if (NOT_PROSE.some((sign) => sign.test(looked))) return true;
  const end = line.slice(-80);
  return CODE_END.test(end) && CODE_SIGN.test(looked);
}

/** A line between lines of a program belongs to it: a comment over several lines, a text in its source. */
function* withoutPrograms(lines: readonly Line[], marked: ReadonlySet<number>): Steps<readonly Line[]> {
  const result = [...lines];
  let read = 0;
  for (let start = 0; start < lines.length; ) {
    if (start >= read) {
      yield;
      read = start + LINES_A_STEP;
    }
    let end = start;
    let pasted = 0;
    for (; end < lines.length && !marked.has(end) && (lines[end] as Line).text.trim() !== ""; end++)
      if (!(lines[end] as Line).isProse) pasted++;
    if (pasted * 2 > end - start)
      for (let index = start; index < end; index++) result[index] = { ...(lines[index] as Line), isProse: false };
    start = Math.max(end, start) + 1;
  }
  return result;
}

const closes = (mark: RegExpExecArray, fence: string): boolean =>
  (mark[1] as string).startsWith(fence) && (mark[2] as string).trim() === "";

/** The lines that open a code block which ends somewhere: one that never ends hides nothing. Looked for from behind. */
function* closedFences(lines: readonly BareLine[]): Steps<ReadonlySet<number>> {
  const longest = new Map<string, number>();
  const closed = new Set<number>();
  for (let index = lines.length - 1; index >= 0; index--) {
    if (index % LINES_A_STEP === 0) yield;
    const mark = FENCE.exec((lines[index] as Line).text);
    if (mark === null) continue;
    const [, fence = "", rest = ""] = mark;
    const sign = fence[0] as string;
    if ((longest.get(sign) ?? 0) >= fence.length) closed.add(index);
    if (rest.trim() === "") longest.set(sign, Math.max(longest.get(sign) ?? 0, fence.length));
  }
  return closed;
}

/** Behind which place tags and comments end. Asked in the order of the text, so each ending is passed once. */
class Closings {
  readonly #text: string;
  /** The endings of each tag, the last one first, and which of them belongs to a tag that opens at a place. */
  readonly #ends: ReadonlyMap<string, number[]>;
  readonly #paired: ReadonlyMap<number, number>;
  /** For each kind of comment, the place up to which it was looked for its end, and where that is. */
  readonly #comments = new Map<string, number>();

  constructor(text: string, ends: ReadonlyMap<string, number[]>, paired: ReadonlyMap<number, number>) {
    this.#text = text;
    this.#ends = ends;
    this.#paired = paired;
  }

  /** Behind the ending that belongs to a tag at a place; where none does, behind the next one of that name. */
  after(tag: string, place: number): number | undefined {
    const ends = this.#ends.get(tag);
    while (ends !== undefined && ends.length > 0 && (ends.at(-1) as number) < place) ends.pop();
    return this.#paired.get(place) ?? ends?.at(-1);
  }

  /** Behind the end of a comment that begins at a place. */
  ofComment(begin: string, place: number): number | undefined {
    const end = COMMENT_ENDS[begin] as string;
    const from = place + begin.length;
    let found = this.#comments.get(begin) ?? 0;
    if (found >= 0 && found < from) found = this.#text.indexOf(end, from);
    this.#comments.set(begin, found);
    return found < 0 ? undefined : found + end.length;
  }
}

function* closingsOf(text: string): Steps<Closings> {
  const ends = new Map<string, number[]>();
  const paired = new Map<number, number>();
  const open = new Map<string, number[]>();
  let tags = 0;
  for (const { index, 0: whole, 1: slash, 2: name = "" } of text.includes("</") ? text.matchAll(TAG) : []) {
    if (tags++ % TAGS_A_STEP === 0) yield;
    if (slash === "") {
      if (!whole.endsWith("/>")) listOf(open, name).push(index);
      continue;
    }
    const end = index + whole.length;
    listOf(ends, name).push(end);
    const start = open.get(name)?.pop();
    if (start !== undefined) paired.set(start, end);
  }
  for (const some of ends.values()) some.reverse();
  return new Closings(text, ends, paired);
}

function listOf(lists: Map<string, number[]>, name: string): number[] {
  const list = lists.get(name) ?? [];
  lists.set(name, list);
  return list;
}
