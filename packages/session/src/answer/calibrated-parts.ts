import { calibratedTokenizer, NO_CALIBRATION } from "@threadfold/tokenizers";
import type { SessionOptions } from "../session-options.ts";
import type { SessionParts } from "../session-parts.ts";

/**
 * The parts with a counter that applies what earlier sessions learned. The factor holds for the whole session, because
 * every message is counted once; what this session learns is for the next one.
 */
export function calibratedParts(parts: SessionParts, calibration: SessionOptions["calibration"]): SessionParts {
  if (calibration === undefined) return parts;
  const { model, learned = NO_CALIBRATION } = calibration;
  return { ...parts, tokenizer: calibratedTokenizer(parts.tokenizer, learned, model) };
}
