import type { LegalityRule } from "../../../legality/legality-rule.ts";
import { asText, isPlainObject, type PlainObject } from "../../../legality/plain-object.ts";
import { END_OF_HISTORY } from "../../../neutral/summary-frame.ts";
import { type AiSdkView, type PlacedPart, placeOf } from "../ai-sdk-view.ts";

/** Fields by which the SDK's providers know their own reasoning again. */
const PROOFS = ["signature", "redactedData", "reasoningEncryptedContent", "thoughtSignature"] as const;

const isReasoning = ({ part }: PlacedPart): boolean => part.type === "reasoning";

export const reasoningIntact: LegalityRule<AiSdkView> = {
  id: "W12",
  description: "Something follows the reasoning of an assistant turn.",
  reference: "Reasoning",
  find: ({ parts }) =>
    parts
      .filter((placed, index) => isReasoning(placed) && endsTurn(placed, parts[index + 1]))
      .map((placed) => ({ place: placeOf(placed), problem: "an assistant turn ends with reasoning" })),
};

const endsTurn = ({ role }: PlacedPart, next: PlacedPart | undefined): boolean =>
  role === "assistant" && next?.role !== "assistant";

export const reasoningBoundToPrefix: LegalityRule<AiSdkView> = {
  id: "W13",
  description: "Signed reasoning does not stand behind an edit of the prefix that it is bound to.",
  reference: "Reasoning",
  find(view) {
    const signed = view.parts.filter((placed) => isReasoning(placed) && isSigned(placed.part));
    const isBehindEdit = signed.length === 0 ? null : behindEdit(view);
    if (isBehindEdit === null) return [];
    return signed.filter(isBehindEdit).map((placed) => ({
      place: placeOf(placed),
      problem: "signed reasoning stands behind a folded part of the conversation",
    }));
  },
};

function isSigned({ providerOptions }: PlainObject): boolean {
  const options = isPlainObject(providerOptions) ? Object.values(providerOptions) : [];
  return options.some(
    (fields) => isPlainObject(fields) && PROOFS.some((field) => (asText(fields[field]) ?? "") !== ""),
  );
}

/**
 * By the manifest. In a foreign prompt the part directly behind the first frame of a fold that we know, in its turn:
 * whatever comes later may have been written behind the fold.
 */
function behindEdit({ parts, edited }: AiSdkView): ((placed: PlacedPart) => boolean) | null {
  if (edited === null) return null;
  if (edited !== undefined) return ({ message }) => message >= edited.from && message < edited.to;
  const frame = parts.findIndex(({ part }) => part.type === "text" && isFold(asText(part.text) ?? ""));
  const next = parts[frame]?.role === "assistant" ? parts[frame + 1] : undefined;
  return (placed) => placed === next;
}

const isFold = (text: string): boolean =>
  text.startsWith("[") && /^\[(?:Context Summary|Externalized Content) - /.test(text) && text.endsWith(END_OF_HISTORY);
