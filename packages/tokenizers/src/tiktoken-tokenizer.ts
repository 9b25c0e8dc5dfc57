import {
  type ChatMessage,
  type ChatRequest,
  checkArgument,
  type Part,
  type ProviderAwareTokenizer,
  type Steps,
  type ToolDefinition,
} from "@threadfold/core";
import type { Tiktoken } from "tiktoken/lite";
import { countBounded, countSlices } from "./bounded-count.ts";
import { composeTokenizer, countPartInSteps } from "./composed-tokenizer.ts";
import { OPENAI_OVERHEADS } from "./provider-tokenizer.ts";

/** The encodings for which counting is exact. */
export const TIKTOKEN_ENCODINGS = Object.freeze(["o200k_base", "cl100k_base"] as const);
export type TiktokenEncoding = (typeof TIKTOKEN_ENCODINGS)[number];

interface EncodingRanks {
  readonly bpe_ranks: string;
  readonly special_tokens: Record<string, number>;
  readonly pat_str: string;
}

const RANKS: Readonly<Record<TiktokenEncoding, () => Promise<{ readonly default: unknown }>>> = {
  o200k_base: () => import("tiktoken/encoders/o200k_base"),
  cl100k_base: () => import("tiktoken/encoders/cl100k_base"),
};

/**
 * Counts text exactly as OpenAI's own encoder does, id `tiktoken:o200k_base` or `tiktoken:cl100k_base`. Anything in the
 * text that looks like a special token counts as ordinary text. The encoder lives in WebAssembly memory, about 100 MB
 * for `o200k_base`: it is created at the first count and released by `free`; the next count after that creates it
 * again.
 */
export class TiktokenTokenizer implements ProviderAwareTokenizer {
  readonly id: string;
  readonly #make: () => Tiktoken;
  readonly #counter: ProviderAwareTokenizer;
  #encoder: Tiktoken | undefined;

  private constructor(encoding: TiktokenEncoding, make: () => Tiktoken) {
    this.id = `tiktoken:${encoding}`;
    this.#make = make;
    this.#counter = composeTokenizer(this.id, (text) => this.countTokens(text), OPENAI_OVERHEADS);
  }

  /**
   * Loads the library and the encoding's ranks. Nothing is loaded before this is called.
   *
   * @throws ThreadfoldError `INVALID_CONFIG` for another encoding.
   */
  static async load(encoding: TiktokenEncoding = "o200k_base"): Promise<TiktokenTokenizer> {
    checkArgument("encoding", encoding, TIKTOKEN_ENCODINGS);
    const [library, ranks] = await Promise.all([import("tiktoken/lite"), RANKS[encoding]()]);
    // The package's types describe one module form and Node loads the other; the default export is the ranks in both.
    const { bpe_ranks, special_tokens, pat_str } = ranks.default as EncodingRanks;
    return new TiktokenTokenizer(encoding, () => new library.Tiktoken(bpe_ranks, special_tokens, pat_str));
  }

  countTokens(text: string): number {
    return countBounded(text, (piece) => this.#count(piece));
  }

  /** Gets the encoder for each piece, because it may be released between two pieces. */
  #count(piece: string): number {
    this.#encoder ??= this.#make();
    return this.#encoder.encode_ordinary(piece).length;
  }

  countPart(part: Part): number {
    return this.#counter.countPart(part);
  }

  countPartInSteps(part: Part): Steps<number> {
    return countPartInSteps(part, (text) => countSlices(text, (piece) => this.#count(piece)), OPENAI_OVERHEADS);
  }

  messageOverhead(role: ChatMessage["role"]): number {
    return this.#counter.messageOverhead(role);
  }

  countMessage(message: Pick<ChatMessage, "role" | "parts">): number {
    return this.#counter.countMessage(message);
  }

  countToolSchemas(tools: readonly ToolDefinition[]): number {
    return this.#counter.countToolSchemas(tools);
  }

  countRequest(request: ChatRequest): number {
    return this.#counter.countRequest(request);
  }

  /** Frees the encoder's memory. Calling it again does nothing. */
  free(): void {
    this.#encoder?.free();
    this.#encoder = undefined;
  }

  [Symbol.dispose](): void {
    this.free();
  }
}
