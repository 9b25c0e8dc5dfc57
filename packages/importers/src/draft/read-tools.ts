import { type ToolDefinition, toWellFormedJson } from "@threadfold/core";
import { type ForeignObject, listOf, nonEmptyText, objectOf } from "../reading/foreign-value.ts";
import type { SessionDraft } from "./session-draft.ts";

/** Stands in for a schema that the log does not have. */
const ANY_OBJECT = { type: "object" } as const;

/**
 * Reads a log's list of tools. Entries that are bare names become tools that take any object; entries that are no
 * tool are left out. Both are reported.
 *
 * @param read reads one entry, or gives undefined when it is no tool.
 */
export function readTools(
  tools: unknown,
  draft: SessionDraft,
  read: (tool: ForeignObject) => ToolDefinition | undefined,
): readonly ToolDefinition[] {
  const definitions: ToolDefinition[] = [];
  const bare: string[] = [];
  for (const [index, entry] of (listOf(tools) ?? []).entries()) {
    const name = nonEmptyText(entry)?.toWellFormed();
    const fields = objectOf(entry);
    const tool = name === undefined ? fields && read(fields) : { name, inputSchema: ANY_OBJECT };
    if (name !== undefined) bare.push(name);
    if (tool === undefined) draft.warnings.push({ kind: "unreadable-tool", index });
    else definitions.push(toWellFormedJson(tool) as unknown as ToolDefinition);
  }
  if (bare.length > 0) draft.warnings.push({ kind: "tools-without-schema", tools: bare });
  return definitions;
}
