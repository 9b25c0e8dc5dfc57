import type { ContextSession } from "@threadfold/session";
import type OpenAI from "openai";
import { currentSession } from "../mirror/current-session.ts";
import { recallTools } from "../recall/recall-tools.ts";

/** What runs when the model calls a tool. The SDK leaves it out of what it sends. */
interface Runnable {
  readonly run: (input: unknown) => Promise<string>;
}

/** A tool of Chat Completions with what runs when the model calls it. */
export interface ThreadfoldChatTool extends OpenAI.Chat.ChatCompletionFunctionTool, Runnable {}

/** A tool of Responses with what runs when the model calls it. */
export interface ThreadfoldResponsesTool extends OpenAI.Responses.FunctionTool, Runnable {}

/**
 * `read_artifact` and `search_thread` as tools of Chat Completions: the model's own ways to what is folded. Spread them into
 * `tools`. `openaiChatTurn` answers their calls; a loop of your own runs them by `run`, with the parsed arguments. What
 * cannot be found is said to the model in words; only a failing store fails a call.
 */
export const threadfoldChatTools = (session: ContextSession): ThreadfoldChatTool[] =>
  recallTools(() => currentSession(session)).map(({ name, description, inputSchema, run }) => ({
    type: "function",
    function: { name, description, parameters: { ...inputSchema } },
    run,
  }));

/** As {@link threadfoldChatTools}, for Responses and `openaiResponsesTurn`. */
export const threadfoldResponsesTools = (session: ContextSession): ThreadfoldResponsesTool[] =>
  recallTools(() => currentSession(session)).map(({ name, description, inputSchema, run }) => ({
    type: "function",
    name,
    description,
    parameters: { ...inputSchema },
    strict: false,
    run,
  }));
