import type Anthropic from "@anthropic-ai/sdk";
import type { JsonObject } from "@threadfold/core";
import {
  type ContextSession,
  type FrameFields,
  type ModelResponse,
  type PreparedRequest,
  stopReasonOf,
} from "@threadfold/session";
import { checkLoop, hostFrame, noAnswer, payloadOf } from "../mirror/ask-model.ts";
import { currentSession } from "../mirror/divergence.ts";
import { recallTools } from "../mirror/recall-tools.ts";
import {
  isSettled,
  type RequestNotes,
  readOnce,
  reportOf,
  SessionTurn,
  type SessionTurnOptions,
} from "../mirror/session-turn.ts";

/** A stream of the Anthropic SDK's client. */
type MessageStream = ReturnType<Anthropic["messages"]["stream"]>;

/** Options of {@link anthropicTurn}. Every request field but the messages is the host's to set. */
export interface AnthropicTurnOptions
  extends SessionTurnOptions,
    Omit<Anthropic.MessageCreateParamsNonStreaming, "messages" | "stream"> {
  /** The host's own client, with its retries. */
  readonly client: Anthropic;
  /** Called with each stream before it is read to its end. Without it answers are not streamed. */
  readonly onStream?: (stream: MessageStream) => void;
}

/** The model's answer: the SDK's message and what the host must do with it. */
export interface AnthropicAnswer extends RequestNotes {
  /** The message as the SDK returned it; the newest one when the model was asked again after using a recall tool. */
  readonly message: Anthropic.Message;
  /** The calls to run, without those that the output limit cut off and those of `threadfoldTools`. */
  readonly calls: readonly Anthropic.ToolUseBlock[];
  /**
   * True when `step` must be called again: the answer was cut off and the next request will be shorter, the model is not
   * done reading, or it paused in a long turn with tools that run at Anthropic (`pause_turn`).
   */
  readonly retry: boolean;
}

/** A loop over the Anthropic SDK in which a session makes the requests. */
export interface AnthropicTurn {
  /** Appends a user message, or tool results (as the content of a user message), and asks the model. */
  send(message: string | Anthropic.MessageParam, options?: { readonly signal?: AbortSignal }): Promise<AnthropicAnswer>;
  /** Asks the model without adding a message. */
  step(options?: { readonly signal?: AbortSignal }): Promise<AnthropicAnswer>;
}

/**
 * Creates a loop over the Anthropic SDK: messages go into the session's thread, the session makes the request and folds
 * when that is due, and the answer is appended to the thread. A request that is refused as too long is folded and sent
 * once more. `system` and `tools`, when given here, take precedence over those of the session's own frame, field by
 * field. Calls of `threadfoldTools` are answered here; when the model called nothing else, it is asked again at once.
 * `cache_control` is left out of requests in which the session has marked the end, or all that may be marked. With
 * `providerCompaction` the `anthropic-beta` header lists the betas of the request, replacing any `anthropic-beta`
 * header that the client sets.
 */
export function anthropicTurn({ session, clock, client, onStream, ...request }: AnthropicTurnOptions): AnthropicTurn {
  checkLoop({ session, client }, "anthropic-messages", onStream === undefined ? "messages.create" : "messages.stream");
  const { system, tools, cache_control: automatic, ...settings } = request;
  const door = {
    format: "anthropic-messages" as const,
    model: request.model,
    frame: { ...hostFrame("anthropic-messages", { system, tools }), ...hostOf(session, request.thinking) },
    read: (answer: Anthropic.Message) => fromAnthropic(answer),
    ask(payload: JsonObject, signal: AbortSignal | undefined, betas: readonly string[]): Promise<Anthropic.Message> {
      const conversation = toAnthropicRequest({ format: session.format.id, payload });
      const mark = automatic !== undefined && hasPlaceForMark(conversation) ? { cache_control: automatic } : {};
      const body = { ...settings, ...mark, ...conversation };
      const options = {
        ...(signal !== undefined && { signal }),
        ...(betas.length > 0 && { headers: { "anthropic-beta": betas.join(",") } }),
      };
      if (onStream === undefined) return client.messages.create(body, options);
      const stream = client.messages.stream(body, options);
      onStream(stream);
      return stream.finalMessage();
    },
  };
  const turn = new SessionTurn(door, { session, ...(clock !== undefined && { clock }) });
  const step: AnthropicTurn["step"] = async ({ signal } = {}) => {
    const { answer, settled, retry, ...notes } = await turn.step(signal);
    const calls = answer.content
      .filter((block) => block.type === "tool_use")
      .filter(({ id }) => !isSettled(id, settled));
    const isPaused = answer.stop_reason === "pause_turn" && calls.length === 0;
    return { message: answer, calls, retry: retry || isPaused, ...notes };
  };
  return {
    step,
    async send(message, options) {
      await turn.tell([typeof message === "string" ? { role: "user", content: message } : message]);
      return step(options);
    },
  };
}

const MOST_MARKS = 4;

/**
 * Checks whether the API may mark the end of a request itself, as a host asks with `cache_control`: that mark counts as
 * one of four, and is not needed when the session has marked the end.
 */
function hasPlaceForMark({ system, tools = [], messages }: AnthropicConversation): boolean {
  const blocks = messages.flatMap(({ content }) => (typeof content === "string" ? [] : content));
  const before = [...tools, ...(typeof system === "object" ? system : [])];
  const marked = [...before, ...blocks].filter((one) => "cache_control" in one && one.cache_control);
  return marked.length < MOST_MARKS && (blocks.length === 0 || marked.at(-1) !== blocks.at(-1));
}

/** Thinking with a budget restricts what a fold may remove from the open tool loop, whatever the model's name. */
const hostOf = ({ frame: { host } }: ContextSession, thinking: AnthropicTurnOptions["thinking"]): FrameFields =>
  thinking === undefined ? {} : { host: { ...host, thinking: { ...thinking } } };

/** The part of a Messages request that the session makes; the host adds the model, `max_tokens` and its settings. */
export type AnthropicConversation = Pick<Anthropic.MessageCreateParams, "messages" | "system" | "tools">;

/**
 * Returns a prepared request as the SDK's own parameters.
 *
 * @throws ThreadfoldError `INVALID_CONFIG` when the session makes requests in another format.
 */
export const toAnthropicRequest = (prepared: Pick<PreparedRequest, "format" | "payload">): AnthropicConversation =>
  payloadOf(prepared, "anthropic-messages") as unknown as AnthropicConversation;

/**
 * Converts a message of the SDK, whether complete or assembled from a stream, to a response for
 * `ContextSession.complete`: with its thinking blocks and their signatures, its usage, and its stop reason. The
 * message's id becomes the id in the thread; a message without an id gets a new one with each conversion, so convert it
 * once.
 *
 * @throws ThreadfoldError `INVALID_MESSAGE` for a value that is not a message.
 */
export function fromAnthropic(message: Anthropic.Message | Anthropic.Beta.BetaMessage): ModelResponse {
  if (!Array.isArray(Object(message).content)) throw noAnswer(message, "a message of Anthropic", "content");
  const messages = readOnce("anthropic-messages", [message]);
  return { messages, ...reportOf(messages[0]?.usage), stopReason: stopReasonOf(message.stop_reason) };
}

/** A tool of the Messages API with the function that runs it, as in the SDK's own runnable tools. */
export interface ThreadfoldTool extends Anthropic.Tool {
  readonly run: (input: unknown) => Promise<string>;
}

/**
 * Returns `read_artifact` and `search_thread` as tools of the Messages API, with which the model can read what is
 * folded. Spread them into `tools`. `anthropicTurn` answers their calls; a loop of your own runs them with `run`. When
 * nothing is found, the model is told so in text; a call fails only when the store does.
 */
export const threadfoldTools = (session: ContextSession): ThreadfoldTool[] =>
  recallTools(() => currentSession(session)).map(({ name, description, inputSchema, run }) => ({
    name,
    description,
    input_schema: { ...inputSchema, type: "object" },
    run,
  }));
