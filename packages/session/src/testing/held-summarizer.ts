import type { Summarizer } from "@threadfold/core";
import { ExtractiveSummarizer } from "@threadfold/summarizers";
import { gate } from "./watched-store.ts";

/** A summarizer that waits at a gate the first time. */
export function heldSummarizer() {
  const held = gate();
  let calls = 0;
  const summarizer: Summarizer = {
    id: "held@1",
    summarize: async (request) => {
      if (calls++ === 0) await held.pass();
      request.signal?.throwIfAborted();
      return new ExtractiveSummarizer().summarize(request);
    },
  };
  return { ...held, summarizer, calls: () => calls };
}
