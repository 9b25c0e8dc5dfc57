import { afterReported, handedOn, requestTokens, scaledTokens, type TokenEstimate, unreported } from "@threadfold/core";
import type { ImportedSession, MessageInput, ProviderAwareTokenizer } from "threadfold";

/** A model call whose prompt was counted by a provider. */
export interface CountedCall {
  readonly model: string;
  /** Tokens by our counter, without calibration. */
  readonly counted: number;
  /** Prompt tokens that the provider reported. */
  readonly reported: number;
  /** Tokens of the answer that the provider reported; 0 if it did not. */
  readonly outputTokens: number;
  /** Tokens of the part of the answer that goes back with the next request, by our counter. */
  readonly answered: number;
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

/** The accuracy of one counter on one family of sessions. */
export interface TokenAccuracy {
  readonly counter: string;
  readonly family: string;
  readonly sessions: number;
  readonly calls: number;
  readonly before: EstimateError;
  /**
   * Each call estimated as a session does: the tokens added since the previous call, on top of those reported for it.
   */
  readonly after: EstimateError;
}

/**
 * Returns the calls of a session that can be compared: those before another tool's compaction, after which its prompt
 * is no longer what the log shows.
 */
export function countedCalls(session: ImportedSession, counter: ProviderAwareTokenizer): readonly CountedCall[] {
  const { system, tools, messages, model: sessionModel = "unknown" } = session;
  let counted = counter.countRequest({ system, tools, messages: [] });
  const calls: CountedCall[] = [];
  for (const message of messages) {
    if (message.origin === "compaction") break;
    if (message.branch !== undefined) continue;
    const reported = message.usage?.inputTokens ?? 0;
    const own = messageTokens(message, counter);
    const { outputTokens = 0 } = message.usage ?? {};
    if (message.role === "assistant" && reported > 0)
      calls.push({ model: message.model ?? sessionModel, counted, reported, outputTokens, answered: own });
    counted += own;
  }
  return calls;
}

/** Most tools do not send reasoning again, and the provider's count does not include it. */
const messageTokens = ({ role, parts }: MessageInput, counter: ProviderAwareTokenizer): number =>
  counter.countMessage({ role, parts: parts.filter(({ type }) => type !== "reasoning") });

/**
 * Returns the figures of a counter on the sessions of a family, in order. Null if none of their calls can be compared.
 */
export function tokenAccuracy(
  counter: string,
  family: string,
  sessions: readonly (readonly CountedCall[])[],
): TokenAccuracy | null {
  const compared = sessions.filter((calls) => calls.length > 0);
  const calls = compared.flat();
  if (calls.length === 0) return null;
  const known: Record<string, TokenEstimate> = {};
  const after = compared.flatMap((session) => estimatedCalls(session, known));
  return {
    counter,
    family,
    sessions: compared.length,
    calls: calls.length,
    before: estimateError(calls.map(({ counted, reported }) => counted / reported - 1)),
    after: estimateError(after),
  };
}

/**
 * Returns the errors of a session's estimate for each of its calls, as shares of the tokens then reported. Starts from
 * the known estimates and updates them.
 */
function estimatedCalls(calls: readonly CountedCall[], known: Record<string, TokenEstimate>): readonly number[] {
  let last: CountedCall | undefined;
  return calls.map((call) => {
    const { model, counted, reported } = call;
    const isSame = last?.model === model;
    const estimate = (isSame ? known[model] : undefined) ?? handedOn(known[model] ?? unreported());
    const tokens =
      last !== undefined && isSame
        ? last.reported + scaledTokens(estimate, counted - last.counted)
        : requestTokens(estimate, counted);
    known[model] = afterReported(estimate, { counted, reported });
    last = call;
    return tokens / reported - 1;
  });
}

function estimateError(errors: readonly number[]): EstimateError {
  const sorted = [...errors].sort((a, b) => a - b);
  return {
    median: sorted[Math.floor(sorted.length / 2)] as number,
    mean: errors.reduce((sum, error) => sum + Math.abs(error), 0) / errors.length,
    within3Percent: errors.filter((error) => Math.abs(error) <= 0.03).length / errors.length,
  };
}
