import type { LegalityRule } from "./legality-rule.ts";
import { asList, isPlainObject, type PlainObject } from "./plain-object.ts";

/** The rule of formats that list tools by `name`. Some list tools of the provider's own too, which have none of ours. */
export function toolsNamedOnce(
  isNamed: (tool: PlainObject) => boolean = () => true,
): LegalityRule<{ readonly payload: PlainObject }> {
  return {
    id: "tool-names-once",
    description: "A tool is defined once.",
    reference: "Tool definitions",
    find({ payload }) {
      const seen = new Set<unknown>();
      return asList(payload["tools"]).flatMap((tool, index) => {
        const name = isPlainObject(tool) && isNamed(tool) ? tool["name"] : undefined;
        const isNew = typeof name !== "string" || !seen.has(name);
        seen.add(name);
        return isNew ? [] : [{ place: { path: `$.tools[${index}].name` }, problem: "the name is taken" }];
      });
    },
  };
}
