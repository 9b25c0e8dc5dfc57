import { at, type Finding, type LegalityRule } from "../../../legality/legality-rule.ts";
import { asList, asText, isPlainObject, type PlainObject } from "../../../legality/plain-object.ts";
import type { ResponsesView } from "../responses-view.ts";

const NAMED: readonly unknown[] = ["function", "custom", "function_call", "custom_tool_call"];
const PROBLEM = "the name has other signs";

export const toolNames: LegalityRule<ResponsesView> = {
  id: "tool-names",
  description:
    "Names of functions and custom tools have at most 64 letters, digits, _ and -, in calls and definitions.",
  reference: "Tool definitions",
  find: ({ payload, items }) => [
    ...asList(payload.tools).flatMap((tool, index): readonly Finding[] =>
      isPlainObject(tool) && hasName(tool) ? [] : [{ place: { path: `$.tools[${index}].name` }, problem: PROBLEM }],
    ),
    ...items
      .filter(({ item }) => !hasName(item))
      .map(({ index }) => ({ place: at(index, undefined, "name"), problem: PROBLEM })),
  ],
};

/** True for the tools that the host names; the provider's own have no name. */
export const isNamedTool = ({ type }: PlainObject): boolean => NAMED.includes(type);

const hasName = (tool: PlainObject): boolean =>
  !isNamedTool(tool) || /^[a-zA-Z0-9_-]{1,64}$/.test(asText(tool.name) ?? "");
