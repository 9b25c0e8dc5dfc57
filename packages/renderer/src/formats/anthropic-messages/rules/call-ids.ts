import type { LegalityRule } from "../../../legality/legality-rule.ts";
import { asText } from "../../../legality/plain-object.ts";
import { type AnthropicView, placeOf } from "../anthropic-view.ts";

export const callIdForm: LegalityRule<AnthropicView> = {
  id: "call-id-form",
  description: "A call id is made of letters, digits, _ and -.",
  reference: "Duplicate ids",
  find: (view) =>
    view
      .blocksOf("tool_use")
      .filter(({ block }) => !/^[a-zA-Z0-9_-]+$/.test(asText(block.id) ?? ""))
      .map((placed) => ({ place: placeOf(placed, "id"), problem: "the call id has other signs, or none" })),
};

export const callIdOnce: LegalityRule<AnthropicView> = {
  id: "call-id-once",
  description: "A call id is used for one call of the request.",
  reference: "Duplicate ids",
  find(view) {
    const seen = new Set<unknown>();
    return view
      .blocksOf("tool_use")
      .filter(({ block }) => seen.has(block.id) || !seen.add(block.id))
      .map((placed) => ({ place: placeOf(placed, "id"), problem: "an earlier call has the same id" }));
  },
};
