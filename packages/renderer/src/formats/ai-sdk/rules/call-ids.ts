import type { LegalityRule } from "../../../legality/legality-rule.ts";
import { asText } from "../../../legality/plain-object.ts";
import { type AiSdkView, type PlacedPart, placeOf } from "../ai-sdk-view.ts";

const calls = ({ parts }: AiSdkView): readonly PlacedPart[] => parts.filter(({ part }) => part.type === "tool-call");

export const callIdForm: LegalityRule<AiSdkView> = {
  id: "call-id-form",
  description: "A call id is made of letters, digits, _ and -, as every provider behind the SDK accepts them.",
  reference: "Duplicate ids",
  find: (view) =>
    calls(view)
      .filter(({ part }) => !/^[a-zA-Z0-9_-]+$/.test(asText(part.toolCallId) ?? ""))
      .map((placed) => ({ place: placeOf(placed, "toolCallId"), problem: "the call id has other signs, or none" })),
};

export const callIdOnce: LegalityRule<AiSdkView> = {
  id: "call-id-once",
  description: "A call id is used for one call of the prompt.",
  reference: "Duplicate ids",
  find(view) {
    const seen = new Set<unknown>();
    return calls(view)
      .filter(({ part }) => seen.has(part.toolCallId) || !seen.add(part.toolCallId))
      .map((placed) => ({ place: placeOf(placed, "toolCallId"), problem: "an earlier call has the same id" }));
  },
};
