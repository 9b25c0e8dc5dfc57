import { isMaxOutputStop } from "@threadfold/renderer";

/** Why an answer ended, in the words of no provider: what `error` and `aborted` measured is not to be trusted (L18). */
export type StopReason = "end" | "max-output" | "error" | "aborted";

/** Words by which SDKs say that an answer was given up or failed half-way. */
const FAILED_STOPS: ReadonlyMap<string, StopReason> = new Map([
  ["error", "error"],
  ["failed", "error"],
  ["aborted", "aborted"],
  ["cancelled", "aborted"],
  ["canceled", "aborted"],
]);

/** A provider's word for why an answer ended (`max_tokens`, `length`, `tool_use`, …) as a stop reason. Words that are not known end an answer in order. */
export function stopReasonOf(word: string | null | undefined): StopReason {
  if (isMaxOutputStop(word)) return "max-output";
  return FAILED_STOPS.get(word?.toLowerCase() ?? "") ?? "end";
}
