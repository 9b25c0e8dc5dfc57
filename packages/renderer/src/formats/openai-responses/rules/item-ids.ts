import { at, type LegalityRule } from "../../../legality/legality-rule.ts";
import { MAX_ID_LENGTH } from "../lower/item-ids.ts";
import type { ResponsesView } from "../responses-view.ts";

/** How the ids of these items begin. Messages that the host writes may have any; hosted tools have their own. */
const PREFIXES: Readonly<Record<string, string>> = {
  message: "",
  reasoning: "rs",
  function_call: "fc",
  custom_tool_call: "ctc",
};

export const itemIdForm: LegalityRule<ResponsesView> = {
  id: "item-id-form",
  description: `The id of an item has at most ${MAX_ID_LENGTH} characters and begins as its type asks.`,
  reference: "Duplicate ids",
  find: ({ items }) =>
    items.flatMap(({ item: { id }, kind, index }) => {
      const prefix = PREFIXES[kind];
      if (typeof id !== "string" || prefix === undefined) return [];
      if (id.length <= MAX_ID_LENGTH && id.startsWith(prefix)) return [];
      return [{ place: at(index, undefined, "id"), problem: "the id has not the form of its type" }];
    }),
};

export const itemIdOnce: LegalityRule<ResponsesView> = {
  id: "item-id-once",
  description: "An item stands in the request once.",
  reference: "Duplicate ids",
  find({ items }) {
    const seen = new Set<string>();
    return items.flatMap(({ item: { id }, kind, index }) =>
      typeof id !== "string" || kind === "item_reference" || (!seen.has(id) && seen.add(id))
        ? []
        : [{ place: at(index, undefined, "id"), problem: "an earlier item has the same id" }],
    );
  },
};
