import * as ranks from "ai-tokenizer/encoding/o200k_base";
import { type TokenCount, tokenCountOf } from "./token-count.ts";

/** Counts the tokens of the encoding that OpenAI's newer models use. */
export const countO200k: TokenCount = tokenCountOf(ranks);
