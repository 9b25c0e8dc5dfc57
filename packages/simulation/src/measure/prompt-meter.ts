import type { PromptPiece } from "../policy/prompt-policy.ts";
import { tokensOfCharacters } from "../recording/recorded-session.ts";
import type { KnownPiece, PieceIndex } from "./piece-index.ts";

/** A prompt beside the one before it. */
export interface MeasuredPrompt {
  readonly tokens: number;
  /** Tokens of the messages that it begins with as the previous prompt does. */
  readonly sharedTokens: number;
  /** How many messages those are. */
  readonly shared: number;
  /** True when it does not begin with all of the previous prompt. */
  readonly breaks: boolean;
  readonly pieces: readonly KnownPiece[];
}

/** Measures the prompts of one run, each against the one before: what both begin with is not looked at again. */
export class PromptMeter {
  readonly #index: PieceIndex;
  /** For each pattern, in how many pieces of the newest prompt it stands. */
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

  /** True when the text stands verbatim in a message of the newest prompt. */
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
