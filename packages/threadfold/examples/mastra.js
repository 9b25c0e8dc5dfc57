// npm install threadfold @threadfold/integrations @mastra/core @ai-sdk/anthropic
// node mastra.js
import { anthropic } from "@ai-sdk/anthropic";
import { Agent } from "@mastra/core/agent";
import { RequestContext } from "@mastra/core/request-context";
import { ThreadfoldProcessor, threadfoldTools } from "@threadfold/integrations/mastra";
import { ContextSession, formatById, openStore } from "threadfold";

const store = await openStore("mastra.db");
const threadfold = new ThreadfoldProcessor({
  open: (threadId) =>
    ContextSession.open({ threadId, store, format: formatById("ai-sdk"), config: { maxInputTokens: 100_000 } }),
});
const agent = new Agent({
  id: "engineer",
  name: "engineer",
  instructions: "You are careful.",
  model: anthropic("claude-haiku-4-5"),
  tools: threadfoldTools(threadfold), // and your own
  inputProcessors: [threadfold],
  errorProcessors: [threadfold],
});
const requestContext = new RequestContext([["mastra__threadId", "review"]]);
const { text } = await agent.generate("Is all in order?", { requestContext });
console.log(text);
await store.close();
