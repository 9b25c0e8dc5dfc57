import {
  type CompletionModel,
  type CompletionRequest,
  type CompletionResult,
  checkArgument,
  checkClient,
  checkOptions,
  type ModelCallFailure,
  modelCallError,
  modelCallFailure,
  type ThreadfoldError,
} from "@threadfold/core";

/** The caller's own client for a provider, and how to use it. */
export interface ClientModelOptions<Client> {
  /** The caller's own client. Its retries are turned off, because the summarizer does its own. */
  readonly client: Client;
  /** The provider's name for the model. */
  readonly model: string;
  /** False to wait for the whole answer at once. True by default: a stream shows early that the connection is alive. */
  readonly stream?: boolean;
  /**
   * Further fields of the request body, such as `thinking` or `reasoning_effort`; they take precedence over what a call
   * asks for.
   */
  readonly body?: Readonly<Record<string, unknown>>;
}

/** The options that provider clients take in addition to the request body. */
export interface ClientCallOptions {
  /** Turns off the SDK's own retries; the summarizer retries instead. */
  readonly maxRetries: 0;
  /** Ends the call. */
  readonly signal?: AbortSignal;
}

/**
 * Checks what a model is made of. A mistake would otherwise show only at the first fold, and the fallback would hide it.
 *
 * @param call the path of the client's method that makes the calls.
 * @throws ThreadfoldError `INVALID_CONFIG` that names the option.
 */
export function checkClientModel(options: ClientModelOptions<unknown>, call: string): void {
  checkOptions("options", options, { client: "any", model: "any", stream: "flag", body: "object" });
  checkArgument("model", options.model, "name");
  checkClient(options.client, call);
}

/**
 * Implements the `complete()` port with a provider's client. A failure of the client becomes `MODEL_CALL_FAILED`; an
 * abort throws the signal's reason.
 *
 * @param paramsOf converts a request to the provider's own format.
 */
export function clientModel<Params>(
  id: string,
  paramsOf: (request: CompletionRequest) => Params,
  send: (params: Params, options: ClientCallOptions) => Promise<CompletionResult>,
): CompletionModel {
  return {
    id,
    async complete(request) {
      const params = paramsOf(request);
      const { signal } = request;
      try {
        return await send(params, { maxRetries: 0, ...(signal !== undefined && { signal }) });
      } catch (error) {
        signal?.throwIfAborted();
        throw asModelCallError(error);
      }
    },
  };
}

/** Phrases with which providers report that the input is longer than the window. */
const OVERFLOW =
  /context[ _-]?(?:length|window)|maximum context|prompt is too long|(?:input|request|prompt).{0,40}(?:too long|too large)|too many (?:input )?tokens|exceeds?.{0,60}tokens?/i;

/**
 * Converts any error of a provider's client to `MODEL_CALL_FAILED`. Clients have little more in common than a status,
 * headers and a message, so it inspects these and no error classes. A `retry-after` header is read only if it is a
 * number, not if it is a date.
 */
export function asModelCallError(error: unknown): ThreadfoldError {
  if (modelCallFailure(error) !== null) return error as ThreadfoldError;
  const message = messageOf(error);
  return modelCallError(`The model call failed: ${message}`, failureOf(error, message), error);
}

function failureOf(error: unknown, message: string): ModelCallFailure {
  const status = numberOf(error, "status") ?? numberOf(error, "statusCode");
  if (status === undefined)
    return { kind: /time.?out/i.test(`${textOf(error, "name")} ${message}`) ? "timeout" : "unavailable" };
  const retryAfterMs = retryAfterOf(error);
  const more = { status, ...(retryAfterMs !== undefined && { retryAfterMs }) };
  if (status === 429) return { kind: "rate-limited", ...more };
  // A success status together with an error means that the connection broke while the answer was arriving.
  if (status < 400 || status === 408 || status === 409 || status >= 500) return { kind: "unavailable", ...more };
  const said = `${textOf(error, "code")} ${message} ${textOf(error, "responseBody").slice(0, 2_000)}`;
  if ((status === 400 || status === 413) && OVERFLOW.test(said)) return { kind: "overflow", ...more };
  return { kind: "rejected", ...more };
}

function retryAfterOf(error: unknown): number | undefined {
  const milliseconds = Number(headerOf(error, "retry-after-ms") ?? Number.NaN);
  if (milliseconds >= 0) return milliseconds;
  const seconds = Number(headerOf(error, "retry-after") ?? Number.NaN);
  return seconds >= 0 ? seconds * 1_000 : undefined;
}

function headerOf(error: unknown, name: string): string | null {
  for (const key of ["headers", "responseHeaders"]) {
    const headers = fieldOf(error, key);
    if (headers instanceof Headers && headers.has(name)) return headers.get(name);
    const value = fieldOf(headers, name);
    if (typeof value === "string") return value;
  }
  // Clients that wrap another client's error keep its headers there.
  const cause = fieldOf(error, "cause");
  return cause === undefined ? null : headerOf(cause, name);
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
const fieldOf = (value: unknown, key: string): unknown =>
  typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>)[key] : undefined;
const numberOf = (value: unknown, key: string): number | undefined => {
  const field = fieldOf(value, key);
  return typeof field === "number" ? field : undefined;
};
const textOf = (value: unknown, key: string): string => {
  const field = fieldOf(value, key);
  return typeof field === "string" ? field : "";
};
