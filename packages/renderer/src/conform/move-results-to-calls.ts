import type { Draft } from "../neutral/draft.ts";
import { type Repair, withDrafts } from "./conformance.ts";
import { pairResults } from "./pair-results.ts";

/** Puts every result directly behind its call, in the order of the calls, whatever stood between (G2, W3, W4, W6). */
export const moveResultsToCalls: Repair = {
  name: "move-results-to-calls",
  apply(request, { input, warnings }) {
    const pairing = pairResults(request.drafts, input.ledger);
    if (pairing === null) return request;
    const drafts = request.drafts.flatMap((draft) =>
      draft.chat.role === "tool" ? [] : [draft, ...pairing.resultsOf(draft)],
    );
    for (const { chat } of movedResults(request.drafts, drafts)) warnings.add("result-moved", chat.sources);
    return withDrafts(request, drafts);
  },
};

/** The results that stand behind another message than before. What rendering itself put between does not count. */
function movedResults(before: readonly Draft[], after: readonly Draft[]): readonly Draft[] {
  const logged = (drafts: readonly Draft[]): readonly Draft[] => drafts.filter(({ message }) => message !== null);
  const previous = new Map(logged(before).map((draft, index, all) => [draft, all[index - 1]]));
  return logged(after).filter(
    (draft, index, all) => draft.chat.role === "tool" && previous.get(draft) !== all[index - 1],
  );
}
