/** Below so many tokens nothing is cached (`wire.md`). */
const LEAST_TOKENS = 1_024;

/** Tokens of a text as the double counts them. */
export const tokensOf = (text: string): number => Math.ceil(text.length / 4);

/** What a prompt cache that keeps the newest request would have given. */
export class PrefixCache {
  #previous: readonly string[] = [];
  #readTokens = 0;
  #inputTokens = 0;

  /** Takes a request piece by piece and says how many of its tokens the cache has. */
  accept(pieces: readonly string[]): { readonly inputTokens: number; readonly cachedTokens: number } {
    const parted = pieces.findIndex((piece, index) => piece !== this.#previous[index]);
    const shared = pieces.slice(0, parted === -1 ? pieces.length : parted);
    const inputTokens = sum(pieces);
    const sharedTokens = sum(shared);
    const cachedTokens = sharedTokens < LEAST_TOKENS ? 0 : sharedTokens;
    this.#previous = pieces;
    this.#inputTokens += inputTokens;
    this.#readTokens += cachedTokens;
    return { inputTokens, cachedTokens };
  }

  /** Share of all input tokens that were read from the cache. */
  get hitRate(): number {
    return this.#inputTokens === 0 ? 0 : this.#readTokens / this.#inputTokens;
  }
}

const sum = (pieces: readonly string[]): number => pieces.reduce((total, piece) => total + tokensOf(piece), 0);
