import {
  BREAK,
  CLASS_OF_CODE,
  DASH,
  DIGIT,
  DOT,
  LOWER,
  PATH_SIGN,
  SLASH,
  UNDERSCORE,
  UPPER,
} from "./character-class.ts";
import { isFileName } from "./file-extension.ts";

/** Where a text stands: in a call's arguments, in what a user or the agent said, or in a tool result. Indexes of {@link IdentifierEntry.seen}. */
export const IN_ARGUMENT = 0;
export const IN_USER_TEXT = 1;
export const IN_AGENT_TEXT = 2;
export const IN_RESULT = 3;
export type TextSource = typeof IN_ARGUMENT | typeof IN_USER_TEXT | typeof IN_AGENT_TEXT | typeof IN_RESULT;

/** One path, name or number of a span and where it was seen. Positions are places of messages in the span, from 0. */
export interface IdentifierEntry {
  readonly text: string;
  readonly kind: "path" | "name" | "number";
  readonly firstPosition: number;
  lastPosition: number;
  /** In how many messages it stands, by source. */
  readonly seen: [number, number, number, number];
  /** Last position of a call whose arguments hold it; -1 for none. */
  lastArgument: number;
  /** True when it stood after a word that defines it (`def`, `class`, `function` and their like). */
  defined: boolean;
}

/** Shorter runs are words, and longer ones are data. In UTF-16 code units. */
const MIN_LENGTH = 6;
const MAX_LENGTH = 220;
const LONG_ID = 16;
/** A span names a bounded number of things; what hostile text names beyond that is not indexed. */
const MAX_ENTRIES = 1 << 17;

const LETTER = LOWER | UPPER;

/**
 * Collects the paths, names and numbers of texts, each once, in one pass per text that allocates nothing for what it has
 * seen before. Plain words are not collected.
 */
export class IdentifierIndex {
  readonly entries: IdentifierEntry[] = [];
  #slots = new Int32Array(1 << 12);
  #source: TextSource = IN_RESULT;
  #position = 0;

  /** Collects from one part of a text. */
  scan(text: string, source: TextSource, position: number, from = 0, to: number = text.length): void {
    this.#source = source;
    this.#position = position;
    const table = CLASS_OF_CODE;
    let previousStart = from;
    let previousEnd = from;
    let index = from;
    while (index < to) {
      while (index < to && classAt(table, text, index) === BREAK) index++;
      const start = index;
      let classes = 0;
      for (let kind = 0; index < to && (kind = classAt(table, text, index)) !== BREAK; index++) classes |= kind;
      const length = index - start;
      if (length >= MIN_LENGTH && classes !== LOWER && length <= MAX_LENGTH) {
        const defines = previousEnd === start - 1 && isDefiningWord(text, previousStart, previousEnd);
        this.#takeRun(text, start, index, classes, defines);
      }
      previousStart = start;
      previousEnd = index;
    }
  }

  #takeRun(text: string, from: number, to: number, classes: number, defines: boolean): void {
    let start = from;
    let end = to;
    while (end > start && isTrimmedAtEnd(text.charCodeAt(end - 1))) end--;
    while (start < end && isTrimmedAtStart(text, start)) start++;
    // The letter of an escaped line break or tab in a text that is itself JSON is no part of what follows it.
    if (start === from && isEscapeLetter(text, start)) start++;
    if (end - start < MIN_LENGTH) return;
    if (classes & SLASH) return this.#takePath(text, start, end);
    if (classes & PATH_SIGN) return;
    if (classes & DOT) return this.#takeDotted(text, start, end, defines);
    if (classes & DASH) {
      // `12-line` and `40-def` are a number and a word; ids that begin with a digit are longer.
      const counted = CLASS_OF_CODE[text.charCodeAt(start)] === DIGIT && end - start < LONG_ID;
      if (classes & (DIGIT | UNDERSCORE) && classes & LETTER && !counted) this.#put(text, start, end, "name", defines);
      return;
    }
    this.#takeName(text, start, end, defines);
  }

  #takePath(text: string, start: number, end: number): void {
    if (looksLikePath(text, start, end, this.#source)) this.#put(text, start, end, "path", false);
  }

  /** `manual_commit.go` is one thing; `self.block_manager.get_table` is three. */
  #takeDotted(text: string, start: number, end: number, defines: boolean): void {
    if (isFileName(text, start, end)) return this.#put(text, start, end, "path", defines);
    let segment = start;
    for (let index = start; index <= end; index++) {
      const code = index < end ? text.charCodeAt(index) : 46;
      if (code !== 46 && code !== 45) continue;
      if (index - segment >= MIN_LENGTH) this.#takeName(text, segment, index, defines);
      segment = index + 1;
    }
  }

  #takeName(text: string, start: number, end: number, defines: boolean): void {
    const kind = kindOfName(text, start, end);
    if (kind !== null) this.#put(text, start, end, kind, defines);
  }

  #put(text: string, start: number, end: number, kind: IdentifierEntry["kind"], defines: boolean): void {
    const entry = this.#find(text, start, end, kind);
    if (entry === undefined) return;
    if (defines) entry.defined = true;
    // A source's count goes up once per message; a message's arguments, text and results come one source after the other.
    if (entry.lastPosition !== this.#position || entry.seen[this.#source] === 0) entry.seen[this.#source]++;
    if (this.#source === IN_ARGUMENT) entry.lastArgument = this.#position;
    entry.lastPosition = this.#position;
  }

  #find(text: string, start: number, end: number, kind: IdentifierEntry["kind"]): IdentifierEntry | undefined {
    const mask = this.#slots.length - 1;
    let slot = hashOf(text, start, end) & mask;
    for (let number = this.#slots[slot] as number; number !== 0; number = this.#slots[slot] as number) {
      const entry = this.entries[number - 1] as IdentifierEntry;
      if (entry.text.length === end - start && text.startsWith(entry.text, start)) return entry;
      slot = (slot + 1) & mask;
    }
    if (this.entries.length >= MAX_ENTRIES) return undefined;
    const entry: IdentifierEntry = {
      text: text.slice(start, end),
      kind,
      firstPosition: this.#position,
      lastPosition: -1,
      seen: [0, 0, 0, 0],
      lastArgument: -1,
      defined: false,
    };
    this.#slots[slot] = this.entries.push(entry);
    if (this.entries.length * 2 > this.#slots.length) this.#grow();
    return entry;
  }

  #grow(): void {
    const slots = new Int32Array(this.#slots.length * 4);
    const mask = slots.length - 1;
    this.entries.forEach(({ text }, index) => {
      let slot = hashOf(text, 0, text.length) & mask;
      while (slots[slot] !== 0) slot = (slot + 1) & mask;
      slots[slot] = index + 1;
    });
    this.#slots = slots;
  }
}

const classAt = (table: Uint8Array, text: string, index: number): number => table[text.charCodeAt(index)] as number;

/** FNV-1a over UTF-16 code units, spread once more because the table uses the low bits. */
function hashOf(text: string, start: number, end: number): number {
  let hash = 0x811c9dc5;
  for (let index = start; index < end; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  return hash ^ (hash >>> 15);
}

/** `.`, `-`, `/`, `+` and `@` end sentences and lists. */
const isTrimmedAtEnd = (code: number): boolean => code >= 0x2b && code <= 0x2f ? code !== 0x2c : code === 0x40;

/** A leading `-` or `+` is a mark, `./` says nothing, and of `//host/path` the slashes belong to the scheme. */
function isTrimmedAtStart(text: string, start: number): boolean {
  const code = text.charCodeAt(start);
  if (code === 0x2d || code === 0x2b) return true;
  const next = text.charCodeAt(start + 1);
  if (code === 0x2e) return next === 0x2f;
  const before = text.charCodeAt(start - 1);
  return code === 0x2f && (next === 0x2f || before === 0x2f || (before === 0x2e && text.charCodeAt(start - 2) !== 0x2e));
}

function isEscapeLetter(text: string, start: number): boolean {
  const code = text.charCodeAt(start);
  return (code === 0x6e || code === 0x74 || code === 0x72) && text.charCodeAt(start - 1) === 0x5c;
}

/** Prose joins words by a slash, too; a path has an extension, a root, depth, or a name that no word has. */
function looksLikePath(text: string, start: number, end: number, source: TextSource): boolean {
  let slashes = 0;
  let letters = 0;
  let marks = 0;
  for (let index = start; index < end; index++) {
    const code = text.charCodeAt(index);
    if (code === 0x2f) slashes++;
    else if (code === 0x2e || code === 0x5f) marks++;
    else if (code > 0x39) letters++;
  }
  if (letters < 3) return false;
  const rooted = text.charCodeAt(start) === 0x2f ? 1 : 0;
  return marks > 0 || slashes > 1 + rooted || source === IN_ARGUMENT;
}

/** A name has a sign that plain words lack: an underscore, an inner capital, or digits beside letters. */
function kindOfName(text: string, start: number, end: number): "name" | "number" | null {
  let classes = 0;
  let innerCapital = false;
  let previous = 0;
  for (let index = start; index < end; index++) {
    const kind = CLASS_OF_CODE[text.charCodeAt(index)] as number;
    // `readFile` turns from small to capital, `HTTPServer` from capital to small after its second sign.
    if ((kind === UPPER && previous === LOWER) || (kind === LOWER && previous === UPPER && index - start > 1)) innerCapital = true;
    classes |= kind;
    previous = kind;
  }
  if (classes === DIGIT) return "number";
  if (!(classes & LETTER)) return null;
  return innerCapital || classes & (UNDERSCORE | DIGIT) ? "name" : null;
}

const DEFINING_WORDS: readonly string[] = ["def", "class", "function", "func", "fn", "const", "let", "struct", "interface", "type", "enum", "trait", "impl", "var"];

function isDefiningWord(text: string, start: number, end: number): boolean {
  const length = end - start;
  if (length < 2 || length > 9) return false;
  return DEFINING_WORDS.some((word) => word.length === length && text.startsWith(word, start));
}
