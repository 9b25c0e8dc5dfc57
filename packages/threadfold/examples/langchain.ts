// npm install threadfold @threadfold/integrations langchain @langchain/core @langchain/langgraph @langchain/openai
// node langchain.ts
import { MemorySaver } from "@langchain/langgraph";
import { ChatOpenAI } from "@langchain/openai";
import { threadfoldMiddleware, threadfoldTools } from "@threadfold/integrations/langchain";
import { createAgent } from "langchain";
import { ContextSession, openStore } from "threadfold";

const store = await openStore("langchain.db");
const threadfold = threadfoldMiddleware({
  open: (threadId) => ContextSession.open({ threadId, store, config: { maxInputTokens: 100_000 } }),
});
const agent = createAgent({
  model: new ChatOpenAI({ model: "gpt-4.1" }),
  checkpointer: new MemorySaver(),
  tools: [...threadfoldTools(threadfold)], // and your own
  middleware: [threadfold],
});
const run = { configurable: { thread_id: "review" } };
const { messages } = await agent.invoke({ messages: [{ role: "user", content: "Is all in order?" }] }, run);
console.log(messages.at(-1)?.text);
await store.close();
