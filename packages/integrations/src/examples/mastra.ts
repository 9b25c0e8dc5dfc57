// A Mastra agent whose requests Threadfold folds: one processor, last among the input processors and the error
// processors, with a session for each thread of the agent's memory, and two tools that read what was folded.
import { Agent, type AgentConfig } from "@mastra/core/agent";
import type { ThreadfoldStore } from "@threadfold/core";
import { formatById } from "@threadfold/renderer";
import { ContextSession } from "@threadfold/session";
// In your own code: "@threadfold/integrations/mastra".
import { ThreadfoldProcessor, threadfoldTools } from "../mastra/threadfold-processor.ts";

export function agentThatFolds(
  model: AgentConfig["model"],
  memory: NonNullable<AgentConfig["memory"]>,
  store: ThreadfoldStore,
): Agent {
  const threadfold = new ThreadfoldProcessor({
    open: (threadId) =>
      ContextSession.open({ threadId, store, format: formatById("ai-sdk"), config: { maxInputTokens: 8_000 } }),
  });
  return new Agent({
    id: "engineer",
    name: "engineer",
    instructions: "You are a careful engineer.",
    model,
    memory,
    tools: threadfoldTools(threadfold),
    inputProcessors: [threadfold],
    errorProcessors: [threadfold],
  });
}
