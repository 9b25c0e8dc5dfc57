import { Agent, OpenAIProvider, Runner, tool } from "@openai/agents";
import { ThreadProjection, ThreadSession } from "@threadfold/integrations/openai-agents";
import OpenAI from "openai";
import { asThreadId } from "threadfold";
import { openaiResponsesProtocol } from "../provider/protocols/openai-responses.ts";
import { toolResult } from "../script/scripted-agent.ts";
import { SCRIPTED_TOOLS, SYSTEM_TEXT } from "../script/scripted-tools.ts";
import type { HostAgent } from "./host-agent.ts";

/** The Agents SDK with its own runner; the items of the conversation are in a thread of their own. */
export const openaiAgents: HostAgent = {
  id: "openai-agents",
  protocol: openaiResponsesProtocol,
  async run({ url, session, userMessages }) {
    const openAIClient = new OpenAI({ apiKey: "none", baseURL: `${url}/v1`, maxRetries: 3 });
    const projection = new ThreadProjection({ session });
    const runner = new Runner({
      callModelInputFilter: projection.callModelInputFilter,
      modelProvider: projection.modelProvider(new OpenAIProvider({ openAIClient })),
      tracingDisabled: true,
    });
    const agent = new Agent({
      name: "engineer",
      instructions: SYSTEM_TEXT,
      model: "gpt-scripted",
      modelSettings: { store: false },
      tools: SCRIPTED_TOOLS.map(({ name, description = "", inputSchema }) =>
        tool({
          name,
          description,
          parameters: inputSchema as never,
          strict: false,
          execute: (input) => toolResult({ name, input: input as never }),
        }),
      ),
    });
    const threadId = asThreadId(`${session.threadId}-items`);
    const items = new ThreadSession({ threadId, threads: session.store.threads });
    for (const text of userMessages) await runner.run(agent, text, { session: items, maxTurns: 50 });
  },
};
