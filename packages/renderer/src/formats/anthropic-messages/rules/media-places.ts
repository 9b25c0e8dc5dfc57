import type { LegalityRule } from "../../../legality/legality-rule.ts";
import { type AnthropicView, placeOf } from "../anthropic-view.ts";

export const mediaPlaces: LegalityRule<AnthropicView> = {
  id: "media-places",
  description: "Pictures and documents stand in user messages and in results.",
  reference: "Images/docs",
  find: (view) =>
    [...view.blocksOf("image"), ...view.blocksOf("document")]
      .filter(({ role }) => role === "assistant")
      .map((placed) => ({ place: placeOf(placed), problem: "an assistant turn holds a picture or document" })),
};
