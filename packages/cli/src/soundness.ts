import { type LegalityViolation, type PinId, ThreadfoldError } from "@threadfold/core";

/** Why a rendered request may not be sent, or undefined when it is legal and holds every live pin. */
export function unsoundness(
  violations: readonly LegalityViolation[],
  missingPins: readonly PinId[],
): ThreadfoldError | undefined {
  const [first] = violations;
  if (first !== undefined) {
    const place = first.messageId === undefined ? first.at : `${first.at}, message ${first.messageId}`;
    return new ThreadfoldError("ILLEGAL_REQUEST", `The request breaks ${first.rule} at ${place}: ${first.problem}`, {
      details: { violations },
    });
  }
  if (missingPins.length === 0) return undefined;
  return new ThreadfoldError(
    "PIN_MISSING",
    `The request lacks ${missingPins.length} live pins, the first is ${missingPins[0]}.`,
    {
      details: { missingPins },
    },
  );
}
