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
/** A stream of the SDK's client. */
type ResponseStream = ReturnType<OpenAI["responses"]["stream"]>;

/** What a loop over Responses is made with: everything of a request but its items stays the host's. */
export interface OpenaiResponsesTurnOptions
  extends SessionTurnOptions,
    Omit<
      OpenAI.Responses.ResponseCreateParamsNonStreaming,
      "input" | "stream" | "previous_response_id" | "conversation" | "background"
    > {
  /** The host's own client, with its retries. */
  readonly client: OpenAI;
  /** Called with each stream before it is read to its end. Without it answers are waited for at once. */
  readonly onStream?: (stream: ResponseStream) => void;
}

/** The model's answer: the SDK's response and what the host has to do with it. */
export interface OpenaiResponsesAnswer extends RequestNotes {
  /**
   * The response as the SDK returned it; the newest one, when the model was asked again after it read what is folded.
   */
  readonly response: Response;
  /** The calls to run: those that the output limit cut off and those of `threadfoldResponsesTools` are not among them. */
  readonly calls: readonly OpenAI.Responses.ResponseFunctionToolCall[];
  /** True when the answer was cut off and the next request will be shorter, or the model still reads: call `step` again. */
  readonly retry: boolean;
}

/** A loop over Responses in which a session makes the requests. */
export interface OpenaiResponsesTurn {
  /** Says something, or hands back results of tools (as `function_call_output` items), and asks the model. */
  send(
    items: string | Item | readonly Item[],
    options?: { readonly signal?: AbortSignal },
  ): Promise<OpenaiResponsesAnswer>;
  /** Asks the model without saying anything new. */
  step(options?: { readonly signal?: AbortSignal }): Promise<OpenaiResponsesAnswer>;
}

/**
 * A loop over the OpenAI SDK's Responses: what is said goes into the session's thread, the session makes the request
 * and folds when that is due, the answer goes into the thread. A request that is refused as too long is folded and sent
 * once more. The history is the thread's: nothing needs to be stored at the provider, so `store: false` is what is sent
 * unless the host says otherwise; ask for `include: ["reasoning.encrypted_content"]` with models that reason.
 * `instructions` and `tools`, when given here, take precedence over `system` and `tools` of the session's own frame,
 * field by field. Calls of tools from `threadfoldResponsesTools` are answered here; when the model called nothing else,
 * it is asked again at once.
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

/** Some refusals come as a response that says so, such as an overflow that shows while the answer streams. */
function unlessFailed(response: Response): Response {
  if (response.status !== "failed" || response.error === null) return response;
  throw new ThreadfoldError("MODEL_CALL_FAILED", "The provider says that the response failed.", {
    cause: response.error,
  });
}

/**
 * A response of the SDK as `ContextSession.complete` takes it: all items that the model wrote, with reasoning as it
 * came, as one message; its usage, and why it ended. The response's id becomes the id in the thread. Of what
 * `responses.compact` gives the last message is the one that `compactAtProvider` takes.
 *
 * @throws ThreadfoldError `INVALID_MESSAGE` for an output that is not a list of items.
 */
export function fromOpenaiResponse(response: Response | OpenAI.Responses.CompactedResponse): ModelResponse {
  const { id, model, output, usage, status, incomplete_details: incomplete }: AnyResponse = response;
  const read = readOnce("openai-responses", id, output, model === undefined ? {} : { model });
  const used = usageOf(usage);
  const messages = read.map((message, index) => ({
    ...message,
    // Items have ids of their own, which not every server keeps apart from response to response.
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

/** The part of a Responses request that the session makes: the host adds model and settings. */
export type OpenaiResponsesConversation = Pick<OpenAI.Responses.ResponseCreateParams, "instructions" | "tools"> & {
  input: OpenAI.Responses.ResponseInput;
};

/** A prepared request for Responses. @throws ThreadfoldError `INVALID_CONFIG` for a session of another format. */
export const toOpenaiResponsesRequest = (
  prepared: Pick<PreparedRequest, "format" | "payload">,
): OpenaiResponsesConversation => payloadOf(prepared, "openai-responses") as unknown as OpenaiResponsesConversation;

/** A tool of Responses with what runs when the model calls it, which the SDK leaves out of what it sends. */
export interface ThreadfoldResponsesTool extends OpenAI.Responses.FunctionTool {
  readonly run: (input: unknown) => Promise<string>;
}

/**
 * `read_artifact` and `search_thread` as tools of Responses: the model's own ways to what is folded. Spread them into
 * `tools`. `openaiResponsesTurn` answers their calls; a loop of your own runs them by `run`, with the parsed arguments. What
 * cannot be found is said to the model in words; only a failing store fails a call.
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
