import type { LegalityRule } from "../../../legality/legality-rule.ts";
import { PAIRING_RULES, type PairedView } from "../../../legality/pairing-rules.ts";
import type { ResponsesView } from "../responses-view.ts";

/** What pairing means here. Others may speak between a call and its output (W3, W4): both must only be there, in order. */
const DESCRIPTIONS: Readonly<Record<string, string>> = {
  W1: "Every call has an output behind it.",
  W2: "Every output answers a call of the request.",
  W5: "A call has one output.",
  W6: "An output stands behind its own call.",
  W7: "All calls of a batch have an output.",
  W8: "An output comes after its call.",
};

export const pairing: readonly LegalityRule<ResponsesView>[] = PAIRING_RULES.flatMap((rule) => {
  const description = DESCRIPTIONS[rule.id];
  return description === undefined ? [] : [{ ...rule, description, find: (view) => findWithin(rule, view) }];
});

/** Where the provider holds what came before, the call of an output may stand there. */
function findWithin(rule: LegalityRule<PairedView>, view: ResponsesView): ReturnType<typeof rule.find> {
  return view.continues && rule.id === "W2" ? [] : rule.find(view);
}
