import { ThreadfoldError } from "./threadfold-error.ts";

/** What asking for a part of a thread, or of its plan, ends in that was left in the store. */
export function historyNotLoaded(): ThreadfoldError {
  return new ThreadfoldError(
    "HISTORY_NOT_LOADED",
    "This needs messages that the plan hides and that were left in the store when the thread was resumed.",
  );
}
