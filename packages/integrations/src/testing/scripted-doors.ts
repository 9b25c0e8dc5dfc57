import Anthropic from "@anthropic-ai/sdk";
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
import type { FormatId } from "@threadfold/renderer";
import type { ContextSession } from "@threadfold/session";
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
import OpenAI from "openai";
import * as aiSdk from "../ai-sdk/index.ts";
import * as anthropic from "../anthropic/index.ts";
import * as langchain from "../langchain/index.ts";
import * as mastra from "../mastra/index.ts";
import type { RequestNotes } from "../mirror/session-turn.ts";
import * as openai from "../openai/index.ts";
import * as agents from "../openai-agents/index.ts";
import { scriptedFetch } from "./scripted-fetch.ts";

/** A call that a scripted model makes. */
export interface ScriptedCall {
  readonly id: string;
  readonly name: string;
  readonly input: Readonly<Record<string, string>>;
}

/** What a model answers to one request: calls, or a text. */
export type ScriptedTurn = readonly ScriptedCall[] | string;

/** What a host asks of a door: beside the question everything that the host has of its own. */
export interface DoorCall {
  readonly question: string;
  /** What the model answers, request after request. */
  readonly turns: readonly ScriptedTurn[];
  /** The host's own system text and tools, where it gives any. */
  readonly system?: string;
  readonly tools?: readonly ToolDefinition[];
  /** True to offer `threadfoldTools` as the host's example does. */
  readonly recall?: boolean;
  /** Takes what the host hears of each request. */
  readonly heard?: RequestNotes[];
}

/** A request as the provider got it: as text, and its system text. */
export interface SentRequest {
  readonly text: string;
  readonly system: string;
}

/** A door to a host, run through the host's own SDK with a model that answers from a script. */
export interface ScriptedDoor {
  readonly name: string;
  readonly format: FormatId;
  /** False where the API has no place for system text beside the conversation. */
  readonly hasSystem: boolean;
  ask(session: ContextSession, call: DoorCall): Promise<readonly SentRequest[]>;
}

const usage = { input_tokens: 40, output_tokens: 5 };
const modelUsage = {
  inputTokens: { total: 40, noCache: 40, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 5, text: 5, reasoning: 0 },
};
const RESULT = "run by the host";

const anthropicDoor: ScriptedDoor = {
  name: "anthropicTurn",
  format: "anthropic-messages",
  hasSystem: true,
  async ask(session, { question, turns, system, tools, recall, heard }) {
    const { fetch, bodies } = scriptedFetch(
      turns.map((turn, index) => ({
        body: {
          ...{ id: `msg_${index}`, type: "message", role: "assistant", model: "m", stop_sequence: null, usage },
          stop_reason: typeof turn === "string" ? "end_turn" : "tool_use",
          content:
            typeof turn === "string"
              ? [{ type: "text", text: turn }]
              : turn.map((call) => ({ type: "tool_use", ...call })),
        },
      })),
    );
    const own = tools?.map(({ name, inputSchema }) => ({
      name,
      input_schema: { ...inputSchema, type: "object" as const },
    }));
    const turn = anthropic.anthropicTurn({
      ...{ session, client: new Anthropic({ apiKey: "test", fetch, maxRetries: 0 }), model: "m", max_tokens: 100 },
      ...(system !== undefined && { system }),
      ...((own !== undefined || recall === true) && {
        tools: [...(own ?? []), ...(recall === true ? anthropic.threadfoldTools(session) : [])],
      }),
    });
    const first = await turn.send(question);
    heard?.push(first);
    let { calls } = first;
    while (calls.length > 0) {
      const content = calls.map(({ id }) => ({ type: "tool_result" as const, tool_use_id: id, content: RESULT }));
      ({ calls } = await turn.send({ role: "user", content }));
    }
    return bodies.map((body) => ({ text: JSON.stringify(body), system: joined(body["system"]) }));
  },
};

const chatDoor: ScriptedDoor = {
  name: "openaiChatTurn",
  format: "openai-chat",
  hasSystem: false,
  async ask(session, { question, turns, tools, recall, heard }) {
    const { fetch, bodies } = scriptedFetch(
      turns.map((turn, index) => {
        const message =
          typeof turn === "string" ? { content: turn } : { content: null, tool_calls: turn.map(chatCall) };
        const finish_reason = typeof turn === "string" ? "stop" : "tool_calls";
        const choices = [{ index: 0, message: { role: "assistant", ...message }, finish_reason, logprobs: null }];
        return { body: { id: `c_${index}`, object: "chat.completion", created: 1, model: "m", choices } };
      }),
    );
    const own = tools?.map(({ name, inputSchema }) => ({
      ...{ type: "function" as const, function: { name, parameters: { ...inputSchema } } },
    }));
    const turn = openai.openaiChatTurn({
      ...{ session, client: new OpenAI({ apiKey: "test", fetch, maxRetries: 0 }), model: "m" },
      ...((own !== undefined || recall === true) && {
        tools: [...(own ?? []), ...(recall === true ? openai.threadfoldChatTools(session) : [])],
      }),
    });
    const first = await turn.send(question);
    heard?.push(first);
    let { calls } = first;
    while (calls.length > 0)
      ({ calls } = await turn.send(calls.map(({ id }) => ({ role: "tool", tool_call_id: id, content: RESULT }))));
    return bodies.map((body) => {
      const messages = body["messages"] as readonly { readonly role: string; readonly content: unknown }[];
      return { text: JSON.stringify(body), system: joined(messages.filter(({ role }) => role === "system")) };
    });
  },
};

const chatCall = ({ id, name, input }: ScriptedCall) => ({
  ...{ id, type: "function", function: { name, arguments: JSON.stringify(input) } },
});

const responsesDoor: ScriptedDoor = {
  name: "openaiResponsesTurn",
  format: "openai-responses",
  hasSystem: true,
  async ask(session, { question, turns, system, tools, recall, heard }) {
    const { fetch, bodies } = scriptedFetch(
      turns.map((turn, index) => {
        const output =
          typeof turn === "string"
            ? [{ type: "message", id: `m_${index}`, role: "assistant", content: [{ type: "output_text", text: turn }] }]
            : turn.map(({ id, name, input }) => ({
                ...{ type: "function_call", id: `fc_${id}`, call_id: id, name, arguments: JSON.stringify(input) },
              }));
        return { body: { id: `resp_${index}`, object: "response", status: "completed", error: null, output } };
      }),
    );
    const own = tools?.map(({ name, inputSchema }) => ({
      ...{ type: "function" as const, name, parameters: { ...inputSchema }, strict: false },
    }));
    const turn = openai.openaiResponsesTurn({
      ...{ session, client: new OpenAI({ apiKey: "test", fetch, maxRetries: 0 }), model: "m" },
      ...(system !== undefined && { instructions: system }),
      ...((own !== undefined || recall === true) && {
        tools: [...(own ?? []), ...(recall === true ? openai.threadfoldResponsesTools(session) : [])],
      }),
    });
    const first = await turn.send(question);
    heard?.push(first);
    let { calls } = first;
    while (calls.length > 0)
      ({ calls } = await turn.send(
        calls.map(({ call_id }) => ({ type: "function_call_output" as const, call_id, output: RESULT })),
      ));
    return bodies.map((body) => ({ text: JSON.stringify(body), system: joined(body["instructions"]) }));
  },
};

/** A model of the AI SDK, as Mastra takes it too. */
function scriptedModel(turns: readonly ScriptedTurn[]) {
  let next = 0;
  return new MockLanguageModelV4({
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
  async ask(session, { question, turns, system, tools, recall, heard }) {
    const onRequest = (request: RequestNotes) => void heard?.push(request);
    const model = scriptedModel(turns);
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
  async ask(session, { question, turns, system, tools = [], recall, heard }) {
    const onRequest = (request: RequestNotes) => void heard?.push(request);
    const model = fakeModel();
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
  async ask(session, { question, turns, system, tools = [], recall, heard }) {
    const onRequest = (request: RequestNotes) => void heard?.push(request);
    const projection = new agents.ThreadProjection({ session, onRequest });
    const model = new ScriptedAgentModel(turns);
    const own = tools.map(({ name, inputSchema }): Agent["tools"][number] => ({
      ...{ type: "function", name, description: name, parameters: inputSchema as never, strict: false },
      ...{ invoke: async () => RESULT, needsApproval: async () => false, isEnabled: async () => true },
    }));
    const agent = new Agent({
      name: "agent",
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
  async ask(session, { question, turns, system, tools = [], recall, heard }) {
    const onRequest = (request: RequestNotes) => void heard?.push(request);
    const model = scriptedModel(turns);
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

/** All doors to hosts whose requests a session makes. */
export const SCRIPTED_DOORS: readonly ScriptedDoor[] = [
  ...[anthropicDoor, chatDoor, responsesDoor],
  ...[aiSdkDoor("prepare step"), aiSdkDoor("middleware")],
  ...[langchainDoor, agentsDoor, mastraDoor],
];

/** The text of what SDKs have as a string, as blocks or as messages. */
function joined(value: unknown): string {
  if (typeof value === "string") return value;
  if (Array.isArray(value)) return value.map(joined).filter(Boolean).join("\n\n");
  const { text, content } = (value ?? {}) as { readonly text?: unknown; readonly content?: unknown };
  return value === undefined || value === null ? "" : joined(text ?? content);
}
