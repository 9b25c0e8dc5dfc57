import type { LegalityViolation } from "@threadfold/core";
import { type ProviderFormat, remedyFor } from "@threadfold/renderer";

/** A broken rule as `lint` tells of it. */
export interface LintFinding {
  readonly rule: string;
  /** Index of the message; null when it is about the request as a whole. */
  readonly message: number | null;
  /** Path in the request. */
  readonly at: string;
  readonly problem: string;
  /** What the provider asks. */
  readonly asks: string;
  /** What to do about it. */
  readonly remedy: string;
}

/** A violation with what the rule asks and what to do about it. */
export function lintFinding({ rule, at, problem }: LegalityViolation, { rules }: ProviderFormat): LintFinding {
  const asks = rules.rules.find(({ id }) => id === rule)?.description ?? "";
  return { rule, message: messageIndex(at), at, problem, asks, remedy: remedyFor(rule) ?? asks };
}

/** Every format calls its list of messages by one of these names. */
function messageIndex(at: string): number | null {
  const index = /^\$\.(?:messages|input|contents)\[(\d+)\]/.exec(at)?.[1];
  return index === undefined ? null : Number(index);
}
