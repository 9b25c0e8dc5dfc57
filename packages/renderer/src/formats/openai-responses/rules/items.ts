import { at, type LegalityRule } from "../../../legality/legality-rule.ts";
import { asText } from "../../../legality/plain-object.ts";
import type { ResponsesView } from "../responses-view.ts";

const ROLES: readonly unknown[] = ["system", "developer", "user", "assistant"];

/** Kinds that this table does not know are let through: newer models add some. */
export const knownRoles: LegalityRule<ResponsesView> = {
  id: "roles",
  description: "An item has a type or is a message, and messages are of role system, developer, user or assistant.",
  reference: "Roles",
  find: ({ items }) =>
    items.flatMap(({ item: { role }, kind, index }) => {
      if (kind === "") return [{ place: at(index), problem: "the item has no type" }];
      const isKnown = kind !== "message" || ROLES.includes(role);
      return isKnown ? [] : [{ place: at(index, undefined, "role"), problem: "the role is not known" }];
    }),
};

export const hasInput: LegalityRule<ResponsesView> = {
  id: "input",
  description: "There is an item.",
  reference: "Empty content",
  find: ({ items }) => (items.length > 0 ? [] : [{ place: { path: "$.input" }, problem: "there is no item" }]),
};

export const wholeCompaction: LegalityRule<ResponsesView> = {
  id: "compaction",
  description: "A compaction item carries its encrypted content.",
  reference: "Compaction objects",
  find: ({ items }) =>
    items
      .filter(({ kind, item }) => kind === "compaction" && !asText(item.encrypted_content))
      .map(({ index }) => ({ place: at(index, undefined, "encrypted_content"), problem: "there is no content" })),
};
