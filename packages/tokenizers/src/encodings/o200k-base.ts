import * as ranks from "ai-tokenizer/encoding/o200k_base";
import { type TokenCount, tokenCountOf } from "./token-count.ts";

/** Tokens of the encoding that OpenAI's newer models have. */
export const countO200k: TokenCount = tokenCountOf(ranks);
