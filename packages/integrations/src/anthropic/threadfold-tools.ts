import type Anthropic from "@anthropic-ai/sdk";
import type { ContextSession } from "@threadfold/session";
import { currentSession } from "../mirror/current-session.ts";
import { recallTools } from "../recall/recall-tools.ts";

/** A tool of the Messages API with what runs when the model calls it, as the SDK's own runnable tools have it. */
export interface ThreadfoldTool extends Anthropic.Tool {
  readonly run: (input: unknown) => Promise<string>;
}

/**
 * `read_artifact` and `search_thread` as tools of the Messages API: the model's own ways to what is folded. Spread them into
 * `tools`. `anthropicTurn` answers their calls; a loop of your own runs them by `run`. What cannot be found is said to the
 * model in words; only a failing store fails a call.
 */
export const threadfoldTools = (session: ContextSession): ThreadfoldTool[] =>
  recallTools(() => currentSession(session)).map(({ name, description, inputSchema, run }) => ({
    name,
    description,
    input_schema: { ...inputSchema, type: "object" },
    run,
  }));
