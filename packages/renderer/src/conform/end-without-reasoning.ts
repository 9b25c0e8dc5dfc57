import { type Draft, withParts } from "../neutral/draft.ts";
import { mapDrafts, type Repair, withDrafts } from "./conformance.ts";

/** Leaves out reasoning at the end of an assistant turn: where signed reasoning goes back, something must follow it (W12). */
export const endWithoutReasoning: Repair = {
  name: "end-without-reasoning",
  apply(request, { requirements, warnings }) {
    if (requirements.reasoning.replay !== "signed") return request;
    const ends = reasoningEnds(request.drafts, requirements.reasoning.follower === "own");
    if (ends.size === 0) return request;
    const drafts = mapDrafts(request.drafts, (draft) => {
      if (!ends.has(draft)) return draft;
      warnings.leaveOut("reasoning-left-out", "at-the-end", draft.chat.sources);
      const last = draft.chat.parts.findLastIndex((part) => part.type !== "reasoning");
      return last < 0 ? null : withParts(draft, draft.chat.parts.slice(0, last + 1));
    });
    return withDrafts(request, drafts);
  },
};

/** The assistant messages that end with reasoning, and behind which nothing else follows in the same run of them. */
function reasoningEnds(drafts: readonly Draft[], ownFollower: boolean): ReadonlySet<Draft> {
  const ends = new Set<Draft>();
  let follows = false;
  for (let index = drafts.length - 1; index >= 0; index--) {
    const draft = drafts[index] as Draft;
    const { role, parts } = draft.chat;
    if (role !== "assistant" || (ownFollower && draft.message === null)) follows = false;
    else if (!follows) {
      if (parts.at(-1)?.type === "reasoning") ends.add(draft);
      follows = parts.some((part) => part.type !== "reasoning");
    }
  }
  return ends;
}
