import type { LegalityRule } from "../../../legality/legality-rule.ts";
import { asText } from "../../../legality/plain-object.ts";
import { END_OF_HISTORY } from "../../../neutral/summary-frame.ts";
import { type AnthropicView, type BlockRange, type PlacedBlock, placeOf } from "../anthropic-view.ts";
import { thinkingOf } from "./thinking-intact.ts";

export const thinkingBoundToPrefix: LegalityRule<AnthropicView> = {
  id: "W13",
  description: "Signed thinking does not stand behind an edit of the prefix that it is bound to.",
  reference: "Reasoning",
  find(view) {
    const thinking = thinkingOf(view);
    const edited = thinking.length === 0 ? null : editedBlocks(view);
    if (edited === null) return [];
    return thinking
      .filter(({ ordinal }) => ordinal >= edited.from && ordinal < edited.to)
      .map((placed) => ({
        place: placeOf(placed),
        problem: "thinking stands behind a folded part of the conversation",
      }));
  },
};

/**
 * By the manifest. In a foreign payload the block directly behind the first frame of a fold that we know, in its turn:
 * whatever comes later may have been written behind the fold.
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
