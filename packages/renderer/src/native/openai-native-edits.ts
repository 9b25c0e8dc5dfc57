import type { AgentThread, CompactionPlan } from "@threadfold/core";
import {
  leftToRendering,
  type NativeCompactionOptions,
  type NativeEdits,
  restOfPlan,
  summarizedByProvider,
} from "./native-edits.ts";

/** The field of an OpenAI Responses request that asks for compaction. Absent when none is asked for. */
export interface OpenaiNativeFields {
  readonly context_management?: readonly { readonly type: "compaction"; readonly compact_threshold: number }[];
}

/**
 * A plan as the compaction that OpenAI's Responses API makes on its side: the plan's summaries give way to it, everything
 * else stays with rendering, since the API has no other edit. Explicit, like Anthropic's. The item that comes back is
 * encrypted: it is imported as what it is and goes out again byte for byte.
 *
 * The request is the lowered rendering of `rest` with `fields` added; it needs no beta. The same input, without the
 * fields, is also what the endpoint `responses/compact` takes.
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
  // 0 tokens would not be a threshold.
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
