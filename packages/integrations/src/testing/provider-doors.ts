import Anthropic from "@anthropic-ai/sdk";
import type { ToolDefinition } from "@threadfold/core";
import type { FormatId } from "@threadfold/renderer";
import type { ContextSession } from "@threadfold/session";
import OpenAI from "openai";
import * as anthropic from "../anthropic/index.ts";
import type { RequestNotes } from "../mirror/session-turn.ts";
import * as openai from "../openai/index.ts";
import { scriptedFetch } from "./doubles.ts";

/** A call that a scripted model makes. */
interface ScriptedCall {
  readonly id: string;
  readonly name: string;
  readonly input: Readonly<Record<string, string>>;
}

/** A model's answer to one request: calls, or a text. */
export type ScriptedTurn = readonly ScriptedCall[] | string;

/** A question that a host asks through an integration, with the host's own settings. */
interface DoorCall {
  readonly question: string;
  /** Name of the model; `m` by default. */
  readonly model?: string;
  /** The model's answers, one per request. */
  readonly turns: readonly ScriptedTurn[];
  /** The host's own system text and tools, if it has any. */
  readonly system?: string;
  readonly tools?: readonly ToolDefinition[];
  /** True to offer `threadfoldTools`, as in the host's example. */
  readonly recall?: boolean;
  /** Collects what the host is told about each request. */
  readonly heard?: RequestNotes[];
}

/** A request as the provider received it: the whole as text, and its system text. */
export interface SentRequest {
  readonly text: string;
  readonly system: string;
}

/** An integration, run through the host's own SDK with a model that answers from a script. */
export interface ScriptedDoor {
  readonly name: string;
  readonly format: FormatId;
  /** False when the API has no place for system text outside the conversation. */
  readonly hasSystem: boolean;
  ask(session: ContextSession, call: DoorCall): Promise<readonly SentRequest[]>;
}

const usage = { input_tokens: 40, output_tokens: 5 };
/** The result of every tool that the host runs. */
export const RESULT = "run by the host";

/** The loop over the Anthropic SDK. */
export const anthropicDoor: ScriptedDoor = {
  name: "anthropicTurn",
  format: "anthropic-messages",
  hasSystem: true,
  async ask(session, { question, turns, system, tools, recall, heard, model = "m" }) {
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
      ...{ session, client: new Anthropic({ apiKey: "test", fetch, maxRetries: 0 }), model, max_tokens: 100 },
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

/** The loop over the OpenAI SDK's Chat Completions. */
export const chatDoor: ScriptedDoor = {
  name: "openaiChatTurn",
  format: "openai-chat",
  hasSystem: false,
  async ask(session, { question, turns, tools, recall, heard, model = "m" }) {
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
      ...{ session, client: new OpenAI({ apiKey: "test", fetch, maxRetries: 0 }), model },
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

/** The loop over the OpenAI SDK's Responses. */
export const responsesDoor: ScriptedDoor = {
  name: "openaiResponsesTurn",
  format: "openai-responses",
  hasSystem: true,
  async ask(session, { question, turns, system, tools, recall, heard, model = "m" }) {
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
      ...{ session, client: new OpenAI({ apiKey: "test", fetch, maxRetries: 0 }), model },
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

/** Joins text that SDKs represent as a string, as blocks or as messages. */
export function joined(value: unknown): string {
  if (typeof value === "string") return value;
  if (Array.isArray(value)) return value.map(joined).filter(Boolean).join("\n\n");
  const { text, content } = (value ?? {}) as { readonly text?: unknown; readonly content?: unknown };
  return value === undefined || value === null ? "" : joined(text ?? content);
}
