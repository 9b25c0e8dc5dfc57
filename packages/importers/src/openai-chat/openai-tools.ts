import type { JsonObject, ToolDefinition } from "@threadfold/core";
import { providerExtras } from "../draft/provider-extras.ts";
import { readTools } from "../draft/read-tools.ts";
import type { SessionDraft } from "../draft/session-draft.ts";
import { nonEmptyText, objectOf, textOf } from "../reading/foreign-value.ts";

const TOOL_FIELDS = new Set(["name", "description", "parameters"]);

/** The `tools` of an OpenAI Chat request, or its older `functions`. */
export function openaiTools(tools: unknown, draft: SessionDraft): readonly ToolDefinition[] {
  return readTools(tools, draft, (tool): ToolDefinition | undefined => {
    const described = objectOf(tool.function) ?? tool;
    const name = nonEmptyText(described.name);
    if (name === undefined) return undefined;
    const description = textOf(described.description);
    return {
      name,
      ...(description !== undefined && { description }),
      inputSchema: (objectOf(described.parameters) ?? { type: "object" }) as JsonObject,
      ...providerExtras("openai", described, TOOL_FIELDS),
    };
  });
}
