import { at, type LegalityRule } from "../../../legality/legality-rule.ts";
import { asText, isPlainObject } from "../../../legality/plain-object.ts";
import type { PlacedItem, ResponsesView } from "../responses-view.ts";

export const jsonArguments: LegalityRule<ResponsesView> = {
  id: "W19",
  description:
    "The arguments of a function call are a string that holds a JSON object; a custom call's input is a text.",
  reference: "Arguments",
  find: ({ items }) =>
    items.flatMap((one) => {
      const problem = problemOf(one);
      return problem === undefined ? [] : [{ place: at(one.index, undefined, problem.field), problem: problem.text }];
    }),
};

function problemOf({ kind, item }: PlacedItem): { readonly field: string; readonly text: string } | undefined {
  if (kind === "custom_tool_call" && typeof item.input !== "string")
    return { field: "input", text: "the input is no text" };
  if (kind !== "function_call" || holdsObject(asText(item.arguments))) return undefined;
  return { field: "arguments", text: "the arguments are no JSON object" };
}

function holdsObject(text: string | undefined): boolean {
  try {
    return text !== undefined && isPlainObject(JSON.parse(text));
  } catch {
    return false;
  }
}
