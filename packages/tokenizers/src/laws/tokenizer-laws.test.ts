import { keepLaws } from "@threadfold/core/laws";
import { describe, it } from "vitest";
import { calibratedTokenizer } from "../calibration.ts";
import { loadTokenizer, TOKENIZER_IDS } from "../load-tokenizer.ts";
import { tokenizerLaws } from "./tokenizer-laws.ts";

for (const id of TOKENIZER_IDS) {
  const times = id === "heuristic" ? 300 : 12;
  keepLaws(id, tokenizerLaws(await loadTokenizer(id), { times }), { describe, it });
}

const heuristic = await loadTokenizer("heuristic");
const calibrated = calibratedTokenizer(heuristic, { m: { factor: 0.57, observations: 3 } }, "m");
keepLaws("a calibrated counter", tokenizerLaws(calibrated), { describe, it });
