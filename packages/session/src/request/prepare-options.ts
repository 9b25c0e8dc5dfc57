import type { FrameFields } from "./request-frame.ts";

/** What becomes of a request that is over its budget after folding; see `SessionOptions.onOverBudget`. */
export type OverBudget = "barest" | "throw" | "send";

/** How the next request is prepared. */
export interface PrepareOptions {
  /**
   * Goes before the frame that the session was opened with, field by field and for this request alone: `{ tools }` keeps the
   * session's `system`, `{ system: [] }` sends none.
   */
  readonly frame?: FrameFields;
  /** Ends a fold that is under way. Nothing is committed then. */
  readonly signal?: AbortSignal;
  /** Goes before the session's own option. */
  readonly onOverBudget?: OverBudget;
}
