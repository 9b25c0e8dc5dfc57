import type { ToolDefinition } from "@threadfold/core";
import type { Draft } from "../neutral/draft.ts";

/**
 * The tools that messages use, with a schema that accepts anything: what goes out where calls may only stand beside a
 * definition and the host gave none. In order of first use, so that a longer log only adds to the end.
 *
 * @param known those that the messages before use; the same list comes back when these use no other.
 */
export function declaredTools(known: readonly ToolDefinition[], drafts: readonly Draft[]): readonly ToolDefinition[] {
  const names = new Set<string>();
  for (const { chat } of drafts) {
    if (chat.role !== "assistant") continue;
    for (const part of chat.parts) if (part.type === "tool-call") names.add(part.toolName);
  }
  for (const { name } of known) names.delete(name);
  if (names.size === 0) return known;
  return [...known, ...Array.from(names, (name) => ({ name, inputSchema: { type: "object" } }))];
}
