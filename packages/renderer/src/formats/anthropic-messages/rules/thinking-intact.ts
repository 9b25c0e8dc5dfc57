import type { Finding, LegalityRule } from "../../../legality/legality-rule.ts";
import { asText, isPlainObject } from "../../../legality/plain-object.ts";
import { type AnthropicTurn, type AnthropicView, type PlacedBlock, placeOf } from "../anthropic-view.ts";

/** True for thinking in the clear and redacted. */
export const isThinking = ({ block }: PlacedBlock): boolean =>
  block.type === "thinking" || block.type === "redacted_thinking";

export const thinkingIntact: LegalityRule<AnthropicView> = {
  id: "W12",
  description:
    "Thinking stands in assistant turns, signed and with something behind it; with thinking enabled, the open tool loop begins its last assistant turn with it.",
  reference: "Reasoning",
  find(view) {
    const thinking = thinkingOf(view);
    return [
      ...thinking.flatMap(misplaced),
      ...(thinking.length > 0 ? view.turns.flatMap(trailing) : []),
      ...droppedFromLoop(view),
    ];
  },
};

/** Thinking, in the clear and redacted, in order. */
export const thinkingOf = (view: AnthropicView): readonly PlacedBlock[] =>
  [...view.blocksOf("thinking"), ...view.blocksOf("redacted_thinking")].sort((a, b) => a.ordinal - b.ordinal);

function misplaced(placed: PlacedBlock): readonly Finding[] {
  const { block, role } = placed;
  if (role !== "assistant") return [{ place: placeOf(placed), problem: "thinking stands outside an assistant turn" }];
  const proof = asText(block.type === "thinking" ? block.signature : block.data);
  return proof === undefined || proof === "" ? [{ place: placeOf(placed), problem: "the thinking is not signed" }] : [];
}

function trailing({ role, blocks }: AnthropicTurn): readonly Finding[] {
  const last = blocks.at(-1);
  return role === "assistant" && last !== undefined && isThinking(last)
    ? [{ place: placeOf(last), problem: "an assistant turn ends with thinking" }]
    : [];
}

/** Only the host knows whether thinking is enabled; it is checked where the payload has the field or the host told it. */
function droppedFromLoop({ thinking, turns }: AnthropicView): readonly Finding[] {
  const enabled = isPlainObject(thinking) && thinking.type === "enabled";
  const [calls, results] = turns.slice(-2);
  const isOpenLoop = calls?.role === "assistant" && results?.blocks.some(({ block }) => block.type === "tool_result");
  const first = calls?.blocks[0];
  if (!enabled || !isOpenLoop || first === undefined || isThinking(first)) return [];
  return [{ place: placeOf(first), problem: "the open tool loop lacks its thinking" }];
}
