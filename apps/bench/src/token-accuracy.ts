import { afterReported, handedOn, requestTokens, scaledTokens, type TokenEstimate, unreported } from "@threadfold/core";
import type { ImportedSession, MessageInput, ProviderAwareTokenizer } from "threadfold";

/** A model call whose prompt a provider counted. */
export interface CountedCall {
  readonly model: string;
  /** Tokens by the counter, without calibration. */
  readonly counted: number;
  /** Prompt tokens that the provider reported. */
  readonly reported: number;
  /** Tokens of the answer that it reported; 0 where it did not. */
  readonly outputTokens: number;
  /** What of the answer goes back with the next request, by the counter. */
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

/** One counter on one family of sessions. */
export interface TokenAccuracy {
  readonly counter: string;
  readonly family: string;
  readonly sessions: number;
  readonly calls: number;
  readonly before: EstimateError;
  /** Each call estimated as a session does: what came since the call before it, on top of what was reported of that. */
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
    const own = messageTokens(message, counter);
    const { outputTokens = 0 } = message.usage ?? {};
    if (message.role === "assistant" && reported > 0)
      calls.push({ model: message.model ?? sessionModel, counted, reported, outputTokens, answered: own });
    counted += own;
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

/** What a session estimates of each of its calls, as shares of what is then reported, beginning with what is known; it adds to that. */
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
