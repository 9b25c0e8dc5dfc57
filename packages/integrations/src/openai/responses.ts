import { asMessageId, type JsonObject, ThreadfoldError, type Usage } from "@threadfold/core";
import { liveFrame } from "@threadfold/importers";
import {
  type ContextSession,
  type FrameFields,
  type ModelResponse,
  type PreparedRequest,
  stopReasonOf,
} from "@threadfold/session";
import type OpenAI from "openai";
import { modelName, payloadOf } from "../mirror/ask-model.ts";
import { currentSession } from "../mirror/divergence.ts";
import { recallTools } from "../mirror/recall-tools.ts";
import { type RequestNotes, readOnce, reportOf, SessionTurn, type SessionTurnOptions } from "../mirror/session-turn.ts";

type Response = OpenAI.Responses.Response;
type Item = OpenAI.Responses.ResponseInputItem;
/** A stream of the OpenAI SDK's client. */
type ResponseStream = ReturnType<OpenAI["responses"]["stream"]>;

/** Options of {@link openaiResponsesTurn}. Every request field but the items is the host's to set. */
export interface OpenaiResponsesTurnOptions
  extends SessionTurnOptions,
    Omit<
      OpenAI.Responses.ResponseCreateParamsNonStreaming,
      "input" | "stream" | "previous_response_id" | "conversation" | "background"
    > {
  /** The host's own client, with its retries. */
  readonly client: OpenAI;
  /** Called with each stream before it is read to its end. Without it answers are not streamed. */
  readonly onStream?: (stream: ResponseStream) => void;
}

/** The model's answer: the SDK's response and what the host must do with it. */
export interface OpenaiResponsesAnswer extends RequestNotes {
  /** The response as the SDK returned it; the newest one when the model was asked again after using a recall tool. */
  readonly response: Response;
  /** The calls to run, without those that the output limit cut off and those of `threadfoldResponsesTools`. */
  readonly calls: readonly OpenAI.Responses.ResponseFunctionToolCall[];
  /**
   * True when `step` must be called again: the answer was cut off and the next request will be shorter, or the model is
   * not done reading.
   */
  readonly retry: boolean;
}

/** A loop over Responses in which a session makes the requests. */
export interface OpenaiResponsesTurn {
  /** Appends a user message, or tool results (as `function_call_output` items), and asks the model. */
  send(
    items: string | Item | readonly Item[],
    options?: { readonly signal?: AbortSignal },
  ): Promise<OpenaiResponsesAnswer>;
  /** Asks the model without adding an item. */
  step(options?: { readonly signal?: AbortSignal }): Promise<OpenaiResponsesAnswer>;
}

/**
 * Creates a loop over the OpenAI SDK's Responses: items go into the session's thread, the session makes the request and
 * folds when that is due, and the answer is appended to the thread. A request that is refused as too long is folded and
 * sent once more. The thread is the history, so nothing needs to be stored at the provider: `store: false` is sent
 * unless the host sets it; set `include: ["reasoning.encrypted_content"]` for models that reason. `instructions` and
 * `tools`, when given here, take precedence over `system` and `tools` of the session's own frame, field by field. Calls
 * of `threadfoldResponsesTools` are answered here; when the model called nothing else, it is asked again at once.
 */
export function openaiResponsesTurn(options: OpenaiResponsesTurnOptions): OpenaiResponsesTurn {
  const { session, clock, client, onStream, instructions, tools, ...settings } = options;
  const door = {
    format: "openai-responses" as const,
    model: modelName(settings.model),
    frame: frameOf(instructions, tools),
    read: (answer: Response) => fromOpenaiResponse(answer),
    async ask(payload: JsonObject, signal: AbortSignal | undefined): Promise<Response> {
      const body = { store: false, ...settings, ...toOpenaiResponsesRequest({ format: session.format.id, payload }) };
      const requestOptions = signal === undefined ? {} : { signal };
      if (onStream === undefined) return unlessFailed(await client.responses.create(body, requestOptions));
      const stream = client.responses.stream(body, requestOptions);
      onStream(stream);
      return unlessFailed(await stream.finalResponse());
    },
  };
  const turn = new SessionTurn(door, { session, ...(clock !== undefined && { clock }) });
  const step: OpenaiResponsesTurn["step"] = async ({ signal } = {}) => {
    const { answer, settled, ...notes } = await turn.step(signal);
    const done: ReadonlySet<string> = settled;
    const calls = answer.output.filter((item) => item.type === "function_call");
    return { response: answer, calls: calls.filter(({ call_id: id }) => !done.has(id)), ...notes };
  };
  return {
    step,
    async send(items, given) {
      await turn.tell(typeof items === "string" ? [{ role: "user", content: items }] : [items].flat());
      return step(given);
    },
  };
}

type Frame = Pick<OpenaiResponsesTurnOptions, "instructions" | "tools">;

/** Null instructions count as absent ones: the API has both. */
function frameOf(instructions: Frame["instructions"], tools: Frame["tools"]): FrameFields {
  const frame = liveFrame("openai-responses", { instructions, tools });
  return {
    ...(instructions !== undefined && { system: frame.system }),
    ...(tools !== undefined && { tools: frame.tools }),
  };
}

/**
 * Some refusals arrive as a response with the status `failed`, such as an overflow that occurs while the answer
 * streams.
 */
function unlessFailed(response: Response): Response {
  if (response.status !== "failed" || response.error === null) return response;
  throw new ThreadfoldError("MODEL_CALL_FAILED", "The provider says that the response failed.", {
    cause: response.error,
  });
}

/**
 * Converts a response of the SDK to one for `ContextSession.complete`: all items that the model wrote, including its
 * reasoning, as one message; its usage, and its stop reason. The response's id becomes the id in the thread. From the
 * result of `responses.compact`, `compactAtProvider` uses the last message.
 *
 * @throws ThreadfoldError `INVALID_MESSAGE` for an output that is not a list of items.
 */
export function fromOpenaiResponse(response: Response | OpenAI.Responses.CompactedResponse): ModelResponse {
  const { id, model, output, usage, status, incomplete_details: incomplete }: AnyResponse = response;
  const read = readOnce("openai-responses", id, output, model === undefined ? {} : { model });
  const used = usageOf(usage);
  const messages = read.map((message, index) => ({
    ...message,
    // Items have their own ids, but not every server makes them unique across responses.
    id: asMessageId(index === 0 ? id : `${id}.${index}`),
    ...(used !== undefined && { usage: used }),
  }));
  return { messages, ...reportOf(used), stopReason: stopReasonOf(incomplete?.reason ?? status) };
}

type AnyResponse = Pick<Response, "id"> &
  Partial<Pick<Response, "model" | "usage" | "status" | "incomplete_details">> & {
    readonly output: readonly unknown[];
  };

function usageOf(usage: OpenAI.Responses.ResponseUsage | undefined): Usage | undefined {
  if (usage === undefined || usage === null) return undefined;
  return {
    inputTokens: usage.input_tokens,
    outputTokens: usage.output_tokens,
    cacheReadTokens: usage.input_tokens_details?.cached_tokens ?? 0,
    reasoningTokens: usage.output_tokens_details?.reasoning_tokens ?? 0,
  };
}

/** The part of a Responses request that the session makes; the host adds the model and its settings. */
export type OpenaiResponsesConversation = Pick<OpenAI.Responses.ResponseCreateParams, "instructions" | "tools"> & {
  input: OpenAI.Responses.ResponseInput;
};

/**
 * Returns a prepared request for Responses. @throws ThreadfoldError `INVALID_CONFIG` for a session of another format.
 */
export const toOpenaiResponsesRequest = (
  prepared: Pick<PreparedRequest, "format" | "payload">,
): OpenaiResponsesConversation => payloadOf(prepared, "openai-responses") as unknown as OpenaiResponsesConversation;

/** A Responses tool with the code that runs when the model calls it, which the SDK does not send. */
export interface ThreadfoldResponsesTool extends OpenAI.Responses.FunctionTool {
  readonly run: (input: unknown) => Promise<string>;
}

/**
 * Returns `read_artifact` and `search_thread` as tools of Responses, with which the model can read what is folded.
 * Spread them into `tools`. `openaiResponsesTurn` answers their calls; a loop of your own runs them with `run`, passing
 * the parsed arguments. When nothing is found, the model is told so in text; a call fails only when the store does.
 */
export const threadfoldResponsesTools = (session: ContextSession): ThreadfoldResponsesTool[] =>
  recallTools(() => currentSession(session)).map(({ name, description, inputSchema, run }) => ({
    type: "function",
    name,
    description,
    parameters: { ...inputSchema },
    strict: false,
    run,
  }));
