import type { Part } from "@threadfold/core";
import { withParts } from "../neutral/draft.ts";
import { mapDrafts, type Repair, withDrafts } from "./conformance.ts";

/** Leaves out opaque items that stand in the request already, where the provider refuses to get one twice. */
export const leaveOutRepeatedItems: Repair = {
  name: "leave-out-repeated-items",
  apply(request, { requirements: { opaqueOnce }, warnings }) {
    if (opaqueOnce === undefined) return request;
    const seen = new Set<string>();
    const drafts = mapDrafts(request.drafts, (draft) => {
      const parts = draft.chat.parts.filter((part) => {
        const id = onceKey(part, opaqueOnce);
        return id === undefined || (!seen.has(id) && seen.add(id));
      });
      if (parts.length === draft.chat.parts.length) return draft;
      warnings.leaveOut("opaque-left-out", "repeated", draft.chat.sources);
      return parts.length === 0 ? null : withParts(draft, parts);
    });
    return withDrafts(request, drafts);
  },
};

/** What an opaque item shares with a repetition of it; undefined for anything else. */
export function onceKey(part: Part, field: string): string | undefined {
  if (part.type !== "opaque") return undefined;
  const found = (Object(part.value) as Readonly<Record<string, unknown>>)[field];
  return typeof found === "string" ? found : undefined;
}
