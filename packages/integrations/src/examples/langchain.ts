// Folding in LangChain's createAgent: one line among the middleware, one among the tools, and a session for each
// LangGraph thread.
import type { ThreadfoldStore } from "@threadfold/core";
import { ContextSession } from "@threadfold/session";
import { type CreateAgentParams, createAgent } from "langchain";
// In your own code: "@threadfold/integrations/langchain".
import { threadfoldMiddleware, threadfoldTools } from "../langchain/threadfold-middleware.ts";

export function agentThatFolds(
  model: NonNullable<CreateAgentParams["model"]>,
  checkpointer: NonNullable<CreateAgentParams["checkpointer"]>,
  store: ThreadfoldStore,
) {
  const threadfold = threadfoldMiddleware({
    trigger: [{ fraction: 0.85 }, { tokens: 20_000, messages: 30 }],
    keep: { messages: 20 },
    open: (threadId, preset) =>
      ContextSession.open({ threadId, store, ...(preset && { preset }), config: { maxInputTokens: 40_000 } }),
  });
  return createAgent({
    model,
    checkpointer,
    systemPrompt: "You are a careful engineer.",
    tools: [...threadfoldTools(threadfold)],
    middleware: [threadfold],
  });
}
