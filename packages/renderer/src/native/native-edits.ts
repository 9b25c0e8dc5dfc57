import type { CompactionPlan, JsonObject } from "@threadfold/core";
import type { NativeDifference } from "./native-difference.ts";

/** A plan as a provider's own edits of the prompt, and what of it they are not. */
export interface NativeEdits<Fields extends object = JsonObject> {
  /** Fields to put beside those of the lowered request. */
  readonly fields: Fields;
  /** Names of the betas that the request must ask for. */
  readonly betas: readonly string[];
  /** Headers that ask for them, for hosts that write their own. */
  readonly headers: Readonly<Record<string, string>>;
  /** The plan without what was handed over. Render this one: what it no longer names goes out whole. */
  readonly rest: CompactionPlan;
  /** What the provider does otherwise than the plan, or not at all. Empty only when nothing was handed over. */
  readonly differences: readonly NativeDifference[];
}

/** Figures of a compaction at the provider. */
export interface NativeCompactionOptions {
  /** Tokens of the prompt above which the provider compacts. The plan's folded size by default, so that it is due now. */
  readonly compactAt?: number;
}
