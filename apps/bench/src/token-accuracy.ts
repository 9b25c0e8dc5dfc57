import { learnedFactor, NO_CALIBRATION, observeUsage } from "@threadfold/tokenizers";
import type { Calibration, ImportedSession, MessageInput, ProviderAwareTokenizer } from "threadfold";

/** A model call whose prompt a provider counted. */
export interface CountedCall {
  readonly model: string;
  /** Tokens by the counter, without calibration. */
  readonly counted: number;
  /** Prompt tokens that the provider reported. */
  readonly reported: number;
}

/** How far estimates are from what providers reported, as shares of the reported tokens. */
export interface EstimateError {
  /** Signed: above 0 the estimate is too high. */
  readonly median: number;
  /** Mean of the absolute errors. */
  readonly mean: number;
  /** Share of the calls whose estimate is within 3 %. */
  readonly within3Percent: number;
}

/** One counter on one family of sessions. */
export interface TokenAccuracy {
  readonly counter: string;
  readonly family: string;
  readonly sessions: number;
  readonly calls: number;
  readonly before: EstimateError;
  /** Each call estimated with what was learned from the calls before it, those of earlier sessions among them. */
  readonly after: EstimateError;
}

/**
 * The calls of a session that can be compared: those before another tool's compaction, after which its prompt is no
 * longer what the log shows.
 */
export function countedCalls(session: ImportedSession, counter: ProviderAwareTokenizer): readonly CountedCall[] {
  const { system, tools, messages, model: sessionModel = "unknown" } = session;
  let counted = counter.countRequest({ system, tools, messages: [] });
  const calls: CountedCall[] = [];
  for (const message of messages) {
    if (message.origin === "compaction") break;
    if (message.branch !== undefined) continue;
    const reported = message.usage?.inputTokens ?? 0;
    if (message.role === "assistant" && reported > 0)
      calls.push({ model: message.model ?? sessionModel, counted, reported });
    counted += messageTokens(message, counter);
  }
  return calls;
}

/** What was thought before an answer is not sent again by most tools, and the provider's count has none of it. */
const messageTokens = ({ role, parts }: MessageInput, counter: ProviderAwareTokenizer): number =>
  counter.countMessage({ role, parts: parts.filter(({ type }) => type !== "reasoning") });

/** The figures of a counter on the sessions of a family, in order. Null when no call of them can be compared. */
export function tokenAccuracy(
  counter: string,
  family: string,
  sessions: readonly (readonly CountedCall[])[],
): TokenAccuracy | null {
  const compared = sessions.filter((calls) => calls.length > 0);
  const calls = compared.flat();
  if (calls.length === 0) return null;
  let calibration: Calibration = NO_CALIBRATION;
  const after = calls.map(({ model, counted, reported }) => {
    const estimate = counted * learnedFactor(calibration, model).factor;
    calibration = observeUsage(calibration, { model, countedTokens: counted, reportedTokens: reported });
    return estimate / reported - 1;
  });
  return {
    counter,
    family,
    sessions: compared.length,
    calls: calls.length,
    before: estimateError(calls.map(({ counted, reported }) => counted / reported - 1)),
    after: estimateError(after),
  };
}

function estimateError(errors: readonly number[]): EstimateError {
  const sorted = [...errors].sort((a, b) => a - b);
  return {
    median: sorted[Math.floor(sorted.length / 2)] as number,
    mean: errors.reduce((sum, error) => sum + Math.abs(error), 0) / errors.length,
    within3Percent: errors.filter((error) => Math.abs(error) <= 0.03).length / errors.length,
  };
}
