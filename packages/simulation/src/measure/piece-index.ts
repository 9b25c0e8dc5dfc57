import type { PatternScanner } from "../needs/pattern-scanner.ts";
import type { PromptPiece } from "../policy/prompt-policy.ts";

/** What is known of a piece of a prompt. */
export interface KnownPiece {
  /** Pieces with the same role and key have the same number. */
  readonly identity: number;
  readonly characters: number;
  /** The patterns that stand in its text. */
  readonly patterns: readonly number[];
}

/** Looks at every piece of a session's prompts once, whichever policy sent it and however often. */
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
