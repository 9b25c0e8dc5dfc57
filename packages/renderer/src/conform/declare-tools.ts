import type { ToolDefinition } from "@threadfold/core";
import type { Draft } from "../neutral/draft.ts";
import type { Repair } from "./conformance.ts";

/**
 * Declares the tools that the thread uses, with a schema that accepts anything, where calls may only go out beside a
 * definition and the host gave none. In order of first use, so that a longer log only adds to the end.
 */
export const declareTools: Repair = {
  name: "declare-tools",
  end: "last",
  apply(request, { requirements, warnings }) {
    if (!requirements.declaresTools || request.tools.length > 0) return request;
    const names = usedTools(request.drafts);
    if (names.length === 0) return request;
    warnings.named("tools-declared", names);
    return { ...request, tools: definitionsOf(names) };
  },
};

function usedTools(drafts: readonly Draft[]): readonly string[] {
  const names = new Set<string>();
  for (const { chat } of drafts) {
    if (chat.role !== "assistant") continue;
    for (const part of chat.parts) if (part.type === "tool-call") names.add(part.toolName);
  }
  return [...names];
}

const definitionsOf = (names: readonly string[]): readonly ToolDefinition[] =>
  names.map((name) => ({ name, inputSchema: { type: "object" } }));
