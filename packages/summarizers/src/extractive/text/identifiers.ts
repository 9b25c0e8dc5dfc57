import type { Message, Steps } from "@threadfold/core";
import { eachRun } from "../../text/each-run.ts";

/** Sources of a text: a call's arguments, a user, the agent, a tool result. Indexes of {@link IdentifierEntry.seen}. */
export const IN_ARGUMENT = 0;
export const IN_USER_TEXT = 1;
export const IN_AGENT_TEXT = 2;
export const IN_RESULT = 3;
export type TextSource = typeof IN_ARGUMENT | typeof IN_USER_TEXT | typeof IN_AGENT_TEXT | typeof IN_RESULT;

/** One path, name or number of a span and where it was seen. Positions are indexes of messages in the span, from 0. */
interface IdentifierEntry {
  readonly text: string;
  readonly kind: RunReading["kind"];
  readonly firstPosition: number;
  lastPosition: number;
  /** Number of messages that contain it, by source. */
  readonly seen: [number, number, number, number];
}

/** Kinds that prose and logs are full of. They count only if the agent used them in a call. */
const WEAK_KINDS: ReadonlySet<RunReading["kind"]> = new Set(["weak-path", "chain"]);

/** The most runs that are indexed, as a bound for hostile text; further ones are ignored. */
const MAX_RUNS = 1 << 17;

/** Line breaks and tabs in a text that is itself JSON. */
const ESCAPED_SPACE = /\\[nrt]/g;

/**
 * Collects the paths, names and numbers in texts, each once. Each distinct run of characters is read once, so that a
 * long span costs little.
 */
export class IdentifierIndex {
  readonly #entries = new Map<string, IdentifierEntry>();
  readonly #runs = new Map<string, readonly IdentifierEntry[]>();

  /** All entries collected, in order of first appearance. */
  get entries(): readonly IdentifierEntry[] {
    return [...this.each()];
  }

  /** Walks through {@link entries} without a copy of them. */
  *each(): Iterable<IdentifierEntry> {
    for (const entry of this.#entries.values())
      if (!WEAK_KINDS.has(entry.kind) || entry.seen[IN_ARGUMENT] > 0) yield entry;
  }

  /** Collects from one part of a text. */
  scan(text: string, source: TextSource, position: number): void {
    const plain = text.includes("\\n") ? text.replace(ESCAPED_SPACE, " ") : text;
    for (const run of runsOf(plain)) {
      const entries = this.#runs.get(run) ?? this.#read(run, position);
      for (const entry of entries) {
        // Counts once per message and source; a message's arguments, text and results are scanned one after the other.
        if (entry.lastPosition !== position || entry.seen[source] === 0) entry.seen[source]++;
        entry.lastPosition = position;
      }
    }
  }

  /** Returns the names in a text that were collected before, each once. */
  namesIn(text: string): readonly string[] {
    const names = new Set<string>();
    const plain = text.includes("\\n") ? text.replace(ESCAPED_SPACE, " ") : text;
    for (const run of runsOf(plain)) for (const entry of this.#runs.get(run) ?? NOTHING) names.add(entry.text);
    return [...names];
  }

  #read(run: string, position: number): readonly IdentifierEntry[] {
    if (this.#runs.size >= MAX_RUNS) return NOTHING;
    const entries = readRun(run).map(({ text, kind }) => this.#entry(text, kind, position));
    this.#runs.set(run, entries.length === 0 ? NOTHING : entries);
    return entries;
  }

  #entry(text: string, kind: RunReading["kind"], position: number): IdentifierEntry {
    let entry = this.#entries.get(text);
    if (entry === undefined) {
      entry = { text, kind, firstPosition: position, lastPosition: -1, seen: [0, 0, 0, 0] };
      this.#entries.set(text, entry);
    }
    return entry;
  }
}

const NOTHING: readonly IdentifierEntry[] = Object.freeze([]);

/**
 * Returns the odds, relative to others, that a later call needs an identifier again. The weights are rounded from a
 * logistic regression over the recorded sessions, cross-checked on halves. Identifiers that the agent used in arguments
 * or that the first request names return most often, those seen only in results least often; and the odds fall with the
 * number of model calls since an identifier was last seen.
 */
export function identifierOdds(
  entry: IdentifierEntry,
  messages: readonly Message[],
  firstUserPosition: number,
): number {
  const { kind, seen, text } = entry;
  const inArguments = seen[IN_ARGUMENT];
  const times = inArguments + seen[IN_USER_TEXT] + seen[IN_AGENT_TEXT] + seen[IN_RESULT];
  const lastStep = messages.at(-1)?.step ?? 0;
  const age = Math.max(0, lastStep - (messages[entry.lastPosition]?.step ?? 0));
  let odds = 0;
  if (kind === "path" || kind === "weak-path") odds += inArguments > 0 ? 0.1 : -0.5;
  if (kind === "number") odds -= 1;
  if (inArguments > 0) odds += 0.4;
  if (inArguments > 1) odds += 0.5;
  if (inArguments > 3) odds += 0.4;
  if (entry.firstPosition === firstUserPosition) odds += 1.2;
  if (seen[IN_AGENT_TEXT] > 0) odds -= 0.25;
  if (times >= 3) odds += 0.45;
  if (text.length > 25) odds += 0.25;
  odds -= 0.25 * Math.log1p(seen[IN_RESULT]);
  odds -= 0.25 * Math.log1p(age);
  return Math.exp(odds);
}

/** An identifier and the odds that a later call needs it. */
export interface RankedEntry {
  readonly entry: IdentifierEntry;
  readonly odds: number;
}

interface Contestant extends RankedEntry {
  /** The odds for the room that it takes. */
  readonly worth: number;
}

const byWorth = (one: Contestant, other: Contestant): number =>
  other.worth - one.worth || (one.entry.text < other.entry.text ? -1 : 1);

/** Identifiers that are looked at in one step, in a millisecond or less. */
const AT_A_TIME = 512;

/**
 * Returns the identifiers that are most likely needed again for the room that they take, best first. Keeps no more than
 * twice as many as are wanted, because a long span has very many.
 */
export function* bestIdentifiers(
  index: IdentifierIndex,
  messages: readonly Message[],
  firstUserPosition: number,
  most: number,
): Steps<readonly RankedEntry[]> {
  let best: Contestant[] = [];
  let [seen, least] = [0, Number.NEGATIVE_INFINITY];
  for (const entry of index.each()) {
    if (++seen % AT_A_TIME === 0) yield;
    const odds = identifierOdds(entry, messages, firstUserPosition);
    const worth = odds / Math.sqrt(entry.text.length + 3);
    if (worth < least) continue;
    best.push({ entry, odds, worth });
    if (best.length < 2 * most) continue;
    best = best.sort(byWorth).slice(0, most);
    least = best.at(-1)?.worth ?? least;
    yield;
  }
  return best.sort(byWorth).slice(0, most);
}

/** Limits of a run, in UTF-16 code units. Shorter runs are plain words and ignored; longer ones are data and cut. */
const SHORTEST_RUN = 6;
const LONGEST_RUN = 220;
/** `ԯ`: the letters from `À` to `ԯ` are those of the Latin, Greek and Cyrillic alphabets. */
const LAST_CODE = 0x52f;
const PLAIN = 1;
const TELLING = 2;
const DOT = 4;
/** The kinds of all codes. Made for the first text, so that importing the library does not wait for it. */
let kinds: Uint8Array | undefined;
const DOT_BETWEEN_LETTERS = /[a-z]\.[a-z]/;

/**
 * Returns the runs of letters, digits and path characters in a text that are more than plain words: they have a
 * capital, a digit, an underscore, a slash, or a dot between letters. Scripts without spaces between words are not part
 * of runs, so a path inside Chinese text is found. The end of a tag (`</cart>`) is none.
 */
export function runsOf(text: string): readonly string[] {
  const runs: string[] = [];
  kinds ??= Uint8Array.from({ length: LAST_CODE + 1 }, (_, code) => kindOf(String.fromCharCode(code)));
  eachRun(text, kinds, SHORTEST_RUN, (start, end, bits) => {
    if (bits === PLAIN || (text[start] === "/" && text[start - 1] === "<")) return;
    if (bits & TELLING || DOT_BETWEEN_LETTERS.test(text.slice(start, end)))
      runs.push(text.slice(start, Math.min(end, start + LONGEST_RUN)));
  });
  return runs;
}

function kindOf(sign: string): number {
  if (/[A-Z0-9_/]/.test(sign)) return TELLING;
  if (sign === ".") return DOT;
  return /[a-z\-@~+À-ԯ]/.test(sign) ? PLAIN : 0;
}

/**
 * A name in a run of characters. A weak path is two words joined by a slash, and a chain is names joined by dots, such
 * as `entry.message.role`. Prose and logs have both, so they count only if the agent used them.
 */
interface RunReading {
  readonly text: string;
  readonly kind: "path" | "weak-path" | "chain" | "name" | "number";
}

/** Limits of a name, in UTF-16 code units. Shorter runs are plain words, longer ones are data. */
const MIN_LENGTH = 6;
const MAX_LENGTH = 219;
/** The least length of an id that begins with a digit, unlike `12-line` and `40-def`. */
const LONG_ID = 16;

/** Trimmed at the start: `./`, `...`, the slashes of a URL (`//host/path`), and list or diff marks (`-`, `+`). */
const BEFORE = /^(?:[-+]+|\.\/|\.{3,}\/?|\/\/)+/;
/** Trimmed at the end: `.`, `-`, `/`, `+` and `@`, which end sentences and lists. */
const AFTER = /(?<![-./+@])[-./+@]+$/;
/** A name has a feature that plain words lack: an underscore, an inner capital, or digits next to letters. */
const NAME = /^(?=.*[A-Za-z\u00C0-\u052F])(?:.*[_\d]|.*[a-z][A-Z]|.+[A-Z][a-z])/;
/** A duration or size, as found in every log. */
const MEASURE = /^\d+(?:[mnµu]?s|secs?|mins?|[kKMG]i?B?|px)$/;
const CHAIN = /^[A-Za-z_][\w-]*(?:\.[A-Za-z_][\w-]*)+$/;
const NUMBER = /^\d+$/;
/** A path has at least three letters, unlike `1/2/3/4/5`. */
const THREE_LETTERS = /\p{L}.*?\p{L}.*?\p{L}/u;

/** Returns the paths, names and numbers in a run: mostly one, but three in `self.block_manager.get_table`. */
export function readRun(run: string): readonly RunReading[] {
  const text = run.length > MAX_LENGTH ? "" : trimmed(run);
  if (text.length < MIN_LENGTH) return [];
  if (text.includes("/")) return readPath(text);
  if (/[@~+]/.test(text)) return [];
  if (text.includes(".")) return isFileName(text) ? [{ text, kind: "path" }] : readChain(text);
  return text.includes("-") ? readDashed(text) : readName(text);
}

/** What a search prints before a context line (`src/plan.ts-108-`), and that line up to its first space. */
const BEFORE_LINE = /^(.*\.([A-Za-z]\w{0,5}))-\d+(?:-.*)?$/;

/** A run without the characters at its ends that belong to the surrounding text. */
function trimmed(run: string): string {
  const text = run.replace(AFTER, "").replace(BEFORE, "");
  const [, path = text, extension = ""] = BEFORE_LINE.exec(text) ?? [];
  return EXTENSIONS.has(extension) ? path : text;
}

/** Prose joins words with slashes too; a strong path has a dot, an underscore, or depth. */
function readPath(text: string): readonly RunReading[] {
  if (!THREE_LETTERS.test(text)) return [];
  const slashes = text.split("/").length - 1;
  const strong = /[._]/.test(text) || slashes > (text.startsWith("/") ? 2 : 1);
  return [{ text, kind: strong ? "path" : "weak-path" }];
}

/** The whole chain, which an edit must repeat exactly, and the names in it. */
function readChain(text: string): readonly RunReading[] {
  const names = text.split(/[.-]/).flatMap(readName);
  return CHAIN.test(text) ? [{ text, kind: "chain" }, ...names] : names;
}

function readDashed(text: string): readonly RunReading[] {
  if (!/[\d_]/.test(text) || !/\p{L}/u.test(text)) return [];
  return /^\d/.test(text) && text.length < LONG_ID ? [] : [{ text, kind: "name" }];
}

function readName(text: string): readonly RunReading[] {
  if (text.length < MIN_LENGTH) return [];
  if (NUMBER.test(text)) return [{ text, kind: "number" }];
  return NAME.test(text) && !MEASURE.test(text) ? [{ text, kind: "name" }] : [];
}

const EXTENSIONS: ReadonlySet<string> = new Set(
  (
    "c h cc cpp cxx hpp hh cs m mm go rs py pyi pyx ipynb rb php java kt kts scala swift lua pl pm r jl ex exs erl hs ml clj dart zig nim " +
    "js jsx mjs cjs ts tsx mts cts vue svelte html htm css scss sass less json jsonl json5 yaml yml toml ini cfg conf env lock xml svg " +
    "md mdx rst txt adoc csv tsv sql db sqlite proto graphql gradle cmake mk make sh bash zsh fish ps1 bat cmd diff patch log out traj " +
    "png jpg jpeg gif webp pdf zip tar gz tgz whl so dll dylib cu cuh ptx tf hcl nix"
  ).split(" "),
);

/** True when a run without slashes is a file name: it ends in a known extension. */
function isFileName(text: string): boolean {
  const dot = text.lastIndexOf(".");
  return dot > 0 && text.length - dot <= 7 && EXTENSIONS.has(text.slice(dot + 1));
}
