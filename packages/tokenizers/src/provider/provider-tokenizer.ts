import type { ProviderAwareTokenizer } from "@threadfold/core";
import type { Encoding } from "ai-tokenizer";
import { countBounded } from "../counting/bounded-pieces.ts";
import { composeTokenizer } from "../counting/composed-tokenizer.ts";
import { PROVIDER_PROFILES, type ProviderFamily, type ProviderProfile } from "./provider-overheads.ts";

const ENCODINGS: Readonly<Record<ProviderProfile["encoding"], () => Promise<Encoding>>> = {
  o200k_base: () => import("ai-tokenizer/encoding/o200k_base"),
  claude: () => import("ai-tokenizer/encoding/claude"),
};

/**
 * Counts as a family of models does, id `openai`, `claude` or `gemini`: the nearest public encoding, corrected by the
 * family's own ratio, with the family's overhead per message, call, result and tool. Exact for OpenAI's text; within a
 * few per cent for the others, whose encodings are not public. Nothing is loaded before this is called.
 */
export async function loadProviderTokenizer(family: ProviderFamily): Promise<ProviderAwareTokenizer> {
  const { encoding, multiplier, overheads } = PROVIDER_PROFILES[family];
  const [{ Tokenizer }, ranks] = await Promise.all([import("ai-tokenizer"), ENCODINGS[encoding]()]);
  // The library looks words up in a plain object; without this, "constructor" would be found there as a token.
  Object.setPrototypeOf(ranks.stringEncoder, null);
  const encoder = new Tokenizer(ranks);
  // "all" allows special tokens, which makes the library read them as plain text instead of refusing them.
  const count = (piece: string): number => encoder.encode(piece, "all").length;
  const text = (value: string): number => Math.ceil(countBounded(value, count) * multiplier);
  return composeTokenizer(family, { text, json: (value) => text(JSON.stringify(value)) }, overheads);
}
