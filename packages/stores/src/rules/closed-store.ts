import { ThreadfoldError } from "@threadfold/core";

/** What every call on a closed store ends in. */
export function closedStoreError(): ThreadfoldError {
  return new ThreadfoldError("STORE_UNAVAILABLE", "The store is closed.", { hint: "Open it again." });
}
