import type { LegalityRule } from "../../../legality/legality-rule.ts";
import { asList, asText, isPlainObject } from "../../../legality/plain-object.ts";
import { type AnthropicView, placeOf } from "../anthropic-view.ts";

const NAME = /^[a-zA-Z0-9_-]{1,128}$/;

export const toolsDeclared: LegalityRule<AnthropicView> = {
  id: "tools-declared",
  description: "A request with calls or results defines tools.",
  reference: "Tool definitions",
  find(view) {
    if (asList(view.payload.tools).length > 0) return [];
    const first = view.blocksOf("tool_use")[0] ?? view.blocksOf("tool_result")[0];
    return first === undefined ? [] : [{ place: placeOf(first), problem: "the request defines no tool" }];
  },
};

export const toolNames: LegalityRule<AnthropicView> = {
  id: "tool-names",
  description: "Tool names have at most 128 letters, digits, _ and -, in calls and definitions.",
  reference: "Tool definitions",
  find: (view) => [
    ...asList(view.payload.tools).flatMap((tool, index) =>
      isPlainObject(tool) && NAME.test(asText(tool.name) ?? "")
        ? []
        : [{ place: { path: `$.tools[${index}].name` }, problem: "the name has other signs" }],
    ),
    ...view
      .blocksOf("tool_use")
      .filter(({ block }) => !NAME.test(asText(block.name) ?? ""))
      .map((placed) => ({ place: placeOf(placed, "name"), problem: "the name has other signs" })),
  ],
};
