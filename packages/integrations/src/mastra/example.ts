// A Mastra agent whose requests Threadfold folds: one processor, last among those for the input and among those for errors.
import { Agent, type AgentConfig } from "@mastra/core/agent";
import type { ContextSession } from "@threadfold/session";
// In your own code: "@threadfold/integrations/mastra".
import { ThreadfoldProcessor } from "./threadfold-processor.ts";

export function agentThatFolds(model: AgentConfig["model"], session: ContextSession): Agent {
  const threadfold = new ThreadfoldProcessor({ session });
  return new Agent({
    id: "engineer",
    name: "engineer",
    instructions: "You are a careful engineer.",
    model,
    inputProcessors: [threadfold],
    errorProcessors: [threadfold],
  });
}
