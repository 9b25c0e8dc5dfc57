import { type JsonObject, ThreadfoldError } from "@threadfold/core";
import { liveFrame } from "@threadfold/importers";
import type { RequestFrame } from "@threadfold/session";
import type OpenAI from "openai";
import { SessionTurn, type SessionTurnOptions } from "../mirror/session-turn.ts";
import { fromOpenaiResponse } from "./from-openai-response.ts";
import { toOpenaiResponsesRequest } from "./to-openai-request.ts";

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

/** What the model answered. */
export interface OpenaiResponsesAnswer {
  /** The response as the SDK gave it. */
  readonly response: Response;
  /** The calls to run: those that the output limit cut off are not among them. */
  readonly calls: readonly OpenAI.Responses.ResponseFunctionToolCall[];
  /** True when the answer was cut off and the next request will be shorter: call `step` again. */
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
 * A loop over the OpenAI SDK's Responses: what is said goes into the session's thread, the session makes the request and
 * folds when that is due, the answer goes into the thread. A request that is refused as too long is folded for and sent
 * once more. The history is the thread's: nothing needs to be stored at the provider, so `store: false` is what is sent
 * unless the host says otherwise; ask for `include: ["reasoning.encrypted_content"]` with models that reason.
 * `instructions` and `tools`, when given here, are the frame of the session's requests.
 */
export function openaiResponsesTurn(options: OpenaiResponsesTurnOptions): OpenaiResponsesTurn {
  const { session, clock, client, onStream, instructions, tools, ...settings } = options;
  const door = {
    format: "openai-responses" as const,
    ...frameOf({ ...(instructions != null && { instructions }), ...(tools !== undefined && { tools }) }),
    read: fromOpenaiResponse,
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
    const { answer, discarded, retry } = await turn.step(signal);
    const cut: ReadonlySet<string> = discarded;
    const calls = answer.output.filter((item) => item.type === "function_call");
    return { response: answer, calls: calls.filter(({ call_id: id }) => !cut.has(id)), retry };
  };
  return {
    step,
    async send(items, given) {
      await turn.tell(typeof items === "string" ? [{ role: "user", content: items }] : [items].flat());
      return step(given);
    },
  };
}

const frameOf = (body: object): { readonly frame?: RequestFrame } =>
  Object.keys(body).length === 0 ? {} : { frame: liveFrame("openai-responses", body) };

/** Some refusals come as a response that says so, such as an overflow that shows while the answer streams. */
function unlessFailed(response: Response): Response {
  if (response.status !== "failed" || response.error === null) return response;
  throw new ThreadfoldError("MODEL_CALL_FAILED", "The provider says that the response failed.", {
    cause: response.error,
  });
}
