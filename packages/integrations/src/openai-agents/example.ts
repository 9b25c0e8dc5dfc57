// The Agents SDK over Threadfold: the runner keeps its items in our log, the model is sent what the plan shows, and the agent
// has two tools to what was folded.
import { Agent, type ModelProvider, Runner } from "@openai/agents";
import { asThreadId, type ThreadfoldStore } from "@threadfold/core";
import { formatById } from "@threadfold/renderer";
import { ContextSession } from "@threadfold/session";
// In your own code: "@threadfold/integrations/openai-agents".
import { ThreadProjection } from "./thread-projection.ts";
import { ThreadSession } from "./thread-session.ts";
import { threadfoldTools } from "./threadfold-tools.ts";

export async function conversation(
  name: string,
  store: ThreadfoldStore,
  provider: ModelProvider,
  tools: Agent["tools"] = [],
) {
  const projection = new ThreadProjection({
    session: await ContextSession.open({
      threadId: asThreadId(name),
      store,
      format: formatById("openai-responses"),
      config: { maxInputTokens: 30_000 },
    }),
  });
  const agent = new Agent({
    name: "engineer",
    instructions: "You are a careful engineer.",
    tools: [...tools, ...threadfoldTools(projection)],
  });
  const runner = new Runner({
    callModelInputFilter: projection.callModelInputFilter,
    modelProvider: projection.modelProvider(provider),
  });
  const items = new ThreadSession({ threadId: asThreadId(`${name}-items`), threads: store.threads });
  return { say: (text: string) => runner.run(agent, text, { session: items }), projection, items };
}
