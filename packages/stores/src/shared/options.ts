import { nearestName, ThreadfoldError } from "@threadfold/core";
import * as z from "@threadfold/core/schema";
import { isPlainText } from "./store-basics.ts";

/**
 * Checks the time that a caller wants recorded, before anything that the record is about is done.
 *
 * @throws ThreadfoldError `INVALID_CONFIG`.
 */
export function checkTimeOption(at: unknown): void {
  if (!z.iso.datetime().safeParse(at).success) throw refusedOption("at", "an ISO 8601 time in UTC is needed");
}

/** Checks a text that a caller wants recorded. @throws ThreadfoldError `INVALID_CONFIG`. */
export function checkTextOption(option: string, text: unknown): void {
  if (typeof text !== "string" || text.trim() === "" || !isPlainText(text))
    throw refusedOption(option, "a well-formed text that is not empty is needed");
}

/** What an option may be, and what is needed instead of anything else. */
const OPTION_KINDS = {
  flag: [(value: unknown) => typeof value === "boolean", "true or false is needed"],
  function: [(value: unknown) => typeof value === "function", "a function is needed"],
  text: [(value: unknown) => typeof value === "string" && value !== "", "a text that is not empty is needed"],
  milliseconds: [
    (value: unknown) => Number.isFinite(value) && (value as number) >= 0,
    "a number of milliseconds, 0 or more, is needed",
  ],
  clock: [(value: unknown) => typeof Object(value).now === "function", "an object with a method now is needed"],
  signal: [(value: unknown) => typeof Object(value).aborted === "boolean", "an AbortSignal is needed"],
} satisfies Readonly<Record<string, readonly [(value: unknown) => boolean, string]>>;

/** The options of a call, by name, with what each may be. */
export type OptionKinds = Readonly<Record<string, keyof typeof OPTION_KINDS>>;

/**
 * Checks options that a caller without types may have got wrong, before anything is done: many a wrong one would only
 * be noticed when content has already moved, or not at all. Those that are left out are not checked.
 *
 * @throws ThreadfoldError `INVALID_CONFIG` that names the option.
 */
export function checkOptions(options: unknown, kinds: OptionKinds): void {
  if (typeof options !== "object" || options === null) throw refusedOption("options", "an object is needed");
  for (const [option, kind] of Object.entries(kinds)) {
    const value: unknown = Reflect.get(options, option);
    const [isOfKind, need] = OPTION_KINDS[kind];
    if (value !== undefined && !isOfKind(value)) throw refusedOption(option, need);
  }
}

/**
 * Refuses an option of an unknown name, which would be ignored silently.
 *
 * @throws ThreadfoldError `INVALID_CONFIG` that names it and what was probably meant.
 */
export function refuseUnknownOptions(options: unknown, known: readonly string[]): void {
  if (typeof options !== "object" || options === null) throw refusedOption("options", "an object is needed");
  const option = Object.keys(options).find((name) => !known.includes(name));
  if (option === undefined) return;
  const meant = nearestName(option, known);
  throw new ThreadfoldError("INVALID_CONFIG", `${option}: there is no such option.`, {
    hint: meant === undefined ? `Known options: ${known.join(", ")}.` : `Did you mean ${meant}?`,
    details: { option },
  });
}

/** The error for an option that does not have what it needs. */
export const refusedOption = (option: string, need: string): ThreadfoldError =>
  new ThreadfoldError("INVALID_CONFIG", `${option}: ${need}.`, { details: { option } });
