import type { JsonObject, SystemEntry, ToolDefinition } from "@threadfold/core";
import { nonEmptyText, objectOf, textOf } from "../reading/foreign-value.ts";
import type { SessionDraft } from "../session/session-draft.ts";
import { providerExtras, readTools } from "../session/shared-readers.ts";
import { blocksOf } from "./anthropic-parts.ts";

const TEXT_FIELDS = new Set(["type", "text"]);

/** Reads the system text of an Anthropic request: a string or a list of text blocks, with their cache marks. */
export function anthropicSystem(system: unknown): readonly SystemEntry[] {
  return blocksOf(system).flatMap((block): readonly SystemEntry[] => {
    const fields = objectOf(block);
    const text = textOf(fields?.text)?.toWellFormed();
    if (fields === undefined || text === undefined || text === "") return [];
    const { providerMetadata } = providerExtras("anthropic", fields, TEXT_FIELDS);
    return [providerMetadata === undefined ? text : { text, providerMetadata }];
  });
}

const TOOL_FIELDS = new Set(["name", "description", "input_schema"]);

/**
 * Reads the `tools` of an Anthropic request. Tools that run at the provider have no schema; their fields are kept for
 * it.
 */
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
