import { asMessageId, type JsonObject, type ModelCallFailureKind, modelCallError, type Usage } from "@threadfold/core";
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

type Response = OpenAI.Responses.Response;
type Item = OpenAI.Responses.ResponseInputItem;
type OutputItem = OpenAI.Responses.ResponseOutputItem;
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

/** A call that runs at the host: of a function or a custom tool, or of one of OpenAI's tools that run there. */
export type ResponsesCall = Extract<
  OutputItem,
  {
    readonly type:
      | "function_call"
      | "custom_tool_call"
      | "local_shell_call"
      | "shell_call"
      | "apply_patch_call"
      | "computer_call"
      | "tool_search_call";
  }
>;

/** The model's answer: the SDK's response and what the host must do with it. */
export interface OpenaiResponsesAnswer<Call = ResponsesCall> extends RequestNotes {
  /** The response as the SDK returned it; the newest one when the model was asked again after using a recall tool. */
  readonly response: Response;
  /**
   * The calls to run, of every kind that runs at the host, without those that the output limit cut off and those of
   * `threadfoldResponsesTools`. Requests to approve a call of an MCP server are in `response.output`.
   */
  readonly calls: readonly Call[];
  /**
   * True when `step` must be called again: the answer was cut off and the next request will be shorter, or the model is
   * not done reading.
   */
  readonly retry: boolean;
}

/** A loop over Responses in which a session makes the requests. */
export interface OpenaiResponsesTurn<Call = ResponsesCall> {
  /**
   * Appends a user message, or tool results (as items such as `function_call_output`, of the kind of the call), and asks
   * the model.
   */
  send(
    items: string | Item | readonly Item[],
    options?: { readonly signal?: AbortSignal },
  ): Promise<OpenaiResponsesAnswer<Call>>;
  /** Asks the model without adding an item. */
  step(options?: { readonly signal?: AbortSignal }): Promise<OpenaiResponsesAnswer<Call>>;
}

/** Options of a turn whose tools are functions only. */
interface FunctionsOnly {
  readonly tools?: OpenAI.Responses.FunctionTool[];
}

/**
 * Creates a loop over the OpenAI SDK's Responses: items go into the session's thread, the session makes the request and
 * folds when that is due, and the answer is appended to the thread. A request that is refused as too long is folded and
 * sent once more. The thread is the history, so nothing needs to be stored at the provider: `store: false` is sent
 * unless the host sets it; set `include: ["reasoning.encrypted_content"]` for models that reason. `instructions` and
 * `tools`, when given here, take precedence over `system` and `tools` of the session's own frame, field by field. Calls
 * of `threadfoldResponsesTools` are answered here; when the model called nothing else, it is asked again at once. When
 * all tools are functions, so are all `calls`; otherwise see the `type` of each.
 */
export function openaiResponsesTurn(
  options: OpenaiResponsesTurnOptions & FunctionsOnly,
): OpenaiResponsesTurn<OpenAI.Responses.ResponseFunctionToolCall>;
export function openaiResponsesTurn(options: OpenaiResponsesTurnOptions): OpenaiResponsesTurn;
export function openaiResponsesTurn(options: OpenaiResponsesTurnOptions): OpenaiResponsesTurn {
  const { session, clock, client, onStream, instructions, tools, ...settings } = options;
  checkLoop(options, "openai-responses", onStream === undefined ? "responses.create" : "responses.stream");
  const door = {
    format: "openai-responses" as const,
    model: modelName(settings.model),
    // Null instructions count as absent ones: the API has both.
    frame: hostFrame("openai-responses", { system: instructions, tools }),
    read: (answer: Response) => fromOpenaiResponse(answer),
    hasOpaqueCalls: ({ output }: Response) => !clientCalls(output).every(isToolCall),
    async ask(payload: JsonObject, signal: AbortSignal | undefined): Promise<Response> {
      const body = { store: false, ...settings, ...toOpenaiResponsesRequest({ format: session.format.id, payload }) };
      const requestOptions = signal === undefined ? {} : { signal };
      if (onStream === undefined) return unlessFailed(await client.responses.create(body, requestOptions));
      const stream = client.responses.stream(body, requestOptions);
      // The SDK takes a stream that breaks off for an answer.
      let isOver = false;
      for (const end of ENDS) stream.once(end, () => (isOver = true));
      onStream(stream);
      const response = unlessFailed(await stream.finalResponse());
      if (isOver) return response;
      throw modelCallError("The stream ended before the response did.", { kind: "unavailable" }, response);
    },
  };
  const turn = new SessionTurn(door, { session, ...(clock !== undefined && { clock }) });
  const step: OpenaiResponsesTurn["step"] = async ({ signal } = {}) => {
    const { answer, settled, ...notes } = await turn.step(signal);
    const calls = clientCalls(answer.output).filter(({ call_id: id }) => id === null || !isSettled(id, settled));
    return { response: answer, calls, ...notes };
  };
  return {
    step,
    async send(items, given) {
      await turn.tell(typeof items === "string" ? [{ role: "user", content: items }] : [items].flat());
      return step(given);
    },
  };
}

/** The events with which the stream of an answer ends. */
const ENDS = ["response.completed", "response.incomplete"] as const;

/** The kinds of calls that a thread has as tool calls. It keeps the others as they came. */
const TOOL_CALLS: ReadonlySet<OutputItem["type"]> = new Set(["function_call", "custom_tool_call", "local_shell_call"]);

/** True for a call that a thread has as a tool call, with a result of its own. */
const isToolCall = ({ type }: ResponsesCall): boolean => TOOL_CALLS.has(type);

/** Returns the calls of a response that the host must run: none that ran at OpenAI, that is answered, or was cut off. */
function clientCalls(output: readonly OutputItem[]): readonly ResponsesCall[] {
  const answered = new Set(output.flatMap((item) => (item.type.endsWith("_output") ? (callIdOf(item) ?? []) : [])));
  return output.filter(isForClient).filter((call) => !isBegun(call) && !answered.has(callIdOf(call) ?? ""));
}

/** True for a call that the answer ends in the middle of, as when a filter stops it. */
const isBegun = (call: ResponsesCall): boolean => "status" in call && call.status === "in_progress";

const callIdOf = (item: OutputItem): string | undefined =>
  "call_id" in item ? (item.call_id ?? undefined) : undefined;

function isForClient(item: OutputItem): item is ResponsesCall {
  switch (item.type) {
    // The session knows which of these the output limit cut off.
    case "function_call":
    case "custom_tool_call":
    case "local_shell_call":
    // This one is never incomplete.
    case "apply_patch_call":
      return true;
    case "shell_call":
      return item.status !== "incomplete" && item.environment?.type !== "container_reference";
    case "computer_call":
      return item.status !== "incomplete";
    case "tool_search_call":
      return item.status !== "incomplete" && item.execution === "client";
    default:
      return false;
  }
}

/**
 * Some refusals arrive as a response with the status `failed`, such as an overflow that occurs while the answer
 * streams.
 */
function unlessFailed(response: Response): Response {
  if (response.status !== "failed" || response.error === null) return response;
  const { code } = response.error;
  const kind = FAILURE_KINDS[code] ?? "rejected";
  throw modelCallError(`The provider says that the response failed (${code}).`, { kind }, response.error);
}

/** The kinds of failures that pass; the others are faults of the request, which fails again. */
const FAILURE_KINDS: Readonly<Record<string, ModelCallFailureKind>> = {
  server_error: "unavailable",
  vector_store_timeout: "unavailable",
  failed_to_download_image: "unavailable",
  rate_limit_exceeded: "rate-limited",
};

/**
 * Converts a response of the SDK to one for `ContextSession.complete`: all items that the model wrote, including its
 * reasoning, as one message; its usage, and its stop reason. The response's id becomes the id in the thread; a response
 * without an id gets a new one with each conversion, so convert it once. From the result of `responses.compact`,
 * `compactAtProvider` uses the last message.
 *
 * @throws ThreadfoldError `INVALID_MESSAGE` for an output that is not a list of items.
 */
export function fromOpenaiResponse(response: Response | OpenAI.Responses.CompactedResponse): ModelResponse {
  if (!Array.isArray(Object(response).output)) throw noAnswer(response, "a response of OpenAI", "output");
  const { model, output, usage, status, incomplete_details: incomplete }: AnyResponse = response;
  const id = idOfAnswer(response.id);
  const read = readOnce("openai-responses", output, model === undefined ? {} : { model });
  const used = usageOf(usage);
  const messages = read.map((message, index) => ({
    ...message,
    // Items have their own ids, but not every server makes them unique across responses.
    id: asMessageId(index === 0 ? id : `${id}.${index}`),
    ...(used !== undefined && { usage: used }),
  }));
  return { messages, ...reportOf(used), stopReason: stopReasonOf(incomplete?.reason ?? status) };
}

type AnyResponse = Partial<Pick<Response, "model" | "usage" | "status" | "incomplete_details">> & {
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
