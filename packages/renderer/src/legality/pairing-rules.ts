import type { LegalityRule } from "./legality-rule.ts";
import { findPairingProblems, type PairingFinding, type PairingScenario, type WireStep } from "./pairing.ts";

/** A view of a payload that can be read as pairing steps. */
export interface PairedView {
  readonly steps: readonly WireStep[];
}

const known = new WeakMap<PairedView, readonly PairingFinding[]>();

function problemsOf(view: PairedView): readonly PairingFinding[] {
  const found = known.get(view) ?? findPairingProblems(view.steps);
  known.set(view, found);
  return found;
}

function pairingRule(
  id: PairingScenario,
  reference: string,
  description: string,
  problem: string,
): LegalityRule<PairedView> {
  return {
    id,
    description,
    reference,
    find: (view) =>
      problemsOf(view)
        .filter(({ scenario }) => scenario === id)
        .map(({ reference: { id: callId, place } }) => ({ place, problem: `${problem} (${callId.slice(0, 80)})` })),
  };
}

const CALL_TO_RESULT = "Call → result";

/** The rules of pairing, which the formats share. One line per rule. */
export const PAIRING_RULES: readonly LegalityRule<PairedView>[] = [
  pairingRule("W1", CALL_TO_RESULT, "Every call is answered directly behind it.", "the call has no result"),
  pairingRule("W2", "Orphans", "Every result answers a call.", "nothing calls for this result"),
  pairingRule(
    "W3",
    CALL_TO_RESULT,
    "Nobody speaks between a call and its result.",
    "somebody speaks between the call and this result",
  ),
  pairingRule(
    "W4",
    CALL_TO_RESULT,
    "No assistant turn stands between a call and its result.",
    "an assistant turn stands between the call and this result",
  ),
  pairingRule("W5", "Duplicate ids", "A call is answered once.", "the call is answered already"),
  pairingRule(
    "W6",
    CALL_TO_RESULT,
    "A result stands behind its own call.",
    "the result stands behind another call, whose result stands behind this one's",
  ),
  pairingRule(
    "W7",
    CALL_TO_RESULT,
    "All calls of a batch are answered together.",
    "the call has no result although others of its batch have",
  ),
  pairingRule("W8", CALL_TO_RESULT, "A result comes after its call.", "the result comes before its call"),
];
