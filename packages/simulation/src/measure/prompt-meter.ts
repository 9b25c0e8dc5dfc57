import type { CachedRequest, PrefixUnit } from "@threadfold/core";
import type { PatternScanner } from "../needs/pattern-scanner.ts";
import type { PromptPiece } from "../policy/prompt-policy.ts";
import { tokensOfCharacters } from "../recording/recorded-session.ts";

/** A prompt compared with the previous one. */
export interface MeasuredPrompt {
  readonly tokens: number;
  /** Tokens of the leading messages that it shares with the previous prompt. */
  readonly sharedTokens: number;
  /** Number of those messages. */
  readonly shared: number;
  /** True when it does not begin with all of the previous prompt. */
  readonly breaks: boolean;
  readonly pieces: readonly KnownPiece[];
}

/** Measures the prompts of one run, each against the previous one: what both begin with is not measured again. */
export class PromptMeter {
  readonly #index: PieceIndex;
  /** For each pattern, the number of pieces of the newest prompt that contain it. */
  readonly #present: Int32Array;
  #pieces: readonly KnownPiece[] = [];
  #tokens = 0;

  constructor(index: PieceIndex, patterns: number) {
    this.#index = index;
    this.#present = new Int32Array(patterns);
  }

  take(prompt: readonly PromptPiece[]): MeasuredPrompt {
    const pieces = prompt.map((piece) => this.#index.of(piece));
    const before = this.#pieces;
    let shared = 0;
    while (shared < before.length && before[shared]?.identity === pieces[shared]?.identity) shared++;
    const gone = before.slice(shared);
    const sharedTokens = this.#tokens - tokensOf(gone);
    this.#count(gone, -1);
    this.#count(pieces.slice(shared), 1);
    this.#pieces = pieces;
    this.#tokens = sharedTokens + tokensOf(pieces.slice(shared));
    return { tokens: this.#tokens, sharedTokens, shared, breaks: shared < before.length, pieces };
  }

  /** Checks whether a pattern appears verbatim in a message of the newest prompt. */
  has(pattern: number): boolean {
    return (this.#present[pattern] as number) > 0;
  }

  #count(pieces: readonly KnownPiece[], step: 1 | -1): void {
    for (const { patterns } of pieces)
      for (const pattern of patterns) this.#present[pattern] = (this.#present[pattern] as number) + step;
  }
}

const tokensOf = (pieces: readonly KnownPiece[]): number =>
  tokensOfCharacters(pieces.reduce((sum, { characters }) => sum + characters, 0));

interface PrefixNode {
  readonly unit: PrefixUnit;
  readonly next: Map<number, PrefixNode>;
}

/** Names the prefixes of a run's prompts for simulating provider caches: equal prefixes have equal names. */
export class PrefixUnits {
  readonly #root: PrefixNode = { unit: { digest: "0", tokens: 0, blocks: 0 }, next: new Map() };
  #nodes: readonly PrefixNode[] = [];
  #made = 0;

  /**
   * Returns the newest prompt as a prompt cache sees it. Breakpoints are where every careful client puts them: after
   * the system text, where the prompt diverges from the previous one, and at the end.
   */
  request(prompt: readonly PromptPiece[], { pieces, shared }: MeasuredPrompt, at: number): CachedRequest {
    const nodes = this.#nodes.slice(0, shared);
    for (let index = shared; index < pieces.length; index++) {
      const { identity, characters } = pieces[index] as (typeof pieces)[number];
      nodes.push(
        this.#child(nodes[index - 1] ?? this.#root, identity, characters, blocksOf(prompt[index] as PromptPiece)),
      );
    }
    this.#nodes = nodes;
    const system = prompt.findIndex(({ role }) => role !== "system") - 1;
    const places = [system, shared - 1, nodes.length - 1].filter((place) => place >= 0);
    return { at, units: nodes.map(({ unit }) => unit), breakpoints: [...new Set(places)].sort((a, b) => a - b) };
  }

  #child(parent: PrefixNode, identity: number, characters: number, blocks: number): PrefixNode {
    const known = parent.next.get(identity);
    if (known !== undefined) return known;
    const unit = { digest: String(++this.#made), tokens: tokensOfCharacters(characters), blocks };
    const node = { unit, next: new Map() };
    parent.next.set(identity, node);
    return node;
  }
}

const blocksOf = ({ callIds = [], resultIds = [] }: PromptPiece): number =>
  Math.max(1, callIds.length + resultIds.length);

/** What has been measured of a piece of a prompt. */
export interface KnownPiece {
  /** Pieces with the same role and key have the same number. */
  readonly identity: number;
  readonly characters: number;
  /** The patterns in its text. */
  readonly patterns: readonly number[];
}

/** Measures every piece of a session's prompts once, whichever policy sent it and however often. */
export class PieceIndex {
  readonly #scanner: PatternScanner;
  readonly #byObject = new WeakMap<PromptPiece, KnownPiece>();
  readonly #byKey = new Map<string, KnownPiece>();

  constructor(scanner: PatternScanner) {
    this.#scanner = scanner;
  }

  of(piece: PromptPiece): KnownPiece {
    const known = this.#byObject.get(piece) ?? this.#byContent(piece);
    this.#byObject.set(piece, known);
    return known;
  }

  #byContent({ role, text, key }: PromptPiece): KnownPiece {
    const content = `${role}\n${key === undefined ? text : `${key}\n${text}`}`;
    const known = this.#byKey.get(content);
    if (known !== undefined) return known;
    const fresh = { identity: this.#byKey.size, characters: text.length, patterns: this.#scanner.scan(text) };
    this.#byKey.set(content, fresh);
    return fresh;
  }
}
