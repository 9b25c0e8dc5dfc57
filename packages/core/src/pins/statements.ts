import type { Steps } from "../time/steps.ts";
import { LANGUAGES } from "./languages/languages.ts";
import { type Line, linesOf } from "./pasted-text.ts";

/** One thing that a text says: a sentence, a list item, or a lead-in (heading or sentence) with the list after it. */
export interface Statement {
  /** Range in the text, in UTF-16 code units. */
  readonly start: number;
  readonly end: number;
  /** Where the lead-in of a list ends; for all other statements, the same as `end`. */
  readonly leadEnd: number;
  /** The items of the list, to be read one by one when the statement is not a rule as a whole. */
  readonly items: readonly Statement[];
  /** True under a heading such as "Rules". */
  readonly underRules: boolean;
  /** True when it announces something that does not follow. */
  readonly isIncomplete: boolean;
  /** Index of its passage, counted from 0; blank lines and headings separate passages. */
  readonly passage: number;
  /** What follows a lead-in; absent when nothing does. */
  readonly announces?: "list" | "prose" | "pasted";
}

const LIST_MARK = /^(\s*)(?:[-*+•–▪◦]\s+(?:\[[ xX]\]\s+)?|\(?\d{1,3}[.)]\s+|[a-zA-Z][.)]\s+(?![a-zA-Z]\.(?:\s|$)))/;
/** A heading, or a line in bold letters, which may be one. */
const HEADING = /^(\s*(?:#{1,6}\s+|\*\*|__))(\S[^\n]{0,158}?)(?:\*\*|__)?:?$/;
const IS_HEADING = /^\s*#{1,6}\s|^\s*(?:\*\*[^*]+\*\*|__[^_]+__):?\s*$/;
const ANNOUNCES = /[:：]["”’»*_]*$/;
const SENTENCE_SIGN = /[.!?…؟۔。！？；]/g;
const CLOSERS = /["'”’»)\]*_]/;
const UNSPACED_END = /[。！？；]/;
/** A line of at least this many UTF-16 code units that ends without punctuation is taken for a wrapped line. */
const WRAPPED_FROM = 40;
/** The number of lines, or sentences of one flow, that are read in one step. */
const LINES_A_STEP = 64;
/** Punctuation at the end of a line that must continue in the next one. */
const WANTS_MORE = /[,([{–—-]$/;

const headings = new RegExp(`^(?:${LANGUAGES.flatMap(({ headings: words }) => words).join("|")})\\s*[:：]?\\s*$`, "iu");
const beginsWith = (entries: readonly string[]): RegExp =>
  new RegExp(`^(?:${entries.join("|")})(?![\\p{L}\\p{N}_])`, "iu");
const excepts = beginsWith(LANGUAGES.flatMap(({ exceptions }) => exceptions));
const goesOn = beginsWith(LANGUAGES.flatMap(({ exceptions, continuations }) => [...exceptions, ...continuations]));
const abbreviations = new Set(LANGUAGES.flatMap(({ abbreviations: words }) => words));
/** Abbreviations that may end a sentence; after all others the sentence continues. */
const closing = new Set(LANGUAGES.flatMap(({ closingAbbreviations }) => closingAbbreviations));

/** Lines that are read as one: the wrapped lines of a paragraph, or a list item with its continuation lines. */
interface Flow {
  readonly start: number;
  end: number;
  readonly isItem: boolean;
  readonly indent: number;
  readonly underRules: boolean;
  /** True when a blank line or a heading precedes it. */
  readonly isApart: boolean;
  readonly passage: number;
  /** Set for a heading: it is the lead-in of the list that follows, and counts on its own only if it is a sentence. */
  readonly heading?: "title" | "bold";
  /** True for code, quotes and tables: they are not read, but may be what a lead-in announces. */
  readonly isPasted: boolean;
}

/**
 * Splits a text into statements, in order and without overlap. Code, quotes, logs and pasted documents are left out,
 * unless a lead-in such as "Never run this:" announces them. Linear in the length of the text.
 *
 * @param trusted passed on to {@link linesOf}.
 */
export function* statementsOf(text: string, trusted = false): Steps<readonly Statement[]> {
  const lines = yield* linesOf(text, trusted);
  const flows = yield* flowsOf(lines);
  const statements: Statement[] = [];
  for (let index = 0; index < flows.length; ) {
    index = yield* addFlow(text, flows, index, flows.length, statements);
    yield;
  }
  return statements;
}

/** Adds what a flow says, with the list that it announces (up to `limit`), and returns the index of the next flow. */
function* addFlow(
  text: string,
  flows: readonly Flow[],
  index: number,
  limit: number,
  into: Statement[],
): Steps<number> {
  const flow = flows[index] as Flow;
  if (flow.isPasted) return index + 1;
  const sentences = yield* sentencesOf(text, flow);
  const last = sentences.at(-1);
  if (last === undefined) return index + 1;
  for (const sentence of sentences.slice(0, -1)) into.push(sentence);
  const lead = text.slice(last.start, last.end);
  const behind = flows[index + 1];
  const leads =
    flow.heading !== undefined ? index + 1 < limit && behind?.isItem === true : ANNOUNCES.test(lead) || endsOpen(lead);
  if (!leads) {
    if (flow.heading !== "title" || /[.!]$/.test(lead)) into.push(last);
    return index + 1;
  }
  const next = announcedEnd(text, flows, index, limit);
  const items: Statement[] = [];
  for (let place = index + 1; place < next; ) {
    place = yield* addFlow(text, flows, place, next, items);
    yield;
  }
  const end = next === index + 1 ? last.end : (flows[next - 1] as Flow).end;
  const underRules = headings.test(lead);
  into.push({
    ...last,
    end,
    items: underRules ? items.map((item) => ({ ...item, underRules: true })) : items,
    isIncomplete: next === index + 1,
    ...(next > index + 1 && behind !== undefined && { announces: kindOf(behind) }),
  });
  return next;
}

const kindOf = ({ isPasted, isItem }: Flow): "list" | "prose" | "pasted" =>
  isPasted ? "pasted" : isItem ? "list" : "prose";

/** The index after the last flow that a lead-in announces: its list, or the paragraph that follows immediately. */
function announcedEnd(text: string, flows: readonly Flow[], index: number, limit: number): number {
  const lead = flows[index] as Flow;
  let end = index + 1;
  if (end >= limit) return end;
  const first = flows[end] as Flow;
  if (first.isPasted) return end + 1;
  if (!first.isItem) {
    while (end < limit && isSamePassage(flows[end] as Flow, text)) end++;
    return end;
  }
  const belongs = ({ isItem, indent }: Flow): boolean => isItem && (!lead.isItem || indent > lead.indent);
  while (end < limit && belongs(flows[end] as Flow)) end++;
  return end;
}

/** True for a line of the passage after a lead-in; a line that announces something is itself a lead-in. */
const isSamePassage = ({ isApart, isItem, start, end }: Flow, text: string): boolean =>
  !isApart && !isItem && !ANNOUNCES.test(text.slice(Math.max(start, end - 8), end));

function* flowsOf(lines: readonly Line[]): Steps<readonly Flow[]> {
  const flows: Flow[] = [];
  let open: Flow | undefined;
  let openText = "";
  let isApart = true;
  let passage = -1;
  let underRules = false;
  for (const [index, { start, text, isProse }] of lines.entries()) {
    if (index % LINES_A_STEP === 0) yield;
    const trimmed = text.trim();
    if (trimmed === "") {
      if (open !== undefined && !endsOpen(openText)) open = undefined;
      isApart = true;
      continue;
    }
    if (isApart) passage++;
    const heading = isProse && IS_HEADING.test(text) ? HEADING.exec(text.trimEnd()) : null;
    if (heading !== null) {
      const [, mark = "", title = ""] = heading;
      underRules = headings.test(title);
      const from = start + mark.length;
      flows.push({
        start: from,
        end: from + title.length,
        isItem: false,
        indent: 0,
        underRules: false,
        isApart,
        passage,
        isPasted: false,
        heading: mark.trim().startsWith("#") ? "title" : "bold",
      });
      open = undefined;
      isApart = true;
      continue;
    }
    const from = start + text.length - text.trimStart().length;
    const to = start + text.trimEnd().length;
    if (!isProse) {
      const before = flows.at(-1);
      if (before?.isPasted === true && !isApart) before.end = to;
      else
        flows.push({
          start: from,
          end: to,
          isItem: false,
          indent: 0,
          underRules: false,
          isApart,
          passage,
          isPasted: true,
        });
      open = undefined;
      isApart = false;
      continue;
    }
    const mark = LIST_MARK.exec(text);
    if (open !== undefined && mark === null && runsOn(openText, trimmed, open.isItem && text !== text.trimStart())) {
      open.end = to;
      openText = trimmed;
      isApart = false;
      continue;
    }
    const itemStart = mark === null ? from : start + mark[0].length;
    if (itemStart >= to) continue;
    if (isApart && mark === null && !goesUnder(flows.at(-1))) underRules = false;
    open = {
      start: itemStart,
      end: to,
      isItem: mark !== null,
      indent: mark?.[1]?.length ?? 0,
      underRules: underRules && mark !== null,
      isApart,
      passage,
      isPasted: false,
    };
    flows.push(open);
    openText = trimmed;
    isApart = false;
  }
  return flows;
}

/** The first paragraph under a heading may introduce its list. */
const goesUnder = (before: Flow | undefined): boolean => before === undefined || !before.isItem;

/** True when a line continues in the next one: it was wrapped, or cannot end there. */
function runsOn(line: string, next: string, indented: boolean): boolean {
  if (endsOpen(line) || WANTS_MORE.test(line)) return true;
  if (/[.!?…。！？；:：]["'”’»)\]*_]*$/.test(line)) return excepts.test(next);
  if (indented || goesOn.test(next)) return true;
  return line.length >= WRAPPED_FROM && /^[\p{Ll}\d`"'([]/u.test(next);
}

/** True when a text ends with an abbreviation that cannot end a sentence. */
function endsOpen(text: string): boolean {
  const word = /(\S{1,12})$/.exec(text)?.[1]?.toLowerCase();
  return word !== undefined && abbreviations.has(word) && !closing.has(word);
}

function* sentencesOf(text: string, flow: Flow): Steps<Statement[]> {
  const sentences: Statement[] = [];
  let start = flow.start;
  const add = (end: number): void => {
    const said = text.slice(start, end);
    const from = start + said.length - said.trimStart().length;
    const to = start + said.trimEnd().length;
    start = end;
    if (from >= to) return;
    const before = sentences.at(-1);
    // "Never do this. Unless I say so." is one rule.
    if (before !== undefined && excepts.test(text.slice(from, from + 24))) {
      sentences[sentences.length - 1] = { ...before, end: to, leadEnd: to };
      return;
    }
    const { underRules, passage } = flow;
    sentences.push({ start: from, end: to, leadEnd: to, items: [], underRules, isIncomplete: false, passage });
  };
  let read = flow.start;
  let signs = 0;
  for (const sign of text.slice(flow.start, flow.end).matchAll(SENTENCE_SIGN)) {
    if (signs++ % LINES_A_STEP === 0) yield;
    const place = flow.start + sign.index;
    const end = place < read ? undefined : sentenceEnd(text, place, start, flow.end);
    if (end === undefined) continue;
    add(end);
    read = end;
  }
  add(flow.end);
  const last = sentences.at(-1);
  if (last !== undefined && endsOpen(text.slice(last.start, last.end)))
    sentences[sentences.length - 1] = { ...last, isIncomplete: true };
  return sentences;
}

/** Where the sentence ends if this punctuation mark ends it; undefined when it does not. */
function sentenceEnd(text: string, sign: number, start: number, flowEnd: number): number | undefined {
  let end = sign + 1;
  if (UNSPACED_END.test(text[sign] as string)) {
    while (end < flowEnd && /["”’」』）)]/.test(text[end] as string)) end++;
    return end;
  }
  while (end < flowEnd && end < sign + 8 && /[.!?؟]/.test(text[end] as string)) end++;
  while (end < flowEnd && end < sign + 12 && CLOSERS.test(text[end] as string)) end++;
  if (end < flowEnd && !/\s/.test(text[end] as string)) return undefined;
  if (text[sign] !== ".") return end;
  const word = /(\S{1,12})$/.exec(text.slice(Math.max(start, sign - 12), sign + 1))?.[1]?.toLowerCase() ?? "";
  const bare = word.replace(/^["'“‘«(*_]+/, "");
  if (closing.has(bare)) return /^\s+\p{Lu}/u.test(text.slice(end, end + 8)) || end >= flowEnd ? end : undefined;
  if (abbreviations.has(bare)) return undefined;
  // "z. B.", "p. ex."
  return /(?:^|\s)\p{L}\.\s?\p{L}{1,2}\.$/u.test(text.slice(Math.max(start, sign - 8), sign + 1)) ? undefined : end;
}

const QUESTION = /[?？؟]["”’»)\]*_\s]*$/;
/** A last clause that only asks whether what was said is understood or liked. */
const TAG =
  /[,，、;]\s*¿?(?:ok(?:ay)?|alright|please|got it|understood|vale|de acuerdo|entendido|d['’]accord|compris|verstanden|einverstanden|хорошо|ладно|可以吗|好吗|好不好|行吗|明白了?吗|[你您]?觉得(?:如何|怎么样|呢|可以吗)|如何|怎么样)\s*[?？]["”’»)\]*_\s]*$/iu;

/** Checks whether a statement asks something, rather than saying it and asking whether that is all right. */
export const asksFor = (said: string): boolean => QUESTION.test(said) && !TAG.test(said);
