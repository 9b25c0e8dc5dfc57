import type { Part, ProviderAwareTokenizer } from "@threadfold/core";

const known = new WeakMap<Part, { readonly tokenizer: string; readonly tokens: number }>();

/** Tokens of a part that rendering made. A part is immutable, so it is counted once per counter. */
export function countPart(part: Part, tokenizer: ProviderAwareTokenizer): number {
  const found = known.get(part);
  if (found?.tokenizer === tokenizer.id) return found.tokens;
  const tokens = tokenizer.countPart(part);
  known.set(part, { tokenizer: tokenizer.id, tokens });
  return tokens;
}
