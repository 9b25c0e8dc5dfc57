import {
  type CompactionPlan,
  type ContextCompactionConfig,
  type ProviderAwareTokenizer,
  requestTokens,
  scaledTokens,
  systemText,
  type TokenBudget,
  type TokenEstimate,
  type TokenLedger,
  tokenBudget,
  unreported,
} from "@threadfold/core";
import type { RequestFrame } from "./request-frame.ts";

/** What the provider counted for a request and its answer. */
export interface MeasuredRequest {
  readonly planVersion: number;
  readonly inputTokens: number;
  /** Tokens of the same request by our counter. */
  readonly counted: number;
  /** Tokens of the answer that are not in the thread, such as thinking; 0 when unknown. */
  readonly unshown: number;
  /** How many of those the next request is assumed to include: reasoning that the provider keeps or gets back. */
  readonly resent: number;
}

/** What converts counted tokens to the provider's. */
export interface ProviderCount {
  /** How the provider counts, according to all its reports. */
  readonly estimate: TokenEstimate;
  /** The newest trusted figure, with our count of the same request. */
  readonly measured: MeasuredRequest | null;
}

/** A provider that, as far as is known, counts as our counter does. */
export const AS_COUNTED: ProviderCount = Object.freeze({ estimate: unreported(), measured: null });

/**
 * Safety factor for unreported text, which may be of another kind than the reported one: kinds differ by about this
 * much.
 */
const CAUTION = 1.15;

/**
 * Returns the tokens of a request as its provider counts them: the figure reported for the newest request under the
 * same plan (L17) plus an estimate of what was added since, or an estimate alone under any other plan. Every figure
 * that is compared with a limit or reported as the tokens of a request comes from here.
 */
export function providerTokens({ estimate, measured }: ProviderCount, plan: CompactionPlan, counted: number): number {
  if (measured === null || measured.planVersion !== plan.version) return requestTokens(estimate, counted);
  const grown = scaledTokens(estimate, counted - measured.counted);
  return Math.max(0, measured.inputTokens + (grown > 0 ? Math.ceil(grown * CAUTION) + measured.resent : grown));
}

/**
 * Returns the budget of a request: the configured cap and reserves, and what frame and system messages take. Hidden
 * tokens that the provider counts are included in those of the system text.
 */
export function requestBudget(
  config: ContextCompactionConfig,
  frame: RequestFrame,
  ledger: TokenLedger,
  { estimate }: ProviderCount,
): TokenBudget {
  const { system, tools } = frameTokens(frame, ledger.tokenizer);
  return tokenBudget(config, {
    systemPromptTokens: requestTokens(estimate, system + ledger.systemTokens),
    toolSchemaTokens: scaledTokens(estimate, tools),
  });
}

interface FrameTokens {
  readonly tokenizer: ProviderAwareTokenizer;
  readonly system: number;
  readonly tools: number;
}

const known = new WeakMap<RequestFrame, FrameTokens>();

/** A frame is counted once per counter, not at every call. */
function frameTokens(frame: RequestFrame, tokenizer: ProviderAwareTokenizer): FrameTokens {
  const before = known.get(frame);
  if (before?.tokenizer === tokenizer) return before;
  const system = frame.system.reduce((sum, entry) => sum + tokenizer.countTokens(systemText(entry)), 0);
  const counted = { tokenizer, system, tools: tokenizer.countToolSchemas(frame.tools) };
  known.set(frame, counted);
  return counted;
}
