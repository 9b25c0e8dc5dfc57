import { type RunReading, readRun } from "./read-run.ts";
import { runsOf } from "./runs-of.ts";

/** Where a text stands: in a call's arguments, in what a user or the agent said, or in a tool result. Indexes of {@link IdentifierEntry.seen}. */
export const IN_ARGUMENT = 0;
export const IN_USER_TEXT = 1;
export const IN_AGENT_TEXT = 2;
export const IN_RESULT = 3;
export type TextSource = typeof IN_ARGUMENT | typeof IN_USER_TEXT | typeof IN_AGENT_TEXT | typeof IN_RESULT;

/** One path, name or number of a span and where it was seen. Positions are places of messages in the span, from 0. */
export interface IdentifierEntry {
  readonly text: string;
  readonly kind: RunReading["kind"];
  readonly firstPosition: number;
  lastPosition: number;
  /** In how many messages it stands, by source. */
  readonly seen: [number, number, number, number];
}

/** What prose and logs are full of; it counts when the agent put it into a call. */
const WEAK_KINDS: ReadonlySet<RunReading["kind"]> = new Set(["weak-path", "chain"]);

/** A span names a bounded number of things; what hostile text names beyond that is not indexed. */
const MAX_RUNS = 1 << 17;

/** Line breaks and tabs in a text that is itself JSON. */
const ESCAPED_SPACE = /\\[nrt]/g;

/**
 * Collects the paths, names and numbers of texts, each once. Each distinct run is read once, so that a long span costs
 * little.
 */
export class IdentifierIndex {
  readonly #entries = new Map<string, IdentifierEntry>();
  readonly #runs = new Map<string, readonly IdentifierEntry[]>();

  /** Everything that was collected, in order of first sight. */
  get entries(): readonly IdentifierEntry[] {
    return [...this.#entries.values()].filter(({ kind, seen }) => !WEAK_KINDS.has(kind) || seen[IN_ARGUMENT] > 0);
  }

  /** Collects from one part of a text. */
  scan(text: string, source: TextSource, position: number): void {
    const plain = text.includes("\\n") ? text.replace(ESCAPED_SPACE, " ") : text;
    for (const run of runsOf(plain)) {
      const entries = this.#runs.get(run) ?? this.#read(run, position);
      for (const entry of entries) {
        // A source's count goes up once per message; a message's arguments, text and results come one after the other.
        if (entry.lastPosition !== position || entry.seen[source] === 0) entry.seen[source]++;
        entry.lastPosition = position;
      }
    }
  }

  /** The names in a text that were collected before, each once. */
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
