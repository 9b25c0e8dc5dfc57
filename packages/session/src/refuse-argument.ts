import { ThreadfoldError } from "@threadfold/core";

/** Says whether a value is an object with a member of that name. */
export const has = (value: unknown, member: string): boolean =>
  typeof value === "object" && value !== null && member in value;

/** @throws ThreadfoldError `INVALID_CONFIG` that names the option or argument. */
export function refuseArgument(name: string, problem: string, hint?: string): never {
  throw new ThreadfoldError("INVALID_CONFIG", `${name}: ${problem}`, {
    ...(hint !== undefined && { hint }),
    details: { name },
  });
}
