import type { JsonValue } from "@threadfold/core";
import type { ContextSession } from "@threadfold/session";
import { jsonSchema, type Tool, tool } from "ai";

/** The names of the tools that lead to what is folded. */
export type ThreadfoldToolName = "read_artifact" | "search_thread";

/**
 * `read_artifact` and `search_thread` as tools of the AI SDK: the model's own ways to what is folded. Spread them into a
 * call's `tools`. What cannot be found is said to the model in words; only a failing store fails a call.
 */
export function threadfoldTools(session: ContextSession): Record<ThreadfoldToolName, Tool<JsonValue, string>> {
  const [readArtifact, searchThread] = session.tools().map(({ definition, execute }) =>
    tool({
      ...(definition.description !== undefined && { description: definition.description }),
      inputSchema: jsonSchema<JsonValue>(definition.inputSchema),
      execute: async (input: JsonValue) => (await execute(input)).text,
    }),
  ) as [Tool<JsonValue, string>, Tool<JsonValue, string>];
  return { read_artifact: readArtifact, search_thread: searchThread };
}
