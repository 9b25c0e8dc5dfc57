import type { Draft } from "../neutral/draft.ts";
import { madeDraft } from "../neutral/made-draft.ts";
import { type Repair, withDrafts } from "./conformance.ts";

/** Puts a marked user message first where the format begins with one and the log does not (W10). */
export const openWithUser: Repair = {
  name: "open-with-user",
  end: "first",
  apply(request, { requirements, warnings }) {
    const first = request.drafts[0];
    if (requirements.opening === "anyone" || first === undefined || first.chat.role !== "assistant") return request;
    if (opensWithItem(first, requirements.openingItems ?? [])) return request;
    warnings.add("opening-added", []);
    const opening = madeDraft("[Conversation starts here]", {
      role: "user",
      synthetic: "placeholder",
      action: "opening",
      share: "overhead",
      ordinal: first.ordinal,
    });
    return withDrafts(request, [opening, ...request.drafts]);
  },
};

/** A server-side compaction stands for everything before it, the user's first message included. */
function opensWithItem({ chat }: Draft, types: readonly string[]): boolean {
  const [part] = chat.parts;
  return part?.type === "opaque" && types.includes(String(Object(part.value).type));
}
