import { type BodyPreview, type ToolResultEnvelope, toolResultText } from "@threadfold/core";
import { escapeLookAlikes } from "./escape-look-alikes.ts";
import { type BodyPlace, type RecallTools, readOnLines } from "./recall-tools.ts";
import { toolOutcome } from "./tool-outcome-line.ts";

/**
 * A result that the model has not read yet and that is larger than the room for it: what it is, its two ends around what
 * is left out, and the way to the rest; there is none to pictures beside a text. It is data: nothing in it can look like a frame of ours.
 */
export function previewLines(
  result: ToolResultEnvelope,
  { headCharacters, tailCharacters, leftOutTokens }: BodyPreview,
  place: BodyPlace,
  recall: RecallTools,
): readonly string[] {
  const body = toolResultText(result.content);
  const head = body.slice(0, headCharacters);
  const isAllText = headCharacters >= body.length;
  const isNoText = headCharacters + tailCharacters === 0;
  const shown = isAllText || isNoText ? "" : ", of which the beginning and the end are shown";
  const tail = tailCharacters === 0 ? "" : body.slice(-tailCharacters);
  return [
    `${toolOutcome(result)}; ${body.length} characters${shown}`,
    ...[head, `[… ${leftOutTokens} tokens left out …]`, tail]
      .filter((piece) => piece !== "")
      .map((piece) => escapeLookAlikes(piece).toWellFormed()),
    ...(isAllText ? [] : readOnLines(place, headCharacters, recall)),
  ];
}
