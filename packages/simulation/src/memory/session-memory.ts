import type { Message } from "@threadfold/core";
import { type KnownPiece, PieceIndex } from "../measure/prompt-meter.ts";
import { PatternScanner } from "../needs/pattern-scanner.ts";
import { COLD_AFTER_CALLS, type SessionNeeds, sessionNeeds } from "../needs/session-needs.ts";
import { type PromptPiece, pieceOf, pieceText } from "../policy/prompt-policy.ts";
import { type RecordedSession, tokensOfCharacters } from "../recording/recorded-session.ts";
import { FactFinder } from "./fact-finder.ts";
import { SessionWords } from "./passages.ts";
import { FACT_KINDS, type FactKind, needFacts, type WorkFact, workFacts } from "./work-facts.ts";

/** The interval between prompts that are asked, in calls. */
const EVERY_CALLS = 5;

/** What a piece of a prompt says about a session's work. */
interface ToldWork {
  /** Indices of the facts that appear in it together with what belongs to them. */
  readonly facts: readonly number[];
  /** Indices of the reports of which it contains a sentence word for word. */
  readonly quoted: readonly number[];
  /** Characters of names that appear in it without anything that they belong to. */
  readonly bareNames: number;
}

/** The number of facts that were asked for, and of those that were in the prompt. */
interface FactTally {
  readonly asked: number;
  readonly held: number;
}

/** What one prompt remembers of the work. */
export interface PromptMemory {
  /** By kind; `quote` counts the reports of which a sentence appears word for word. */
  readonly facts: Readonly<Record<FactKind | "quote", FactTally>>;
  /** Characters written by the policy itself: summaries, pointers and the like. */
  readonly written: number;
  /** How many of those characters are names that appear without anything that they belong to. */
  readonly bareNames: number;
}

/** A piece of a prompt, and what has been measured of it. */
interface AskedPiece {
  readonly piece: PromptPiece;
  readonly known: KnownPiece;
}

/** What a session's prompts are asked for, and when. Every policy gets the same questions at a budget. */
class SessionMemory {
  readonly #session: RecordedSession;
  readonly #facts: readonly WorkFact[];
  /** For each call, the facts that only it asks for: the names that it needs. */
  readonly #needs: readonly (readonly number[])[];
  readonly #finder: FactFinder;
  readonly #sentences: PatternScanner;
  /** For each sentence, the reports that contain it. */
  readonly #reports: readonly (readonly number[])[];
  readonly #told = new WeakMap<KnownPiece, ToldWork>();
  /** The identity of each message as a piece, if it is in a prompt unchanged. */
  readonly #pieceOf: readonly number[];
  readonly #logged: ReadonlySet<number>;

  constructor(session: RecordedSession, needs: SessionNeeds, pieces: PieceIndex) {
    this.#session = session;
    this.#pieceOf = session.messages.map((message) => pieces.of(pieceOf(message)).identity);
    this.#logged = new Set(this.#pieceOf);
    const words = new SessionWords(session);
    const work = workFacts(session, words);
    const facts: WorkFact[] = [...work];
    this.#needs = needFacts(session, needs, words).map((own) => own.map((fact) => facts.push(fact) - 1));
    this.#facts = facts;
    this.#finder = new FactFinder(facts);
    const reports = new Map<string, number[]>();
    for (const [fact, { sentences }] of facts.entries())
      for (const sentence of sentences) reports.set(sentence, [...(reports.get(sentence) ?? []), fact]);
    this.#sentences = new PatternScanner([...reports.keys()]);
    this.#reports = [...reports.values()];
  }

  /** Returns what a piece says about the work; computed once. */
  #toldBy({ piece: { text }, known }: AskedPiece): ToldWork {
    const found = this.#told.get(known) ?? {
      facts: this.#finder.find(text),
      quoted: this.#sentences.scan(text).flatMap((sentence) => this.#reports[sentence] ?? []),
      bareNames: bareNameCharacters(text),
    };
    this.#told.set(known, found);
    return found;
  }

  /** Returns the calls whose prompts are asked: every fifth, from the first whose whole history exceeds the budget. */
  askedCalls(budgetTokens: number): ReadonlySet<number> {
    const { messages, calls, system } = this.#session;
    let characters = system.reduce((sum, text) => sum + text.length, 0);
    let next = 0;
    let exceeding = 0;
    const asked = new Set<number>();
    for (const { index, added } of calls) {
      const end = added.at(-1)?.ordinal ?? -1;
      while (next <= end) characters += pieceText(messages[next++] as Message).length;
      if (tokensOfCharacters(characters) > budgetTokens && exceeding++ % EVERY_CALLS === 0) asked.add(index);
    }
    return asked;
  }

  /**
   * Returns what a prompt contains of what is older than ten calls. A fact whose messages are unchanged in the prompt
   * counts as contained.
   */
  ask(call: number, pieces: readonly AskedPiece[]): PromptMemory {
    const { calls } = this.#session;
    const told = pieces.map((piece) => this.#toldBy(piece));
    const whole = new Set(pieces.map(({ known }) => known.identity));
    const found = new Set(told.flatMap(({ facts }) => facts));
    const isHeld = (fact: number): boolean =>
      found.has(fact) || (this.#facts[fact] as WorkFact).ordinals.every((at) => whole.has(this.#pieceOf[at] as number));
    const quoted = new Set(told.flatMap((piece) => piece.quoted));
    const now = calls[call]?.answer[0]?.ordinal ?? 0;
    const old = calls[call - COLD_AFTER_CALLS]?.answer[0]?.ordinal ?? 0;
    const tally = Object.fromEntries([...FACT_KINDS, "quote"].map((kind) => [kind, { asked: 0, held: 0 }])) as Record<
      FactKind | "quote",
      { asked: number; held: number }
    >;
    const count = (kind: FactKind | "quote", holds: boolean): void => {
      tally[kind].asked++;
      if (holds) tally[kind].held++;
    };
    for (const [index, { kind, ordinals, until, sentences }] of this.#facts.entries()) {
      if (kind === "need" || (ordinals[0] as number) >= old || until <= now) continue;
      count(kind, isHeld(index));
      if (sentences.length > 0) count("quote", quoted.has(index));
    }
    for (const index of this.#needs[call] ?? []) count("need", isHeld(index));
    const written = pieces.flatMap(({ piece, known }, index) =>
      piece.role === "system" || this.#logged.has(known.identity) ? [] : [index],
    );
    return {
      facts: tally,
      written: written.reduce((sum, index) => sum + (pieces[index] as AskedPiece).known.characters, 0),
      bareNames: written.reduce((sum, index) => sum + (told[index] as ToldWork).bareNames, 0),
    };
  }
}

/** Minimum number of consecutive names, with nothing but separators between them, that form a bare list. */
const FEWEST = 4;
/** A file or command may be followed by this many names that belong to it. */
const OWNED = 10;
/** Matches what code, paths and identifiers look like and plain words do not. */
const NAME = /[A-Za-z0-9][_./:@#-][A-Za-z0-9]|[a-z][A-Z]|[A-Za-z]\d|\d[A-Za-z]|_|^\d+$/;
const SEPARATORS = /[\s,;·•|`"'()[\]]+/;
/** A line that begins with a name and indicates that what follows belongs to it. */
const OWNER = /^[\s\-*•\d.]*`?([^\s`:(]+)`?\s*(?:[:(→]|—|->)/;

/**
 * Returns the number of characters of a text that are names in a bare list: four or more on one line with nothing but
 * separators between them. A name among words shows what it belongs to, and so do up to ten names after the one file or
 * command that a line begins with.
 */
export function bareNameCharacters(text: string): number {
  return text.split("\n").reduce((sum, line) => sum + bareInLine(line), 0);
}

function bareInLine(line: string): number {
  const allowed = NAME.test(OWNER.exec(line)?.[1] ?? "") ? OWNED : 0;
  let bare = 0;
  let run: string[] = [];
  const close = (): void => {
    if (run.length >= FEWEST) bare += run.slice(allowed).reduce((sum, name) => sum + name.length + 1, 0);
    run = [];
  };
  for (const word of line.split(SEPARATORS)) {
    if (word === "" || word === "-") continue;
    if (NAME.test(word.replace(/[.:]$/, ""))) run.push(word);
    else close();
  }
  close();
  return bare;
}

/** A session with what all of its replays share. */
export interface ReplayableSession {
  readonly session: RecordedSession;
  readonly needs: SessionNeeds;
  readonly pieces: PieceIndex;
  readonly memory: SessionMemory;
}

/** Prepares a session for replay under many policies. */
export function replayableSession(session: RecordedSession): ReplayableSession {
  const needs = sessionNeeds(session);
  const pieces = new PieceIndex(needs.scanner);
  return { session, needs, pieces, memory: new SessionMemory(session, needs, pieces) };
}
