import * as ranks from "ai-tokenizer/encoding/claude";
import { type TokenCount, tokenCountOf } from "./token-count.ts";

/** Tokens of the encoding that stands in for Claude's own, which is not public. */
export const countClaude: TokenCount = tokenCountOf(ranks);
