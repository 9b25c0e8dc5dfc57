import type { Finding, LegalityRule } from "../../../legality/legality-rule.ts";
import { type AnthropicView, placeOf } from "../anthropic-view.ts";

/** Results that stand behind something else in their turn, by whether that is in the same message or in one before. */
function lateResults({ turns }: AnthropicView, inSameMessage: boolean): readonly Finding[] {
  return turns.flatMap(({ role, blocks }) => {
    if (role === "assistant") return [];
    const speech = blocks.find(({ block }) => block.type !== "tool_result");
    if (speech === undefined) return [];
    return blocks
      .slice(blocks.indexOf(speech))
      .filter(({ block, message }) => block.type === "tool_result" && (message === speech.message) === inSameMessage)
      .map((placed) => ({ place: placeOf(placed), problem: "the result stands behind other content of its turn" }));
  });
}

/** Joined by the API, a user message between a call and its result puts content before the result. */
export const resultsBeforeSpeech: LegalityRule<AnthropicView> = {
  id: "W3",
  description: "No user message stands between a call and its result.",
  reference: "Call → result",
  find: (view) => lateResults(view, false),
};

export const resultsFirst: LegalityRule<AnthropicView> = {
  id: "W18",
  description: "In a user message, results come before everything else.",
  reference: "Call → result",
  find: (view) => lateResults(view, true),
};
