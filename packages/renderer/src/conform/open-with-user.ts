import { madeDraft } from "../neutral/made-draft.ts";
import { type Repair, withDrafts } from "./conformance.ts";

/** Puts a marked user message first where the format begins with one and the log does not (W10). */
export const openWithUser: Repair = {
  name: "open-with-user",
  apply(request, { requirements, warnings }) {
    const first = request.drafts[0];
    if (requirements.opening === "anyone" || first === undefined || first.chat.role !== "assistant") return request;
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
