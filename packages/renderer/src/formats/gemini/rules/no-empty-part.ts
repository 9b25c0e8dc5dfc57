import { at, type Finding, type LegalityRule } from "../../../legality/legality-rule.ts";
import { type GeminiView, type PlacedPart, placeOf } from "../gemini-view.ts";

/** What may stand beside the content of a part. */
const MARKS: readonly string[] = ["thought", "thoughtSignature", "partMetadata", "videoMetadata", "mediaResolution"];

/** A part that carries a signature may be without text: a stream ends with one. */
export const noEmptyPart: LegalityRule<GeminiView> = {
  id: "W11",
  description: "A turn has parts, every part holds something, and no text is empty or white space only.",
  reference: "Empty content",
  find: ({ contents }) =>
    contents.flatMap(({ parts, index }): readonly Finding[] =>
      parts.length === 0
        ? [{ place: at(index, undefined, "parts"), problem: "the turn has no parts" }]
        : parts.flatMap((placed) => {
            const problem = problemOf(placed);
            return problem === undefined ? [] : [{ place: placeOf(placed), problem }];
          }),
    ),
};

function problemOf({ part }: PlacedPart): string | undefined {
  if (typeof part.thoughtSignature === "string" && typeof part.text === "string") return undefined;
  if (typeof part.text === "string" && part.text.trim() === "") return "the text is blank";
  return Object.keys(part).every((key) => MARKS.includes(key)) ? "the part is empty" : undefined;
}

export const hasContents: LegalityRule<GeminiView> = {
  id: "contents",
  description: "There is a turn.",
  reference: "Empty content",
  find: ({ contents }) => (contents.length > 0 ? [] : [{ place: { path: "$.contents" }, problem: "there is no turn" }]),
};
