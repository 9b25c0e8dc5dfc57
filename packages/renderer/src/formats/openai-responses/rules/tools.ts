import { at, type Finding, type LegalityRule } from "../../../legality/legality-rule.ts";
import { asList, asText, isPlainObject } from "../../../legality/plain-object.ts";
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

const hasName = ({ type, name }: Readonly<Record<string, unknown>>): boolean =>
  !NAMED.includes(type) || /^[a-zA-Z0-9_-]{1,64}$/.test(asText(name) ?? "");

export const toolNamesOnce: LegalityRule<ResponsesView> = {
  id: "tool-names-once",
  description: "A tool is defined once.",
  reference: "Tool definitions",
  find({ payload }) {
    const seen = new Set<unknown>();
    return asList(payload.tools).flatMap((tool, index) => {
      const name = isPlainObject(tool) && NAMED.includes(tool.type) ? tool.name : undefined;
      const isNew = typeof name !== "string" || !seen.has(name);
      seen.add(name);
      return isNew ? [] : [{ place: { path: `$.tools[${index}].name` }, problem: "the name is taken" }];
    });
  },
};
