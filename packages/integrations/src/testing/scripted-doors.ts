import { type AgentConfig, Agent as MastraAgent } from "@mastra/core/agent";
import {
  Agent,
  type Model,
  type ModelRequest,
  type ModelResponse,
  Runner,
  type StreamEvent,
  Usage,
} from "@openai/agents";
import type { ToolDefinition } from "@threadfold/core";
import { tool as aiTool, generateText, isStepCount, jsonSchema, type ToolSet, wrapLanguageModel } from "ai";
import { MockLanguageModelV4 } from "ai/test";
import {
  AIMessage,
  type BaseMessage,
  tool as chainTool,
  createAgent,
  fakeModel,
  HumanMessage,
  SystemMessage,
} from "langchain";
import * as aiSdk from "../ai-sdk/index.ts";
import * as langchain from "../langchain/index.ts";
import * as mastra from "../mastra/index.ts";
import type { RequestNotes } from "../mirror/session-turn.ts";
import * as agents from "../openai-agents/index.ts";
import {
  anthropicDoor,
  chatDoor,
  joined,
  RESULT,
  responsesDoor,
  type ScriptedDoor,
  type ScriptedTurn,
  type SentRequest,
} from "./provider-doors.ts";

const modelUsage = {
  inputTokens: { total: 40, noCache: 40, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 5, text: 5, reasoning: 0 },
};

/** An AI SDK model, which Mastra accepts as well. */
function scriptedModel(turns: readonly ScriptedTurn[], modelId: string) {
  let next = 0;
  return new MockLanguageModelV4({
    modelId,
    doGenerate: async () => {
      const turn = turns[next++] ?? "Done.";
      const isText = typeof turn === "string";
      return {
        content: isText
          ? [{ type: "text", text: turn }]
          : turn.map(({ id, name, input }) => ({
              ...{ type: "tool-call" as const, toolCallId: id, toolName: name, input: JSON.stringify(input) },
            })),
        finishReason: { unified: isText ? "stop" : "tool-calls", raw: undefined },
        usage: modelUsage,
        warnings: [],
      };
    },
  });
}

const sentTo = (model: MockLanguageModelV4): readonly SentRequest[] =>
  model.doGenerateCalls.map(({ prompt, tools }) => ({
    text: JSON.stringify({ prompt, tools }),
    system: joined(prompt.filter(({ role }) => role === "system")),
  }));

const aiTools = (tools: readonly ToolDefinition[]): ToolSet =>
  Object.fromEntries(
    tools.map(({ name, inputSchema }) => [
      name,
      aiTool({ inputSchema: jsonSchema(inputSchema), execute: () => RESULT }),
    ]),
  );

const aiSdkDoor = (way: "prepare step" | "middleware"): ScriptedDoor => ({
  name: `AI SDK, ${way}`,
  format: "ai-sdk",
  hasSystem: true,
  async ask(session, { question, turns, system, tools, recall, heard, model: name = "m" }) {
    const onRequest = (request: RequestNotes) => void heard?.push(request);
    const model = scriptedModel(turns, name);
    const offered = { ...aiTools(tools ?? []), ...(recall === true && aiSdk.threadfoldTools(session)) };
    const call = {
      ...{ prompt: question, maxRetries: 0, stopWhen: isStepCount(9), tools: offered },
      ...(system !== undefined && { instructions: system }),
    };
    if (way === "middleware")
      await generateText({
        ...call,
        model: wrapLanguageModel({ model, middleware: aiSdk.compactionMiddleware({ session, onRequest }) }),
      });
    else {
      const prepareStep = aiSdk.createPrepareStep({
        session,
        onRequest,
        ...(tools !== undefined && { tools: offered }),
      });
      await generateText({ ...call, model, prepareStep, onEnd: aiSdk.createOnEnd({ session }) });
    }
    return sentTo(model);
  },
});

const langchainDoor: ScriptedDoor = {
  name: "LangChain",
  format: "ai-sdk",
  hasSystem: true,
  async ask(session, { question, turns, system, tools = [], recall, heard, model: name = "m" }) {
    const onRequest = (request: RequestNotes) => void heard?.push(request);
    const model = Object.assign(fakeModel(), { model: name });
    for (const turn of turns)
      model.respond(
        typeof turn === "string"
          ? new AIMessage(turn)
          : new AIMessage({ content: "", tool_calls: turn.map(({ id, name, input }) => ({ id, name, args: input })) }),
      );
    const own = tools.map(({ name, inputSchema }) =>
      chainTool(() => RESULT, { name, description: name, schema: inputSchema }),
    );
    const threadfold = langchain.threadfoldMiddleware({ session, onRequest });
    const agent = createAgent({
      ...{ model, middleware: [threadfold] },
      tools: [...own, ...(recall === true ? langchain.threadfoldTools(threadfold) : [])],
      ...(system !== undefined && { systemPrompt: system }),
    });
    await agent.invoke({ messages: [new HumanMessage(question)] });
    return model.calls.map(({ messages }) => ({ text: JSON.stringify(messages), system: systemOf(messages) }));
  },
};

const systemOf = (messages: readonly BaseMessage[]): string =>
  messages
    .filter((message) => SystemMessage.isInstance(message))
    .map(({ text }) => text)
    .join("\n\n");

const agentsDoor: ScriptedDoor = {
  name: "OpenAI Agents",
  format: "openai-responses",
  hasSystem: true,
  async ask(session, { question, turns, system, tools = [], recall, heard, model: name = "m" }) {
    const onRequest = (request: RequestNotes) => void heard?.push(request);
    const projection = new agents.ThreadProjection({ session, onRequest });
    const model = new ScriptedAgentModel(turns);
    const own = tools.map(({ name, inputSchema }): Agent["tools"][number] => ({
      ...{ type: "function", name, description: name, parameters: inputSchema as never, strict: false },
      ...{ invoke: async () => RESULT, needsApproval: async () => false, isEnabled: async () => true },
    }));
    const agent = new Agent({
      ...{ name: "agent", model: name },
      ...(system !== undefined && { instructions: system }),
      tools: [...own, ...(recall === true ? agents.threadfoldTools(projection) : [])],
    });
    const runner = new Runner({
      callModelInputFilter: projection.callModelInputFilter,
      modelProvider: projection.modelProvider({ getModel: () => model }),
      tracingDisabled: true,
    });
    await runner.run(agent, question);
    return model.requests.map(({ input, systemInstructions, tools: sent }) => ({
      text: JSON.stringify({ input, sent }),
      system: systemInstructions ?? "",
    }));
  },
};

class ScriptedAgentModel implements Model {
  readonly requests: ModelRequest[] = [];
  readonly #turns: ScriptedTurn[];

  constructor(turns: readonly ScriptedTurn[]) {
    this.#turns = [...turns];
  }

  async getResponse(request: ModelRequest): Promise<ModelResponse> {
    this.requests.push(request);
    const turn = this.#turns.shift() ?? "Done.";
    const output: ModelResponse["output"] =
      typeof turn === "string"
        ? [{ type: "message", role: "assistant", status: "completed", content: [{ type: "output_text", text: turn }] }]
        : turn.map(({ id, name, input }) => ({
            ...{ type: "function_call", callId: id, name, arguments: JSON.stringify(input), status: "completed" },
          }));
    return { output, usage: new Usage({ requests: 1, inputTokens: 40, outputTokens: 5, totalTokens: 45 }) };
  }

  // biome-ignore lint/correctness/useYield: nothing here streams.
  async *getStreamedResponse(): AsyncIterable<StreamEvent> {
    throw new Error("It answers at once.");
  }
}

const mastraDoor: ScriptedDoor = {
  name: "Mastra",
  format: "ai-sdk",
  hasSystem: true,
  async ask(session, { question, turns, system, tools = [], recall, heard, model: name = "m" }) {
    const onRequest = (request: RequestNotes) => void heard?.push(request);
    const model = scriptedModel(turns, name);
    const threadfold = new mastra.ThreadfoldProcessor({ session, onRequest });
    const agent = new MastraAgent({
      ...{ id: "agent", name: "agent", instructions: system ?? "" },
      model: model as unknown as AgentConfig["model"],
      tools: { ...aiTools(tools), ...(recall === true && mastra.threadfoldTools(threadfold)) },
      ...{ inputProcessors: [threadfold], errorProcessors: [threadfold], maxRetries: 0 },
    });
    await agent.generate(question, { maxSteps: 9 });
    return sentTo(model);
  },
};

/** All integrations in which a session makes the host's requests. */
export const SCRIPTED_DOORS: readonly ScriptedDoor[] = [
  ...[anthropicDoor, chatDoor, responsesDoor],
  ...[aiSdkDoor("prepare step"), aiSdkDoor("middleware")],
  ...[langchainDoor, agentsDoor, mastraDoor],
];
