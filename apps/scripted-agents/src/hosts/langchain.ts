import { MemorySaver } from "@langchain/langgraph";
import { ChatOpenAI } from "@langchain/openai";
import { threadfoldMiddleware } from "@threadfold/integrations/langchain";
import { createAgent, HumanMessage, modelRetryMiddleware, tool } from "langchain";
import { openaiChatProtocol } from "../provider/protocols/openai-chat.ts";
import { toolResult } from "../script/scripted-agent.ts";
import { SCRIPTED_TOOLS, SYSTEM_TEXT } from "../script/scripted-tools.ts";
import type { HostAgent } from "./host-agent.ts";

/** Steps of LangGraph that one turn of the user may take; every model call and every batch of tools is one. */
const RECURSION_LIMIT = 200;

/** LangChain's clients give up at the first 429 that does not say how long to wait; its middleware for retries need not. */
const retries = modelRetryMiddleware({
  retryOn: (error) => isBusy((error as { readonly status?: number }).status),
  onFailure: "error",
  initialDelayMs: 1,
});

/** True as well for a connection that broke, which has no status. */
const isBusy = (status = 500): boolean => status === 429 || status >= 500;

/** LangChain's `createAgent` on LangGraph, with a checkpointer that keeps the whole state. */
export const langchain: HostAgent = {
  id: "langchain",
  protocol: openaiChatProtocol,
  async run({ url, session, userMessages }) {
    const agent = createAgent({
      model: new ChatOpenAI({
        model: "gpt-scripted",
        apiKey: "none",
        maxRetries: 0,
        useResponsesApi: false,
        configuration: { baseURL: `${url}/v1` },
      }),
      systemPrompt: SYSTEM_TEXT,
      tools: SCRIPTED_TOOLS.map(({ name, description = "", inputSchema }) =>
        tool((input) => toolResult({ name, input: input as never }), {
          name,
          description,
          schema: inputSchema as never,
        }),
      ),
      middleware: [threadfoldMiddleware({ session }), retries],
      checkpointer: new MemorySaver(),
    });
    const config = { configurable: { thread_id: session.threadId }, recursionLimit: RECURSION_LIMIT };
    for (const text of userMessages) await agent.invoke({ messages: [new HumanMessage(text)] }, config);
  },
};
