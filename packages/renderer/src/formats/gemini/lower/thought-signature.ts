import type { ChatMessage, Part } from "@threadfold/core";

/** Stands for a signature in history that Gemini did not write as it is shown: of another model, or changed by a fold. */
export const SKIP_SIGNATURE = "skip_thought_signature_validator";

/**
 * The signature that a part goes out with: its own, as long as its message is as it came (thoughts, which a fold leaves out
 * whole, keep theirs); and on the first call of a step
 * that has none the mark that asks Gemini to do without (W15). Later calls of a parallel batch have none of their own.
 */
export function thoughtSignature(
  part: Part,
  { parts, synthetic }: ChatMessage,
): { readonly thoughtSignature?: string } {
  const isAsItCame = synthetic === undefined || part.type === "reasoning";
  const signature = isAsItCame ? ownSignature(part) : undefined;
  if (signature !== undefined) return { thoughtSignature: signature };
  const isFirstCall = part.type === "tool-call" && part === parts.find(({ type }) => type === "tool-call");
  return isFirstCall ? { thoughtSignature: SKIP_SIGNATURE } : {};
}

function ownSignature(part: Part): string | undefined {
  if (part.type === "opaque") return undefined;
  if (part.type === "reasoning") return part.signature;
  const metadata = part.providerMetadata?.["google"];
  const signature = metadata?.["thoughtSignature"] ?? metadata?.["textSignature"];
  return typeof signature === "string" && signature !== "" ? signature : undefined;
}
