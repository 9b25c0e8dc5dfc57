import type { Message, Part } from "@threadfold/core";
import { derivation } from "../input/derivation.ts";
import type { Draft } from "../neutral/draft.ts";
import { mapDrafts, type Repair, withDrafts } from "./conformance.ts";

/**
 * Sends mid-conversation system messages as marked user messages if the format has no such role. Their text stays
 * verbatim: it is an instruction, not content.
 */
export const markSystemNotices: Repair = {
  name: "mark-system-notices",
  apply(request, { requirements, warnings }) {
    if (requirements.systemInside === "native") return request;
    const drafts = mapDrafts(request.drafts, (draft) => {
      if (draft.chat.role !== "system") return draft;
      warnings.add("system-as-notice", draft.chat.sources);
      return notice(draft);
    });
    return withDrafts(request, drafts);
  },
};

function notice(draft: Draft): Draft {
  const { chat: said } = draft;
  const chat = { ...said, role: "user", parts: noticeParts(said.parts, null), synthetic: "system-notice" } as const;
  return { ...draft, chat, action: draft.record === null ? "system-notice" : draft.action };
}

const noticeParts = derivation((parts: Message["parts"], _key: null): readonly Part[] => [
  { type: "text", text: "[System notice]" },
  ...parts,
]);
