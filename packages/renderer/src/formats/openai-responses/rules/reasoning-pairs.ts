import { at, type Finding, type LegalityRule } from "../../../legality/legality-rule.ts";
import { isPlainObject } from "../../../legality/plain-object.ts";
import type { PlacedItem, ResponsesView } from "../responses-view.ts";

/**
 * Nothing in a payload tells which reasoning an item came with. So this asks for more than the API may: in a request of a
 * model that reasons, an item with an id has reasoning before it in the same run of the model's items.
 */
export const reasoningPairs: LegalityRule<ResponsesView> = {
  id: "W16",
  description:
    "Reasoning is followed by an item of the model, and no message or call keeps its id without reasoning before it.",
  reference: "Reasoning",
  find: (view) => [...view.items.flatMap((one, index) => withoutFollower(one, view.items[index + 1])), ...lonely(view)],
};

function withoutFollower(one: PlacedItem, next: PlacedItem | undefined): readonly Finding[] {
  if (one.kind !== "reasoning" || next?.side === "calls") return [];
  return [{ place: at(one.index), problem: "the reasoning lacks the item that follows it" }];
}

/** The last reasoning of a run is judged above; whether it is the right one cannot be seen. */
function lonely(view: ResponsesView): readonly Finding[] {
  if (!reasons(view)) return [];
  let hasReasoning = false;
  return view.items.flatMap((one) => {
    hasReasoning = one.side === "calls" && (hasReasoning || one.kind === "reasoning");
    if (hasReasoning || !BOUND.includes(one.kind) || one.side !== "calls" || typeof one.item.id !== "string") return [];
    return [{ place: at(one.index, undefined, "id"), problem: "the item keeps its id without its reasoning" }];
  });
}

const BOUND: readonly string[] = ["message", "function_call", "custom_tool_call"];

const reasons = ({ payload, items }: ResponsesView): boolean =>
  isPlainObject(payload.reasoning) || items.some(({ kind }) => kind === "reasoning");
