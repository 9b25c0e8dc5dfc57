import type { Steps } from "../time/steps.ts";
import { plainLetters, smallLetters } from "./languages/rule-language.ts";

/** Line ends in any convention: a rule must not extend past a line end that a reader of the message sees. */
const LINE_END = /\r\n|[\n\r\v\f\u0085\u2028\u2029]/g;

/** One line of a text, without its end. */
export interface Line {
  readonly start: number;
  readonly end: number;
  readonly text: string;
  /** False for pasted text: code, logs, quotes, tables, documents in tags. */
  readonly isProse: boolean;
}

/** Tags that people put around their instructions; text in any other tag is taken to be pasted. */
const TELLING_TAG =
  /^(?:(?:\w+[_-])?(?:instructions?|rules?|constraints?|guidelines?|requirements?|policy|policies|important|conventions?|task|role)|[A-Z][A-Z_-]+)$/;
/** Tags around examples, whose content is not an instruction. */
const EXAMPLE_TAG = /^(?:format_)?examples?$/i;
const OPENING_TAG = /^\s*<([a-zA-Z][\w-]*)(?:\s[^<>]{0,400})?(?<!\/)>/;
const TAG = /<(\/?)([a-zA-Z][\w-]*)(?:\s[^<>]{0,400})?>/g;
/** How a comment that may span several lines begins, and how each kind ends. */
const COMMENT = /^\s*(<!--|\/\*)/;
const COMMENT_ENDS: Readonly<Record<string, string>> = { "<!--": "-->", "/*": "*/" };
const FENCE = /^\s{0,60}(`{3,}|~{3,})(.*)$/;

/** How a line begins that is program code or program output. */
const NOT_PROSE = [
  // Quotes, tables, terminal box drawing, diffs.
  /^\s*(?:>|\||[\u2500-\u257f]|@@|\+{3}\s|-{3}\s\S|diff --git|\+\s*\d)/,
  /^\s*(?:[-*+•]|\d{1,3}[.)])\s+>+\s*[^\d\s=>]/,
  // Code comments, shell prompts.
  /^\s*(?:\/\/|\/\*|\*\/|<!--|#!|#include|--\s|;;|%%|\$\s|➜|❯|PS [A-Z]:|[\w.-]+@[\w.-]+[:~#$])/,
  // Declarations and statements.
  /^\s*(?:(?:const|let|var|def|class|function|fn|func|public|private|protected|export|import|return|throw|async|await|static|interface|type|enum|struct|impl|pub)\b.*(?:[={;]|\w\()|from \S+ import\b|(?:if|for|while|switch|catch|elif|else if)\s*\(|(?:else|try|finally)\s*[:{]|@\w+\()/,
  /^\s*[\w$.[\]]+\s*(?:\+|-|\*)?=(?!=)\s*\S/,
  /^\s*[\w$.]+\(.*\)[;,{]?\s*$/,
  /^\s*["'][\w$ .-]{1,60}["']\s*:/,
  /^\s*[}\])]+[;,)]*\s*$/,
  // Markup that is closed on the same line.
  /^\s*<\/?[a-zA-Z][^<>]*>.*<\/[a-zA-Z][\w-]*>\s*$/,
  // Logs, stack traces, errors, and remarks that harnesses add to a message.
  /^\s*(?:Caveat: The messages below|\[Request interrupted)/,
  /^\s*(?:\[?\d{4}-\d\d-\d\d[T ]\d|\[?\d\d:\d\d:\d\d|\[?(?:INFO|ERROR|DEBUG|TRACE|FATAL)\b[\]:| ]|\[(?:warn|warning|info|error|debug)\])/i,
  /^\s*(?:at\s\S.*[:(]\d+|File ".*", line \d|Traceback \(|Caused by:|npm (?:ERR!|warn)|error(?:\[\w+\])?:\s|fatal:\s|panic:\s|E\s{2,}\S|FAIL\s|PASS\s|✓|✗|×\s)/i,
  /^\s*(?:Uncaught\s)?[A-Za-z.]*(?:Error|Exception|Warning|Panic)\b[ :[(]/,
  /^\s*[\w./\\-]+\.\w{1,5}[:(]\d+[:,)]/,
] as const;
const CODE_END = /(?:[{};]|=>|\);?|\\)\s*(?:\/\/.*)?$/;
const CODE_SIGN = /[={}]|\w\(|\)\s*;/;
/** The number of lines that are read in one step. */
const LINES_A_STEP = 64;
/** The number of quotation marks that are paired in one step. */
const SIGNS_A_STEP = 512;
/** The number of tags that are paired in one step. */
const TAGS_A_STEP = 512;
/** How much of a line is examined to tell what it is, in UTF-16 code units. */
const LOOKED_AT = 400;

/**
 * Splits a text into lines and tells for each whether it is prose or was pasted. Reads every line once.
 *
 * @param trusted true for text in which documents in tags are also instructions, as in a system prompt.
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

/** Matches one header line of an email; two of them in a row begin an email. */
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
 * Finds the quoted ranges of a text, in order, each within one passage and with its quotation marks. A mark that
 * nothing closes, that means inches or that is inside a word quotes nothing. Reads the text once.
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
  // Some harnesses put the whole prompt in quotes, which quotes nobody.
  const isWhole = quotes.length === 1 && quotes[0]?.[0] === text.search(/\S/) && text.trimEnd().length === quotes[0][1];
  return isWhole ? [] : quotes;
}

/** What a statement says, in plain letters; `masked` is in small ones as well, and of the same length: quotes are "x". */
export interface Spoken {
  readonly plain: string;
  readonly masked: string;
}

/** Returns the spoken form of a text's statements; they must be requested in order. */
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
      masked += smallLetters(own).replaceAll("*", " ") + "x".repeat(quoted.length);
      at = Math.max(at, to);
    }
    return { plain, masked };
  }
}

type BareLine = Omit<Line, "isProse">;

/** Tells, line by line and in order, prose from pasted text. */
class LineReader {
  readonly lines: Line[] = [];
  /** Indexes of the lines inside a fence, a comment or tags. */
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

  /** Reads a line of the text; what follows a closing tag becomes a line of its own. */
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

  /** Where the comment or document that a line opens ends; undefined when it opens none, or one that never ends. */
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

/** A line among lines of code belongs to the code: part of a multi-line comment, or of a string literal. */
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

/** The lines that open a code block that is closed; an unclosed one hides nothing. Searches from the end. */
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

/** Finds where tags and comments end. Must be queried in text order, so that each ending is passed only once. */
class Closings {
  readonly #text: string;
  /** The endings of each tag, last first; and, by the place of an opening tag, the ending that belongs to it. */
  readonly #ends: ReadonlyMap<string, number[]>;
  readonly #paired: ReadonlyMap<number, number>;
  /** For each kind of comment, where the last end that was found is; −1 when there are no more. */
  readonly #comments = new Map<string, number>();

  constructor(text: string, ends: ReadonlyMap<string, number[]>, paired: ReadonlyMap<number, number>) {
    this.#text = text;
    this.#ends = ends;
    this.#paired = paired;
  }

  /** The place after the ending of the tag at a place; if it has none, after the next ending of that name. */
  after(tag: string, place: number): number | undefined {
    const ends = this.#ends.get(tag);
    while (ends !== undefined && ends.length > 0 && (ends.at(-1) as number) < place) ends.pop();
    return this.#paired.get(place) ?? ends?.at(-1);
  }

  /** The place after the end of the comment that begins at a place; undefined when it never ends. */
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
