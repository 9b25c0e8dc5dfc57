import { asText, type Finding, isPlainObject, type LegalityRule } from "../../legality/legality-rule.ts";
import { END_OF_HISTORY } from "../../neutral/summary-message.ts";
import {
  type AnthropicTurn,
  type AnthropicView,
  type BlockRange,
  type PlacedBlock,
  placeOf,
} from "./anthropic-view.ts";

/** Checks for thinking, plain or redacted. */
const isThinking = ({ block }: PlacedBlock): boolean => block.type === "thinking" || block.type === "redacted_thinking";

export const thinkingIntact: LegalityRule<AnthropicView> = {
  id: "W12",
  description:
    "Thinking appears only in assistant turns, signed and with something after it; with thinking enabled, the open tool loop begins with it, or its last step does.",
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

/** Returns all thinking, plain and redacted, in order. */
const thinkingOf = (view: AnthropicView): readonly PlacedBlock[] =>
  [...view.blocksOf("thinking"), ...view.blocksOf("redacted_thinking")].sort((a, b) => a.ordinal - b.ordinal);

function misplaced(placed: PlacedBlock): readonly Finding[] {
  const { block, role } = placed;
  if (role !== "assistant") return [{ place: placeOf(placed), problem: "thinking appears outside an assistant turn" }];
  const proof = asText(block.type === "thinking" ? block.signature : block.data);
  return proof === undefined || proof === "" ? [{ place: placeOf(placed), problem: "the thinking is not signed" }] : [];
}

function trailing({ role, blocks }: AnthropicTurn): readonly Finding[] {
  const last = blocks.at(-1);
  return role === "assistant" && last !== undefined && isThinking(last)
    ? [{ place: placeOf(last), problem: "an assistant turn ends with thinking" }]
    : [];
}

/**
 * Only the host knows whether thinking is enabled; this is checked if the payload has the field or the host declared
 * it. A model thinks before the first call of a loop, or before each: thinking at the start of the loop or of its last
 * step is enough.
 */
function droppedFromLoop({ thinking, turns }: AnthropicView): readonly Finding[] {
  const enabled = isPlainObject(thinking) && thinking.type === "enabled";
  const [calls, results] = turns.slice(-2);
  if (!enabled || calls?.role !== "assistant" || results === undefined || !hasResults(results)) return [];
  const steps = openLoop(turns).map(({ blocks }) => blocks[0]);
  const last = steps.at(-1);
  if (last === undefined || [steps[0], last].some((first) => first !== undefined && isThinking(first))) return [];
  return [{ place: placeOf(last), problem: "the open tool loop lacks its thinking" }];
}

/** Returns the assistant's turns since the user last said something. */
function openLoop(turns: AnthropicView["turns"]): AnthropicView["turns"] {
  const asked = turns.findLastIndex((turn) => turn.role === "user" && !hasResults(turn));
  return turns.slice(asked + 1).filter(({ role }) => role === "assistant");
}

const hasResults = ({ blocks }: AnthropicTurn): boolean => blocks.some(({ block }) => block.type === "tool_result");

export const thinkingBoundToPrefix: LegalityRule<AnthropicView> = {
  id: "W13",
  description: "Signed thinking does not follow an edit of the prefix that it is bound to.",
  reference: "Reasoning",
  find(view) {
    const thinking = thinkingOf(view);
    const edited = thinking.length === 0 ? null : editedBlocks(view);
    if (edited === null) return [];
    return thinking
      .filter(({ ordinal }) => ordinal >= edited.from && ordinal < edited.to)
      .map((placed) => ({
        place: placeOf(placed),
        problem: "thinking follows a folded part of the conversation",
      }));
  },
};

/**
 * Returns the blocks after an edit, according to the manifest. In a foreign payload, only the block directly after the
 * first known fold frame, in its turn: anything later may have been written after the fold.
 */
function editedBlocks({ blocks, edited }: AnthropicView): BlockRange | null {
  if (edited !== undefined) return edited;
  const frame = blocks.findIndex(isFold);
  return frame < 0 || blocks[frame]?.role !== "assistant" ? null : { from: frame + 1, to: frame + 2 };
}

function isFold({ block }: PlacedBlock): boolean {
  const text = block.type === "text" ? asText(block.text) : undefined;
  return (
    text?.startsWith("[") === true &&
    /^\[(?:Context Summary|Externalized Content) - /.test(text) &&
    text.endsWith(END_OF_HISTORY)
  );
}

export const thinkingToolChoice: LegalityRule<AnthropicView> = {
  id: "thinking-tool-choice",
  description: "With a thinking budget, tool use is not forced: `tool_choice` is auto or none.",
  reference: "Reasoning",
  find({ thinking, toolChoice }) {
    const isManual = isPlainObject(thinking) && thinking.type === "enabled";
    const choice = isPlainObject(toolChoice) ? asText(toolChoice.type) : undefined;
    return isManual && (choice === "any" || choice === "tool")
      ? [{ place: { path: "$.tool_choice" }, problem: "tool use is forced while thinking is enabled" }]
      : [];
  },
};
