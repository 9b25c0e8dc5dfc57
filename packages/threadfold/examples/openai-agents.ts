// npm install threadfold @threadfold/integrations @openai/agents openai zod
// node openai-agents.ts
import { Agent, OpenAIProvider, Runner } from "@openai/agents";
import { ThreadProjection, ThreadSession, threadfoldTools } from "@threadfold/integrations/openai-agents";
import { asThreadId, ContextSession, formatById, openStore } from "threadfold";

const store = await openStore("openai-agents.db");
const session = await ContextSession.open({
  threadId: "review",
  store,
  format: formatById("openai-responses"),
  config: { maxInputTokens: 100_000 },
});
const projection = new ThreadProjection({ session });
const runner = new Runner({
  callModelInputFilter: projection.callModelInputFilter,
  modelProvider: projection.modelProvider(new OpenAIProvider()),
  tracingDisabled: true,
});
const tools = threadfoldTools(projection); // and your own
const agent = new Agent({ name: "engineer", instructions: "You are careful.", model: "gpt-5", tools });
const items = new ThreadSession({ threadId: asThreadId("review-items"), threads: store.threads });
const { finalOutput } = await runner.run(agent, "Is all in order?", { session: items });
console.log(finalOutput);
await store.close();
