import { canonicalJson } from "./canonical-json.ts";
import { sha256 } from "./sha256.ts";

/** SHA-256 of the canonical JSON of a value, in hexadecimal: the identity of every value that Threadfold hashes. */
export function digestOf(value: unknown): string {
  return sha256(canonicalJson(value));
}
