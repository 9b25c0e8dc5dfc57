import type { AgentThread, CompactionPlan } from "@threadfold/core";
import {
  leftToRendering,
  type NativeCompactionOptions,
  type NativeEdits,
  restOfPlan,
  summarizedByProvider,
} from "./native-edits.ts";

/** The field of an OpenAI Responses request that asks for compaction. Absent when none is requested. */
export interface OpenaiNativeFields {
  readonly context_management?: readonly { readonly type: "compaction"; readonly compact_threshold: number }[];
}

/**
 * Translates a plan into the compaction that OpenAI's Responses API makes on its side: it replaces the plan's
 * summaries, and everything else is left to rendering, since the API has no other edit. Opt-in, like Anthropic's. The
 * returned item is encrypted: it is imported unchanged and sent again byte for byte.
 *
 * The request is the lowered rendering of `rest` with `fields` added; it needs no beta. The endpoint
 * `responses/compact` takes the same input without the fields.
 */
export function openaiNativeEdits(
  thread: AgentThread,
  plan: CompactionPlan,
  { compactAt = plan.compactedTokens }: NativeCompactionOptions = {},
): NativeEdits<OpenaiNativeFields> {
  const compacts = plan.summarizations.length > 0;
  const rest = restOfPlan(plan, new Map(), compacts);
  const left = leftToRendering(rest, () => "no-such-edit");
  if (!compacts) return { fields: {}, betas: [], headers: {}, rest, differences: left };
  // 0 is not a valid threshold.
  const threshold = Math.max(1, compactAt);
  return {
    fields: { context_management: [{ type: "compaction", compact_threshold: threshold }] },
    betas: [],
    headers: {},
    rest,
    differences: [
      ...left,
      ...summarizedByProvider(thread, plan, rest, { threshold, toldOfPins: false }),
      { kind: "edited-out-of-sight" },
    ],
  };
}
