import type { JsonObject } from "@threadfold/core";
import { type ContextSession, type ModelResponse, type PreparedRequest, stopReasonOf } from "@threadfold/session";
import type OpenAI from "openai";
import { checkLoop, hostFrame, modelName, noAnswer, payloadOf } from "../mirror/ask-model.ts";
import { currentSession } from "../mirror/divergence.ts";
import { recallTools } from "../mirror/recall-tools.ts";
import {
  idOfAnswer,
  isSettled,
  type RequestNotes,
  readOnce,
  reportOf,
  SessionTurn,
  type SessionTurnOptions,
} from "../mirror/session-turn.ts";

type Message = OpenAI.Chat.ChatCompletionMessageParam;
/** A stream of the OpenAI SDK's client. */
type ChatStream = ReturnType<OpenAI["chat"]["completions"]["stream"]>;

/** Options of {@link openaiChatTurn}. Every request field but the messages is the host's to set. */
export interface OpenaiChatTurnOptions
  extends SessionTurnOptions,
    Omit<OpenAI.Chat.ChatCompletionCreateParamsNonStreaming, "messages" | "stream"> {
  /** The host's own client, with its retries. */
  readonly client: OpenAI;
  /** Called with each stream before it is read to its end. Without it answers are not streamed. */
  readonly onStream?: (stream: ChatStream) => void;
}

/** The model's answer: the SDK's completion and what the host must do with it. */
export interface OpenaiChatAnswer extends RequestNotes {
  /**
   * The completion as the SDK returned it, in which every call has an id; the newest one when the model was asked again
   * after using a recall tool.
   */
  readonly completion: OpenAI.Chat.ChatCompletion;
  /** The calls to run, without those that the output limit cut off and those of `threadfoldChatTools`. */
  readonly calls: readonly OpenAI.Chat.ChatCompletionMessageToolCall[];
  /**
   * True when `step` must be called again: the answer was cut off and the next request will be shorter, or the model is
   * not done reading.
   */
  readonly retry: boolean;
}

/** A loop over Chat Completions in which a session makes the requests. */
export interface OpenaiChatTurn {
  /** Appends user messages, or tool results (as messages with the role `tool`), and asks the model. */
  send(
    messages: string | Message | readonly Message[],
    options?: { readonly signal?: AbortSignal },
  ): Promise<OpenaiChatAnswer>;
  /** Asks the model without adding a message. */
  step(options?: { readonly signal?: AbortSignal }): Promise<OpenaiChatAnswer>;
}

/**
 * Creates a loop over the OpenAI SDK's Chat Completions: messages go into the session's thread, the session makes the
 * request and folds when that is due, and the answer is appended to the thread. A request that is refused as too long
 * is folded and sent once more. `tools`, when given here, take precedence over those of the session's own frame; its
 * `system` is kept, because the only other place for system text in this API is a system message that is sent first.
 * Calls of `threadfoldChatTools` are answered here; when the model called nothing else, it is asked again at once.
 */
export function openaiChatTurn({
  session,
  clock,
  client,
  onStream,
  ...request
}: OpenaiChatTurnOptions): OpenaiChatTurn {
  const call = onStream === undefined ? "chat.completions.create" : "chat.completions.stream";
  checkLoop({ session, client }, "openai-chat", call);
  const { tools, ...settings } = request;
  const door = {
    format: "openai-chat" as const,
    model: modelName(settings.model),
    frame: hostFrame("openai-chat", { tools }),
    read: fromOpenaiChat,
    async ask(payload: JsonObject, signal: AbortSignal | undefined): Promise<OpenAI.Chat.ChatCompletion> {
      const body = { ...settings, ...toOpenaiChatRequest({ format: session.format.id, payload }) };
      const options = signal === undefined ? {} : { signal };
      if (onStream === undefined) return withCallIds(await client.chat.completions.create(body, options));
      // A stream reports usage only when asked to.
      const stream = client.chat.completions.stream({ stream_options: { include_usage: true }, ...body }, options);
      onStream(stream);
      return withCallIds(await completionOf(stream));
    },
  };
  const turn = new SessionTurn(door, { session, ...(clock !== undefined && { clock }) });
  const step: OpenaiChatTurn["step"] = async ({ signal } = {}) => {
    const { answer, settled, ...notes } = await turn.step(signal);
    const calls = (answer.choices[0]?.message.tool_calls ?? []).filter(({ id }) => !isSettled(id, settled));
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
 * Returns the completion of a stream. With strict tools the SDK throws as soon as it reads that the output limit or the
 * content filter ended the answer, which needs handling like any other, as without a stream.
 */
async function completionOf(stream: ChatStream): Promise<OpenAI.Chat.ChatCompletion> {
  try {
    return await stream.finalChatCompletion();
  } catch (error) {
    const read = stream.aborted ? undefined : stream.currentChatCompletionSnapshot;
    const reason = read?.choices[0]?.finish_reason;
    if (read === undefined || (reason !== "length" && reason !== "content_filter")) throw error;
    return read as OpenAI.Chat.ChatCompletion;
  }
}

/**
 * Converts a completion of the SDK, whether complete or assembled from a stream, to a response for
 * `ContextSession.complete`: the message of its first choice, its usage, and its stop reason. The completion's id
 * becomes the id in the thread. What the server left out of the ids is made up: for a completion without an id anew
 * with each conversion, so convert it once.
 *
 * @throws ThreadfoldError `INVALID_MESSAGE` for a completion without a choice.
 */
export function fromOpenaiChat(completion: OpenAI.Chat.ChatCompletion): ModelResponse {
  if (!Array.isArray(Object(completion).choices)) throw noAnswer(completion, "a chat completion", "choices");
  const { id, model, usage, choices } = withCallIds(completion);
  const [choice] = choices;
  if (choice === undefined) throw noAnswer(completion, "a chat completion", "choice");
  const { finish_reason } = choice;
  const messages = readOnce("openai-chat", [{ ...withoutEmptyText(choice.message), id, model, usage, finish_reason }]);
  return { messages, ...reportOf(messages[0]?.usage), stopReason: stopReasonOf(finish_reason) };
}

/** Streams often begin with an empty text, also where only calls follow. It says nothing and is never sent back. */
const withoutEmptyText = (message: OpenAI.Chat.ChatCompletionMessage): OpenAI.Chat.ChatCompletionMessage =>
  message.content === "" && (message.tool_calls ?? []).length > 0 ? { ...message, content: null } : message;

/**
 * Gives every call of the first choice an id: some servers leave ids out, and the results of two turns could not be told
 * apart.
 */
function withCallIds(completion: OpenAI.Chat.ChatCompletion): OpenAI.Chat.ChatCompletion {
  const [choice, ...others] = completion.choices ?? [];
  const calls = choice?.message.tool_calls ?? [];
  if (choice === undefined || calls.every(hasId)) return completion;
  const answerId = idOfAnswer(completion.id);
  const named = calls.map((call, index) => (hasId(call) ? call : { ...call, id: `${answerId}-${index}` }));
  return { ...completion, choices: [{ ...choice, message: { ...choice.message, tool_calls: named } }, ...others] };
}

/** The SDK's type promises an id. */
const hasId = ({ id }: { readonly id?: string | null }): boolean => typeof id === "string" && id !== "";

/** The part of a Chat Completions request that the session makes; the host adds the model and its settings. */
export type OpenaiChatConversation = Pick<OpenAI.Chat.ChatCompletionCreateParams, "messages" | "tools">;

/**
 * Returns a prepared request for Chat Completions. @throws ThreadfoldError `INVALID_CONFIG` for a session of another
 * format.
 */
export const toOpenaiChatRequest = (prepared: Pick<PreparedRequest, "format" | "payload">): OpenaiChatConversation =>
  payloadOf(prepared, "openai-chat") as unknown as OpenaiChatConversation;

/** A Chat Completions tool with the code that runs when the model calls it, which the SDK does not send. */
export interface ThreadfoldChatTool extends OpenAI.Chat.ChatCompletionFunctionTool {
  readonly run: (input: unknown) => Promise<string>;
}

/**
 * Returns `read_artifact` and `search_thread` as tools of Chat Completions, with which the model can read what is
 * folded. Spread them into `tools`. `openaiChatTurn` answers their calls; a loop of your own runs them with `run`,
 * passing the parsed arguments. When nothing is found, the model is told so in text; a call fails only when the store
 * does.
 */
export const threadfoldChatTools = (session: ContextSession): ThreadfoldChatTool[] =>
  recallTools(() => currentSession(session)).map(({ name, description, inputSchema, run }) => ({
    type: "function",
    function: { name, description, parameters: { ...inputSchema } },
    run,
  }));
