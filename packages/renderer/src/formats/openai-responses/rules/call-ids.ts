import { at, type LegalityRule } from "../../../legality/legality-rule.ts";
import { asText } from "../../../legality/plain-object.ts";
import { isCall, isOutput, type PlacedItem, type ResponsesView } from "../responses-view.ts";

const MAX_LENGTH = 64;
const idPlace = ({ index }: PlacedItem) => at(index, undefined, "call_id");

export const callIdForm: LegalityRule<ResponsesView> = {
  id: "call-id-form",
  description: `A call id has 1 to ${MAX_LENGTH} characters.`,
  reference: "Duplicate ids",
  find: ({ items }) =>
    items
      .filter((one) => (isCall(one) || isOutput(one)) && !hasForm(asText(one.item.call_id) ?? ""))
      .map((one) => ({ place: idPlace(one), problem: "the call id is missing or too long" })),
};

const hasForm = (id: string): boolean => id !== "" && id.length <= MAX_LENGTH;

export const callIdOnce: LegalityRule<ResponsesView> = {
  id: "call-id-once",
  description: "A call id is used for one call of the request.",
  reference: "Duplicate ids",
  find({ items }) {
    const seen = new Set<unknown>();
    return items
      .filter(isCall)
      .filter(({ item }) => seen.has(item.call_id) || !seen.add(item.call_id))
      .map((one) => ({ place: idPlace(one), problem: "an earlier call has the same id" }));
  },
};

export const outputKind: LegalityRule<ResponsesView> = {
  id: "output-kind",
  description: "An output is of the kind of its call.",
  reference: "Call → result",
  find({ items }) {
    const kinds = new Map<unknown, string>();
    return items.flatMap((one) => {
      if (isCall(one)) kinds.set(one.item.call_id, one.kind);
      const called = kinds.get(one.item.call_id);
      if (!isOutput(one) || called === undefined || one.kind === `${called}_output`) return [];
      return [{ place: at(one.index, undefined, "type"), problem: `the call is a ${called}` }];
    });
  },
};
