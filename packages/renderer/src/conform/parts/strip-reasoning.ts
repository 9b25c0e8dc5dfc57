import type { ReasoningPart } from "@threadfold/core";
import type { LeftOutReason } from "../../warnings/render-warning.ts";
import type { Conformance } from "../conformance.ts";
import { reasoningBoundary } from "../first-edit.ts";
import type { PartPlace, PartRepair } from "./part-repair.ts";

/**
 * Leaves out reasoning that the provider does not take back: of another provider, unsigned, or bound to a prefix that is
 * no longer what it was (W12, W13). An edit inside a tool loop takes the reasoning of the whole loop with it.
 */
export const stripReasoning: PartRepair<ReasoningPart> = {
  name: "strip-reasoning",
  apply(part, place, conformance) {
    const reason = reasonAgainst(part, place, conformance);
    if (reason === undefined) return part;
    conformance.warnings.leaveOut("reasoning-left-out", reason, place.draft.chat.sources);
    return null;
  },
};

function reasonAgainst(
  part: ReasoningPart,
  { draft, behindMove }: PartPlace,
  { requirements: { reasoning }, input }: Conformance,
): LeftOutReason["reasoning-left-out"] | undefined {
  if (reasoning.replay !== "signed") return reasoning.replay === "never" ? "not-replayed" : undefined;
  if (!part.signature && !part.encrypted) return "not-signed";
  if (part.provider !== reasoning.provider) return "other-provider";
  return behindMove || draft.ordinal >= reasoningBoundary(input.plan, input.thread) ? "behind-an-edit" : undefined;
}
