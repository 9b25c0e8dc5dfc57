import { at, type Finding, type LegalityRule } from "../../../legality/legality-rule.ts";
import { isPlainObject } from "../../../legality/plain-object.ts";
import type { PlacedItem, ResponsesView } from "../responses-view.ts";

const PROBLEM = "the text is blank";
const isBlank = (text: unknown): boolean => typeof text === "string" && text.trim() === "";

/** A tool may have nothing to say: blank outputs are legal. */
export const noBlankText: LegalityRule<ResponsesView> = {
  id: "W11",
  description: "A message has content, and no text of it is empty or white space only.",
  reference: "Empty content",
  find: ({ items }) => items.flatMap(blankIn),
};

function blankIn({ kind, item: { content }, index }: PlacedItem): readonly Finding[] {
  if (kind !== "message") return [];
  if (isBlank(content)) return [{ place: at(index), problem: PROBLEM }];
  if (!Array.isArray(content)) return [];
  if (content.length === 0) return [{ place: at(index, undefined, "content"), problem: "the message has no content" }];
  return content.flatMap((part, place) =>
    isPlainObject(part) && isBlank(part.text) ? [{ place: at(index, place), problem: PROBLEM }] : [],
  );
}
