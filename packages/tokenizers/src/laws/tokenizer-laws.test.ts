import { TokenLedger } from "@threadfold/core";
import { keepLaws } from "@threadfold/core/laws";
import { describe, it } from "vitest";
import { loadTokenizer, TOKENIZER_IDS } from "../load-tokenizer.ts";
import { tokenizerLaws } from "./tokenizer-laws.ts";

for (const id of TOKENIZER_IDS) {
  const times = id === "heuristic" || id === "character-classes" ? 300 : 12;
  keepLaws(id, tokenizerLaws(await loadTokenizer(id), { times }), { describe, it });
}

const heuristic = await loadTokenizer("heuristic");
const scaled = TokenLedger.empty(heuristic, () => "anchoring").scaled(0.57).tokenizer;
keepLaws("a scaled counter", tokenizerLaws(scaled), { describe, it });
