import type { ContextSession } from "@threadfold/session";
import { type AgentMiddleware, type DynamicStructuredTool, tool } from "langchain";
import { currentSession } from "../mirror/current-session.ts";
import { type RecallTool, recallTools } from "../recall/recall-tools.ts";
import { middlewareSession } from "./threadfold-middleware.ts";

/**
 * `read_artifact` and `search_thread` as tools of LangChain: the model's own ways to what is folded. Spread them into the
 * agent's `tools`. What cannot be found is said to the model in words; only a failing store fails a call.
 *
 * @param source the middleware that `threadfoldMiddleware` gave, whose tools look into the thread of the run that calls
 * them, or one session.
 */
export function threadfoldTools(source: ContextSession | Pick<AgentMiddleware, "name">): DynamicStructuredTool[] {
  const isSession = "threadId" in source;
  return recallTools(({ threadId }: RunPlace) =>
    isSession ? currentSession(source) : middlewareSession(source, threadId),
  ).map(toolOf);
}

/** Where a call comes from. */
interface RunPlace {
  readonly threadId: string | undefined;
}

const toolOf = ({ name, description, inputSchema, run }: RecallTool<RunPlace>): DynamicStructuredTool =>
  tool((input, { configurable }) => run(input, { threadId: configurable?.["thread_id"] }), {
    name,
    description,
    schema: inputSchema,
  }) as DynamicStructuredTool;
