import type { JsonValue } from "@threadfold/core";
import type { ContextSession } from "@threadfold/session";
import { jsonSchema, type Tool, tool } from "ai";
import { currentSession } from "../mirror/current-session.ts";
import { recallTools, type ThreadfoldToolName } from "../recall/recall-tools.ts";
import { aiSdkSession } from "./ai-sdk-session.ts";

/**
 * `read_artifact` and `search_thread` as tools of the AI SDK: the model's own ways to what is folded. Spread them into a
 * call's `tools`. What cannot be found is said to the model in words; only a failing store fails a call.
 */
export function threadfoldTools(session: ContextSession): Record<ThreadfoldToolName, Tool<JsonValue, string>> {
  aiSdkSession({ session }).hasTools = true;
  const [readArtifact, searchThread] = recallTools(() => currentSession(session));
  const toolOf = ({ description, inputSchema, run }: typeof readArtifact) =>
    tool({ description, inputSchema: jsonSchema<JsonValue>(inputSchema), execute: (input: JsonValue) => run(input) });
  return { read_artifact: toolOf(readArtifact), search_thread: toolOf(searchThread) };
}
