import { at, type LegalityRule } from "../../../legality/legality-rule.ts";
import type { GeminiView } from "../gemini-view.ts";

export const responseCount: LegalityRule<GeminiView> = {
  id: "W14",
  description: "The turn directly behind a turn of calls holds as many responses as that one holds calls.",
  reference: "Call → result",
  find: ({ contents }) =>
    contents.flatMap(({ calls, index }) => {
      const next = contents[index + 1];
      const answered = next?.isModel === false ? next.responses.length : 0;
      if (calls.length === 0 || answered === calls.length) return [];
      return [{ place: at(index), problem: `${calls.length} calls are followed by ${answered} responses` }];
    }),
};

export const callsBehindUser: LegalityRule<GeminiView> = {
  id: "calls-behind-user",
  description: "A turn of calls comes directly behind a turn of the user or of responses.",
  reference: "Call → result",
  find: ({ contents }) =>
    contents.flatMap(({ calls, index }) =>
      calls.length > 0 && contents[index - 1]?.isModel === true
        ? [{ place: at(index), problem: "another turn of the model stands before the calls" }]
        : [],
    ),
};
