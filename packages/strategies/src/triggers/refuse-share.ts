import { ThreadfoldError } from "@threadfold/core";

/** @throws ThreadfoldError `INVALID_CONFIG` unless the share is more than 0 and at most 1. */
export function refuseShare(name: string, share: number): void {
  if (share > 0 && share <= 1) return;
  throw new ThreadfoldError(
    "INVALID_CONFIG",
    `The share of ${name} is ${share}; it must be more than 0 and at most 1.`,
  );
}
