import { createOpenAI } from "@ai-sdk/openai";
import { Agent, type AgentConfig, type MastraDBMessage } from "@mastra/core/agent";
import { createTool } from "@mastra/core/tools";
import { ThreadfoldProcessor } from "@threadfold/integrations/mastra";
import { z } from "zod";
import { openaiChatProtocol } from "../provider/protocols/openai-chat.ts";
import { toolResult } from "../script/scripted-agent.ts";
import { SCRIPTED_TOOLS, SYSTEM_TEXT } from "../script/scripted-tools.ts";
import type { HostAgent } from "./host-agent.ts";

/** Model calls that one turn of the user may take. */
const MAX_STEPS = 50;

/** A Mastra agent over a model of the AI SDK. Its messages are handed on from turn to turn, as without its memory. */
export const mastra: HostAgent = {
  id: "mastra",
  protocol: openaiChatProtocol,
  format: "ai-sdk",
  async run({ url, session, userMessages }) {
    const threadfold = new ThreadfoldProcessor({ session, tools: SCRIPTED_TOOLS });
    const agent = new Agent({
      id: "engineer",
      name: "engineer",
      instructions: SYSTEM_TEXT,
      maxRetries: 3,
      model: asModel(createOpenAI({ apiKey: "none", baseURL: `${url}/v1` }).chat("gpt-scripted")),
      tools: Object.fromEntries(SCRIPTED_TOOLS.map((tool) => [tool.name, scripted(tool)])),
      inputProcessors: [threadfold],
      errorProcessors: [threadfold],
    });
    const history: MastraDBMessage[] = [];
    for (const text of userMessages) {
      // Mastra ends a run at an answer that the output limit cut off, and joins what is answered to an answer with it.
      for (let next: string | undefined = text; next !== undefined; ) {
        history.push(said(`user-${history.length}`, next));
        const { response, finishReason } = await agent.generate(history, { maxSteps: MAX_STEPS });
        history.push(...(response.dbMessages ?? []));
        next = finishReason === "length" ? "Go on." : undefined;
      }
    }
  },
};

/** Mastra takes models of the AI SDK and has types of its own for them, whose `doGenerate` is one that it makes itself. */
const asModel = (model: ReturnType<ReturnType<typeof createOpenAI>["chat"]>) =>
  model as unknown as AgentConfig["model"];

const said = (id: string, text: string): MastraDBMessage => ({
  id,
  role: "user",
  createdAt: new Date(),
  content: { format: 2, parts: [{ type: "text", text }] },
});

const scripted = ({ name, description = "", inputSchema }: (typeof SCRIPTED_TOOLS)[number]) =>
  createTool({
    id: name,
    description,
    inputSchema: z.fromJSONSchema(inputSchema as never),
    execute: async (input) => toolResult({ name, input: input as never }),
  });
