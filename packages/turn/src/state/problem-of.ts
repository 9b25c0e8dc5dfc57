import { ThreadfoldError } from "@threadfold/core";

/**
 * What went wrong, in words that quote nothing foreign: errors of drivers and hosts may hold content or ids that belong
 * in no event and no log. Theirs is the name alone, with the code where there is one.
 */
export function problemOf(thrown: unknown): string {
  if (ThreadfoldError.isInstance(thrown)) return `${thrown.code}: ${thrown.message}`;
  if (!(thrown instanceof Error)) return "something that is not an error was thrown";
  const { code } = thrown as { readonly code?: unknown };
  return typeof code === "string" && /^[A-Z0-9_]{1,40}$/.test(code) ? `${thrown.name} ${code}` : thrown.name;
}
