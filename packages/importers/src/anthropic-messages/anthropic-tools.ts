import type { JsonObject, ToolDefinition } from "@threadfold/core";
import { providerExtras } from "../draft/provider-extras.ts";
import { readTools } from "../draft/read-tools.ts";
import type { SessionDraft } from "../draft/session-draft.ts";
import { nonEmptyText, objectOf, textOf } from "../reading/foreign-value.ts";

const TOOL_FIELDS = new Set(["name", "description", "input_schema"]);

/** The `tools` of an Anthropic request. Tools that run at the provider have no schema; their fields are kept for it. */
export function anthropicTools(tools: unknown, draft: SessionDraft): readonly ToolDefinition[] {
  return readTools(tools, draft, (tool): ToolDefinition | undefined => {
    const name = nonEmptyText(tool.name);
    if (name === undefined) return undefined;
    const description = textOf(tool.description);
    return {
      name,
      ...(description !== undefined && { description }),
      inputSchema: (objectOf(tool.input_schema) ?? { type: "object" }) as JsonObject,
      ...providerExtras("anthropic", tool, TOOL_FIELDS),
    };
  });
}
