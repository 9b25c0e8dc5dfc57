import { createOpenAI } from "@ai-sdk/openai";
import { MemorySaver } from "@langchain/langgraph";
import { ChatOpenAI } from "@langchain/openai";
import { Agent, type AgentConfig, type MastraDBMessage } from "@mastra/core/agent";
import { createTool } from "@mastra/core/tools";
import { threadfoldMiddleware } from "@threadfold/integrations/langchain";
import { ThreadfoldProcessor } from "@threadfold/integrations/mastra";
import { createAgent, HumanMessage, modelRetryMiddleware, tool } from "langchain";
import { z } from "zod";
import { SCRIPTED_TOOLS, SYSTEM_TEXT, toolResult } from "../script/scripted-agent.ts";
import type { AgentWorld } from "./host-agent.ts";

/** LangGraph steps that one user turn may take; every model call and every batch of tools is one step. */
const RECURSION_LIMIT = 200;

/** LangChain's clients give up at the first 429 that does not say how long to wait; its retry middleware does not. */
const retries = modelRetryMiddleware({
  retryOn: (error) => isBusy((error as { readonly status?: number }).status),
  onFailure: "error",
  initialDelayMs: 1,
});

/** Also true for a broken connection, which has no status. */
const isBusy = (status = 500): boolean => status === 429 || status >= 500;

/** LangChain's `createAgent` on LangGraph, with a checkpointer that keeps the whole state. */
export async function langchain({ url, model, session, userMessages }: AgentWorld): Promise<void> {
  const agent = createAgent({
    model: new ChatOpenAI({
      model,
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
}

/** Model calls that one user turn may take. */
const MAX_STEPS = 50;

/** A Mastra agent over an AI SDK model. Its messages are passed from turn to turn, as in an agent without memory. */
export async function mastra({ url, model, session, userMessages }: AgentWorld): Promise<void> {
  const threadfold = new ThreadfoldProcessor({ session, tools: SCRIPTED_TOOLS });
  const agent = new Agent({
    id: "engineer",
    name: "engineer",
    instructions: SYSTEM_TEXT,
    maxRetries: 3,
    model: asModel(createOpenAI({ apiKey: "none", baseURL: `${url}/v1` }).chat(model)),
    tools: Object.fromEntries(SCRIPTED_TOOLS.map((tool) => [tool.name, mastraTool(tool)])),
    inputProcessors: [threadfold],
    errorProcessors: [threadfold],
  });
  const history: MastraDBMessage[] = [];
  for (const text of userMessages) {
    // Mastra ends a run at an answer cut off by the output limit, and merges the answer that follows with it.
    for (let next: string | undefined = text; next !== undefined; ) {
      history.push(said(`user-${history.length}`, next));
      const { response, finishReason } = await agent.generate(history, { maxSteps: MAX_STEPS });
      history.push(...(response.dbMessages ?? []));
      next = finishReason === "length" ? "Go on." : undefined;
    }
  }
}

/** Mastra accepts AI SDK models but has its own types for them, with a `doGenerate` that it makes itself. */
const asModel = (model: ReturnType<ReturnType<typeof createOpenAI>["chat"]>) =>
  model as unknown as AgentConfig["model"];

const said = (id: string, text: string): MastraDBMessage => ({
  id,
  role: "user",
  createdAt: new Date(),
  content: { format: 2, parts: [{ type: "text", text }] },
});

const mastraTool = ({ name, description = "", inputSchema }: (typeof SCRIPTED_TOOLS)[number]) =>
  createTool({
    id: name,
    description,
    inputSchema: z.fromJSONSchema(inputSchema as never),
    execute: async (input) => toolResult({ name, input: input as never }),
  });
