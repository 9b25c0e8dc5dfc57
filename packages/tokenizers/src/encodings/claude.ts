import * as ranks from "ai-tokenizer/encoding/claude";
import { type TokenCount, tokenCountOf } from "./token-count.ts";

/** Counts the tokens of the encoding that approximates Claude's own, which is not public. */
export const countClaude: TokenCount = tokenCountOf(ranks);
