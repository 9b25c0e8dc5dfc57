import { asList, at, type Finding, isPlainObject, type LegalityRule, type PlainObject } from "./legality-rule.ts";
import { findPairingProblems, type PairingFinding, type PairingScenario, type WireStep } from "./pairing.ts";

/** The rule of formats in which every message has content, whoever speaks. */
export const hasContent: LegalityRule<{ readonly messages: readonly PlainObject[] }> = {
  id: "messages",
  description: "There is a message, and every message has content.",
  reference: "Empty content",
  find({ messages }) {
    if (messages.length === 0) return [{ place: { path: "$.messages" }, problem: "there is no message" }];
    return messages.flatMap(({ content }, index) =>
      typeof content === "string" || (Array.isArray(content) && content.length > 0)
        ? []
        : [{ place: at(index, undefined, "content"), problem: "the message has no content" }],
    );
  },
};

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

/** The rule of formats that list tools by `name`. Some list tools of the provider's own too, which have none of ours. */
export function toolsNamedOnce(
  isNamed: (tool: PlainObject) => boolean = () => true,
): LegalityRule<{ readonly payload: PlainObject }> {
  return {
    id: "tool-names-once",
    description: "A tool is defined once.",
    reference: "Tool definitions",
    find: ({ payload }) => namedTwice(payload["tools"], "$.tools", isNamed),
  };
}

/** Names that are taken in a list of tools. A namespace has names of its own. */
function namedTwice(tools: unknown, path: string, isNamed: (tool: PlainObject) => boolean): readonly Finding[] {
  const seen = new Set<unknown>();
  return asList(tools).flatMap((tool, index): readonly Finding[] => {
    if (!isPlainObject(tool) || !isNamed(tool) || typeof tool["name"] !== "string") return [];
    const { name, type } = tool;
    const inside = type === "namespace" ? namedTwice(tool["tools"], `${path}[${index}].tools`, isNamed) : [];
    const isNew = !seen.has(name) && seen.add(name);
    return isNew ? inside : [{ place: { path: `${path}[${index}].name` }, problem: "the name is taken" }, ...inside];
  });
}
