import { createTool, type Tool } from "@mastra/core/tools";
import type { JsonObject } from "@threadfold/core";
import type { ContextSession } from "@threadfold/session";
import { currentSession } from "../mirror/current-session.ts";
import { type RecallTool, recallTools, type ThreadfoldToolName } from "../recall/recall-tools.ts";
import type { RunContext, ThreadfoldProcessor } from "./threadfold-processor.ts";

/** A tool of Mastra that takes what its schema says and gives text. */
export type ThreadfoldTool = Tool<JsonObject, string>;

/**
 * `read_artifact` and `search_thread` as tools of Mastra: the model's own ways to what is folded. Spread them into an agent's
 * `tools`. What cannot be found is said to the model in words; only a failing store fails a call.
 *
 * @param source the processor, whose tools look into the thread of the run that calls them, or one session.
 */
export function threadfoldTools(
  source: ThreadfoldProcessor | ContextSession,
): Record<ThreadfoldToolName, ThreadfoldTool> {
  const sessionOf = (run: RunContext) => ("threadId" in source ? currentSession(source) : source.sessionOf(run));
  const [readArtifact, searchThread] = recallTools(sessionOf);
  return { read_artifact: toolOf(readArtifact), search_thread: toolOf(searchThread) };
}

const toolOf = ({ name, description, inputSchema, run }: RecallTool<RunContext>): ThreadfoldTool =>
  createTool({
    id: name,
    description,
    inputSchema: { ...inputSchema },
    execute: (input, { requestContext }) => run(input, { requestContext }),
  }) as unknown as ThreadfoldTool;
