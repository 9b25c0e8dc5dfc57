import { at, type LegalityRule } from "../../../legality/legality-rule.ts";
import { asText } from "../../../legality/plain-object.ts";
import type { ResponsesView } from "../responses-view.ts";

export const stateless: LegalityRule<ResponsesView> = {
  id: "stateless",
  description: "Where nothing is stored, nothing refers to what is stored: reasoning carries its encrypted content.",
  reference: "Reasoning",
  find({ payload, items }) {
    if (payload.store !== false) return [];
    return items.flatMap(({ kind, item, index }) => {
      if (kind === "item_reference") return [{ place: at(index), problem: "the item is not stored" }];
      if (kind !== "reasoning" || asText(item.encrypted_content)) return [];
      return [{ place: at(index, undefined, "encrypted_content"), problem: "the reasoning is not carried along" }];
    });
  },
};
