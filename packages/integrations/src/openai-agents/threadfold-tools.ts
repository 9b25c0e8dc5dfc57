import { type FunctionTool, tool } from "@openai/agents";
import type { JsonObject } from "@threadfold/core";
import type { ContextSession } from "@threadfold/session";
import { currentSession } from "../mirror/current-session.ts";
import { recallTools } from "../recall/recall-tools.ts";
import type { ThreadProjection } from "./thread-projection.ts";

type JsonSchema = {
  readonly type: "object";
  readonly properties: Record<string, JsonObject>;
  readonly required: string[];
  readonly additionalProperties: true;
};

/**
 * `read_artifact` and `search_thread` as tools of the Agents SDK: the model's own ways to what is folded. Spread them into
 * an agent's `tools`. What cannot be found is said to the model in words; only a failing store fails a call.
 *
 * @param source the projection of the conversation, or its session.
 */
export function threadfoldTools(
  source: ThreadProjection | ContextSession,
): FunctionTool<unknown, JsonSchema, string>[] {
  const sessionOf = () => ("threadId" in source ? currentSession(source) : source.session);
  return recallTools(sessionOf).map(({ name, description, inputSchema, run }) =>
    tool({ name, description, parameters: inputSchema as JsonSchema, strict: false, execute: (input) => run(input) }),
  );
}
