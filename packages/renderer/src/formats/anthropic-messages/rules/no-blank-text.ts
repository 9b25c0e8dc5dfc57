import type { Finding, LegalityRule } from "../../../legality/legality-rule.ts";
import { asList, isPlainObject } from "../../../legality/plain-object.ts";
import { type AnthropicView, type PlacedBlock, placeOf } from "../anthropic-view.ts";

const PROBLEM = "the text is blank";

export const noBlankText: LegalityRule<AnthropicView> = {
  id: "W11",
  description: "No text is empty or white space only: not in a message, not in a result, not in the system text.",
  reference: "Empty content",
  find: (view) => [
    ...asList(view.payload.system).flatMap((block, index) =>
      isBlankText(block) ? [{ place: { path: `$.system[${index}]` }, problem: PROBLEM }] : [],
    ),
    ...view
      .blocksOf("text")
      .filter(({ block }) => isBlankText(block))
      .map((placed) => ({ place: placeOf(placed), problem: PROBLEM })),
    ...view.blocksOf("tool_result").flatMap(blankInResult),
  ],
};

function blankInResult(placed: PlacedBlock): readonly Finding[] {
  const { block } = placed;
  if (typeof block.content === "string")
    return block.content.trim() === "" ? [{ place: placeOf(placed), problem: PROBLEM }] : [];
  return asList(block.content).flatMap((inner, index) =>
    isBlankText(inner) ? [{ place: placeOf(placed, `content[${index}]`), problem: PROBLEM }] : [],
  );
}

const isBlankText = (block: unknown): boolean =>
  isPlainObject(block) && block.type === "text" && typeof block.text === "string" && block.text.trim() === "";
