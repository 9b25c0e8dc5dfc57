import { mapDrafts, type Repair, withDrafts } from "./conformance.ts";
import { pairResults } from "./pair-results.ts";

/**
 * Leaves out results that answer no shown call: orphans, second results for one call, results of an id that is open
 * twice, and results whose call was folded away (A8, A10, L25, W2, W5). The log keeps them.
 */
export const leaveOutStrayResults: Repair = {
  name: "leave-out-stray-results",
  apply(request, { input, warnings }) {
    const pairing = pairResults(request.drafts, input.ledger);
    if (pairing === null) return request;
    const drafts = mapDrafts(request.drafts, (draft) => {
      const reason = pairing.strayReason(draft);
      if (reason === undefined) return draft;
      warnings.leaveOut("result-left-out", reason, draft.chat.sources);
      return null;
    });
    return withDrafts(request, drafts);
  },
};
