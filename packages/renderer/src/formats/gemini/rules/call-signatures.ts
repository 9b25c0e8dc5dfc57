import type { LegalityRule } from "../../../legality/legality-rule.ts";
import { asText } from "../../../legality/plain-object.ts";
import { type GeminiView, placeOf } from "../gemini-view.ts";

/** Before the third generation, signatures are optional. */
const OLDER_MODEL = /gemini-(?:pro|[12])\b/;

/** The API looks no further back than to where the open turn begins: the last thing that the user said. */
export const callSignatures: LegalityRule<GeminiView> = {
  id: "W15",
  description: "In the open turn, the first call of each step carries a thought signature.",
  reference: "Reasoning",
  find({ contents, model }) {
    if (model !== undefined && OLDER_MODEL.test(model)) return [];
    const start = contents.findLastIndex(
      ({ isModel, parts, responses }) => !isModel && parts.length > responses.length,
    );
    return contents
      .slice(start + 1)
      .flatMap(({ isModel, calls: [first] }) =>
        isModel && first !== undefined && !asText(first.part.thoughtSignature)
          ? [{ place: placeOf(first, "thoughtSignature"), problem: "the first call of the step is not signed" }]
          : [],
      );
  },
};

export const thoughtsByModel: LegalityRule<GeminiView> = {
  id: "thoughts",
  description: "Thoughts stand in turns of the model.",
  reference: "Reasoning",
  find: ({ contents }) =>
    contents.flatMap(({ isModel, parts }) =>
      isModel
        ? []
        : parts
            .filter(({ part }) => part.thought === true)
            .map((placed) => ({ place: placeOf(placed), problem: "a thought stands outside a turn of the model" })),
    ),
};
