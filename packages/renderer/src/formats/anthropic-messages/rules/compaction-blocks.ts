import type { LegalityRule } from "../../../legality/legality-rule.ts";
import { type AnthropicView, placeOf } from "../anthropic-view.ts";

export const compactionBlocks: LegalityRule<AnthropicView> = {
  id: "compaction-blocks",
  description:
    "A server-side compaction block is of the assistant, and its content is null or a text that is not empty.",
  reference: "Compaction objects",
  find: (view) =>
    view
      .blocksOf("compaction")
      .filter(({ block, role }) => role !== "assistant" || !isContent(block.content))
      .map((placed) => ({ place: placeOf(placed), problem: "the compaction block is not as the server gave it" })),
};

const isContent = (content: unknown): boolean =>
  content === null || content === undefined || (typeof content === "string" && content.trim() !== "");
