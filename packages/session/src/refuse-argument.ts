import { nearestName, ThreadfoldError } from "@threadfold/core";

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

/**
 * Looks that all options have names that are known: a misspelled one would otherwise be left out without a word.
 *
 * @param elsewhere names that are known in another place, with that place, such as `config`.
 * @throws ThreadfoldError `INVALID_CONFIG` that names the option, and what was probably meant.
 */
export function refuseUnknownOptions(
  options: object,
  known: readonly string[],
  elsewhere: { readonly place: string; readonly names: readonly string[] } = { place: "", names: [] },
): void {
  const unknown = Object.keys(options).find((name) => !known.includes(name));
  if (unknown === undefined) return;
  const placed = elsewhere.names.map((name) => [`${elsewhere.place}.${name}`, name] as const);
  const exact = placed.find(([, name]) => name === unknown)?.[0];
  const near =
    nearestName(unknown, known) ?? placed.find(([, name]) => name === nearestName(unknown, elsewhere.names))?.[0];
  const meant = exact ?? near;
  refuseArgument(
    unknown,
    "there is no such option.",
    meant === undefined ? `Known options: ${known.join(", ")}.` : `Did you mean ${meant}?`,
  );
}
