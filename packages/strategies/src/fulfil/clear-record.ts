import type { ClearRecord } from "@threadfold/core";
import { toolPolicy } from "../durability/durability-policy.ts";
import type { CompactionProposal } from "../ladder/compaction-proposal.ts";
import { type Fulfilment, messagesOf } from "./fulfilment.ts";
import { recordBase } from "./record-base.ts";
import { resultKeyFields } from "./result-key-fields.ts";

/** Empties a body and notes the key fields that its placeholder shows. */
export function clearRecord(
  proposal: CompactionProposal & { readonly action: "clear" },
  fulfilment: Fulfilment,
): ClearRecord {
  const part = messagesOf(proposal, fulfilment)[0]?.parts[0];
  const result = part?.type === "tool-result" ? part.result : undefined;
  return {
    ...recordBase(proposal, fulfilment),
    action: "clear",
    targets: proposal.targets,
    preservedFields:
      result === undefined ? {} : resultKeyFields(result, toolPolicy(fulfilment.config, result.toolName)),
    ...(proposal.keep !== undefined && { keep: proposal.keep }),
  };
}
