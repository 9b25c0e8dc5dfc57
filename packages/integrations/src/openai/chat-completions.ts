import type { JsonObject } from "@threadfold/core";
import { liveFrame } from "@threadfold/importers";
import { type ContextSession, type ModelResponse, type PreparedRequest, stopReasonOf } from "@threadfold/session";
import type OpenAI from "openai";
import { modelName, payloadOf } from "../mirror/ask-model.ts";
import { currentSession } from "../mirror/divergence.ts";
import { recallTools } from "../mirror/recall-tools.ts";
import { type RequestNotes, readOnce, reportOf, SessionTurn, type SessionTurnOptions } from "../mirror/session-turn.ts";

type Message = OpenAI.Chat.ChatCompletionMessageParam;
/** A stream of the SDK's client. */
type ChatStream = ReturnType<OpenAI["chat"]["completions"]["stream"]>;

/** What a loop over Chat Completions is made with: everything of a request but its messages stays the host's. */
export interface OpenaiChatTurnOptions
  extends SessionTurnOptions,
    Omit<OpenAI.Chat.ChatCompletionCreateParamsNonStreaming, "messages" | "stream"> {
  /** The host's own client, with its retries. */
  readonly client: OpenAI;
  /** Called with each stream before it is read to its end. Without it answers are waited for at once. */
  readonly onStream?: (stream: ChatStream) => void;
}

/** The model's answer: the SDK's completion and what the host has to do with it. */
export interface OpenaiChatAnswer extends RequestNotes {
  /**
   * The completion as the SDK returned it; the newest one, when the model was asked again after it read what is folded.
   */
  readonly completion: OpenAI.Chat.ChatCompletion;
  /** The calls to run: those that the output limit cut off and those of `threadfoldChatTools` are not among them. */
  readonly calls: readonly OpenAI.Chat.ChatCompletionMessageToolCall[];
  /** True when the answer was cut off and the next request will be shorter, or the model still reads: call `step` again. */
  readonly retry: boolean;
}

/** A loop over Chat Completions in which a session makes the requests. */
export interface OpenaiChatTurn {
  /** Says something, or hands back results of tools (as messages of role tool), and asks the model. */
  send(
    messages: string | Message | readonly Message[],
    options?: { readonly signal?: AbortSignal },
  ): Promise<OpenaiChatAnswer>;
  /** Asks the model without saying anything new. */
  step(options?: { readonly signal?: AbortSignal }): Promise<OpenaiChatAnswer>;
}

/**
 * A loop over the OpenAI SDK's Chat Completions: what is said goes into the session's thread, the session makes the
 * request and folds when that is due, the answer goes into the thread. A request that is refused as too long is folded
 * and sent once more. `tools`, when given here, take precedence over those of the session's own frame; its `system`
 * stays, for this API has no other place for system text than that or a system message that is sent first. Calls of
 * tools from `threadfoldChatTools` are answered here; when the model called nothing else, it is asked again at once.
 */
export function openaiChatTurn({
  session,
  clock,
  client,
  onStream,
  ...request
}: OpenaiChatTurnOptions): OpenaiChatTurn {
  const { tools, ...settings } = request;
  const door = {
    format: "openai-chat" as const,
    model: modelName(settings.model),
    ...(tools !== undefined && { frame: { tools: liveFrame("openai-chat", { tools }).tools } }),
    read: fromOpenaiChat,
    ask(payload: JsonObject, signal: AbortSignal | undefined): Promise<OpenAI.Chat.ChatCompletion> {
      const body = { ...settings, ...toOpenaiChatRequest({ format: session.format.id, payload }) };
      const options = signal === undefined ? {} : { signal };
      if (onStream === undefined) return client.chat.completions.create(body, options);
      // Without being asked, a stream reports no usage.
      const stream = client.chat.completions.stream({ stream_options: { include_usage: true }, ...body }, options);
      onStream(stream);
      return stream.finalChatCompletion();
    },
  };
  const turn = new SessionTurn(door, { session, ...(clock !== undefined && { clock }) });
  const step: OpenaiChatTurn["step"] = async ({ signal } = {}) => {
    const { answer, settled, ...notes } = await turn.step(signal);
    const done: ReadonlySet<string> = settled;
    const calls = (answer.choices[0]?.message.tool_calls ?? []).filter(({ id }) => !done.has(id));
    return { completion: answer, calls, ...notes };
  };
  return {
    step,
    async send(messages, options) {
      await turn.tell(typeof messages === "string" ? [{ role: "user", content: messages }] : [messages].flat());
      return step(options);
    },
  };
}

/**
 * A completion of the SDK, whole or put together from a stream, as `ContextSession.complete` takes it: the message of its
 * first choice, its usage, and why it ended. The completion's id becomes the id in the thread.
 *
 * @throws ThreadfoldError `INVALID_MESSAGE` for a completion without a choice.
 */
export function fromOpenaiChat({ id, model, usage, choices }: OpenAI.Chat.ChatCompletion): ModelResponse {
  const [choice] = choices;
  const value = choice && { ...choice.message, id, model, usage, finish_reason: choice.finish_reason };
  const messages = readOnce("openai-chat", "answer", [value]);
  return { messages, ...reportOf(messages[0]?.usage), stopReason: stopReasonOf(choice?.finish_reason) };
}

/** The part of a Chat Completions request that the session makes: the host adds model and settings. */
export type OpenaiChatConversation = Pick<OpenAI.Chat.ChatCompletionCreateParams, "messages" | "tools">;

/** A prepared request for Chat Completions. @throws ThreadfoldError `INVALID_CONFIG` for a session of another format. */
export const toOpenaiChatRequest = (prepared: Pick<PreparedRequest, "format" | "payload">): OpenaiChatConversation =>
  payloadOf(prepared, "openai-chat") as unknown as OpenaiChatConversation;

/** A tool of Chat Completions with what runs when the model calls it, which the SDK leaves out of what it sends. */
export interface ThreadfoldChatTool extends OpenAI.Chat.ChatCompletionFunctionTool {
  readonly run: (input: unknown) => Promise<string>;
}

/**
 * `read_artifact` and `search_thread` as tools of Chat Completions: the model's own ways to what is folded. Spread them into
 * `tools`. `openaiChatTurn` answers their calls; a loop of your own runs them by `run`, with the parsed arguments. What
 * cannot be found is said to the model in words; only a failing store fails a call.
 */
export const threadfoldChatTools = (session: ContextSession): ThreadfoldChatTool[] =>
  recallTools(() => currentSession(session)).map(({ name, description, inputSchema, run }) => ({
    type: "function",
    function: { name, description, parameters: { ...inputSchema } },
    run,
  }));
