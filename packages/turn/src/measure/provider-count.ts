import { type CompactionPlan, requestTokens, scaledTokens, type TokenEstimate, unreported } from "@threadfold/core";

/** What the provider counted of a request, and of the answer to it. */
export interface MeasuredRequest {
  readonly planVersion: number;
  readonly inputTokens: number;
  /** Tokens of the same request by our counter. */
  readonly counted: number;
  /** Tokens of the answer that the provider counted beyond what of it stands in the thread, such as thinking; 0 when unknown. */
  readonly unshown: number;
  /** How much of that the next request is taken to hold as well: reasoning that the provider keeps, or is sent back unread. */
  readonly resent: number;
}

/** What turns counted tokens into the provider's. */
export interface ProviderCount {
  /** How the provider counts, by all that it reported. */
  readonly estimate: TokenEstimate;
  /** The newest figure that can be trusted, with what our counter said of the same request. */
  readonly measured: MeasuredRequest | null;
}

/** A provider that counts as our counter does, for all that is known. */
export const AS_COUNTED: ProviderCount = Object.freeze({ estimate: unreported(), measured: null });

/** What nobody has reported yet may be of another kind than what was: text of one kind differs from that of another by so much. */
const CAUTION = 1.15;

/**
 * The tokens of a request as its provider counts them: what was reported of the newest request under the same plan (L17), and
 * what came since by the estimate; by the estimate alone under any other plan. Whatever is compared with a limit, or told as
 * the tokens of a request, comes from here.
 */
export function providerTokens({ estimate, measured }: ProviderCount, plan: CompactionPlan, counted: number): number {
  if (measured === null || measured.planVersion !== plan.version) return requestTokens(estimate, counted);
  const grown = scaledTokens(estimate, counted - measured.counted);
  return Math.max(0, measured.inputTokens + (grown > 0 ? Math.ceil(grown * CAUTION) + measured.resent : grown));
}
