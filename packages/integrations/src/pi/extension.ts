import type { ExtensionFactory } from "@earendil-works/pi-coding-agent";
import { type PiCompactionOptions, sessionBeforeCompact } from "./session-before-compact.ts";

/** An extension of pi whose compactions come from Threadfold; see `sessionBeforeCompact`. */
export const threadfoldExtension =
  (options: PiCompactionOptions = {}): ExtensionFactory =>
  (pi) => {
    pi.on("session_before_compact", sessionBeforeCompact(options));
  };
