import { sha256 } from "@threadfold/core";

/** What a provider accepts as a name or id. */
export interface NameRule {
  /** Matches one sign that is NOT accepted; null when all are. */
  readonly refused: RegExp | null;
  /** In UTF-16 code units; null for any length. */
  readonly maxLength: number | null;
  /** Matches a name that begins as it may not; it gets an underscore in front. */
  readonly refusedStart?: RegExp;
}

const HASH_LENGTH = 8;

/** A name with every sign that is not accepted replaced by `_`, and a hash for the end when it is too long. */
export function acceptedName(name: string, { refused, maxLength, refusedStart }: NameRule): string {
  const replaced = refused?.test(name) === true ? name.replaceAll(new RegExp(refused, "g"), "_") : name;
  const accepted = refusedStart?.test(replaced) === true ? `_${replaced}` : replaced;
  if (maxLength === null || accepted.length <= maxLength) return accepted;
  return `${accepted.slice(0, maxLength - HASH_LENGTH - 1)}-${sha256(name).slice(0, HASH_LENGTH)}`;
}

/** The name that a tool goes out under, in calls and definitions alike. */
export const acceptedToolName = (name: string, rule: NameRule): string =>
  acceptedName(name, rule) || (rule.refused === null ? name : "unnamed_tool");
