import { checkClient, hasMember, type JsonObject, refuseArgument, ThreadfoldError } from "@threadfold/core";
import { type LiveFormat, liveFrame } from "@threadfold/importers";
import { capabilitiesOf } from "@threadfold/renderer";
import type { ContextSession, FrameFields, PreparedRequest } from "@threadfold/session";

/** Options for preparing a request. */
export interface AskOptions {
  /** Takes precedence over the session's own frame, field by field. */
  readonly frame?: FrameFields;
  /**
   * Name of the model that the host uses. A session that was opened without a model adopts this one when it is an
   * Anthropic model: these differ in which thinking they accept back, and for an unnamed model the strictest rules are
   * assumed.
   */
  readonly model?: string | undefined;
  /** Aborts the fold and the model call. */
  readonly signal?: AbortSignal;
  /** Called with each prepared request. What it throws is ignored. */
  readonly onRequest?: OnRequest;
}

/**
 * Called with a request before it is sent: its `outcome` is the result of folding, `warnings` lists what was left out
 * of it, and `tokens` and `breakdown` give its size.
 */
export type OnRequest = (request: PreparedRequest) => void;

/**
 * Prepares the next request and sends it; when the provider refuses it as too long, folds and sends it once more. Other
 * errors are thrown unchanged, for the host to handle.
 *
 * @param send sends a request, with the host's own client and retries.
 * @throws what `send` throws, and what `ContextSession.prepare` throws.
 */
export async function askModel<Answer>(
  session: ContextSession,
  options: AskOptions,
  send: (request: PreparedRequest) => PromiseLike<Answer>,
): Promise<Answer> {
  const request = await prepareFor(session, options);
  return askAgain(session, options, () => send(request), send);
}

/** Like {@link askModel}, for a first request that has already been made. */
export async function askAgain<Answer>(
  session: ContextSession,
  options: AskOptions,
  first: () => PromiseLike<Answer>,
  send: (request: PreparedRequest) => PromiseLike<Answer>,
): Promise<Answer> {
  try {
    return await first();
  } catch (error) {
    options.signal?.throwIfAborted();
    const { retry } = await session.failed(error);
    if (!retry) throw error;
    return send(await prepareFor(session, options));
  }
}

/** Prepares a request and reports it to the host. @throws what `ContextSession.prepare` throws. */
export async function prepareFor(
  session: ContextSession,
  { onRequest, model, ...options }: AskOptions,
): Promise<PreparedRequest> {
  followModel(session, model);
  const request = await session.prepare(options);
  try {
    onRequest?.(request);
  } catch {
    // A failing listener must not break anything.
  }
  return request;
}

/** The model that each session adopted from its host here. */
const followed = new WeakMap<ContextSession, string>();

function followModel(session: ContextSession, model: string | undefined): void {
  if (model === undefined || session.model === model) return;
  if (session.model !== undefined && session.model !== followed.get(session)) return;
  if (session.model === undefined && capabilitiesOf(model)?.provider !== "anthropic") return;
  followed.set(session, model);
  session.switchModel({ model });
}

/** Makes a session that continues others follow the host's models as they do, unless it was given its own model. */
export function followOn(session: ContextSession, before: readonly ContextSession[]): void {
  const { model } = session;
  if (model !== undefined && before.some((one) => followed.get(one) === model)) followed.set(session, model);
}

/** Returns the model name in a field of a host's model; undefined when it is not a string. */
export const modelName = (named: unknown): string | undefined => (typeof named === "string" ? named : undefined);

/**
 * Returns the body of a prepared request for the SDK of a format. It is the caller's own: hosts add marks and messages
 * to it, which must not be in the next request, with which the session shares all that has not changed.
 *
 * @throws ThreadfoldError `INVALID_CONFIG` for something that is no prepared request, or one in another format.
 */
export function payloadOf(prepared: Pick<PreparedRequest, "format" | "payload">, wanted: LiveFormat): JsonObject {
  const { format, payload } = Object(prepared) as Partial<typeof prepared>;
  if (format === undefined || payload === undefined)
    refuseArgument("prepared", "it is not a prepared request.", "Pass what `await session.prepare()` returned.");
  if (format !== wanted) throw otherFormat(format, wanted);
  return structuredClone(payload);
}

const otherFormat = (format: string, wanted: LiveFormat): ThreadfoldError =>
  new ThreadfoldError("INVALID_CONFIG", `The session renders requests in the format ${format}, not ${wanted}.`, {
    hint: `Open the session with format: formatById("${wanted}").`,
  });

/**
 * Checks the session that an integration is created with, unless it opens its own. A mistake would otherwise show only
 * at the first request, when the thread already has the message that led to it.
 *
 * @throws ThreadfoldError `INVALID_CONFIG` without a session, or for one of another format.
 */
export function checkDoor(options: unknown, format?: LiveFormat): void {
  const { session, open } = Object(options) as { readonly session?: ContextSession; readonly open?: unknown };
  if (typeof open === "function") return;
  if (typeof session?.prepare !== "function")
    refuseArgument("session", "it has to be an open session.", "Pass what `await ContextSession.open(…)` returned.");
  if (format !== undefined && session.format.id !== format) throw otherFormat(session.format.id, format);
}

/**
 * Checks what a loop over a provider's SDK is created with.
 *
 * @param call the path of the client's method that the loop calls.
 * @throws ThreadfoldError `INVALID_CONFIG` as {@link checkDoor} does, and for something that is not the SDK's client.
 */
export function checkLoop(
  options: { readonly session: ContextSession; readonly client: unknown },
  format: LiveFormat,
  call: string,
): void {
  checkDoor(options, format);
  checkClient(options.client, call);
}

/**
 * Reads what a host sends besides the conversation, like `liveFrame`, which leaves out what it cannot read.
 *
 * @throws ThreadfoldError `INVALID_CONFIG` that names what would be left out.
 */
export function hostFrame(
  format: LiveFormat,
  { system, tools }: { readonly system?: unknown; readonly tools?: unknown },
): FrameFields {
  if (system !== undefined && system !== null && typeof system !== "string" && !Array.isArray(system))
    refuseArgument("system", "it has to be a text.", "Pass a text, or what the SDK takes for the system prompt.");
  if (tools !== undefined && tools !== null && !Array.isArray(tools))
    refuseArgument("tools", "it has to be a list.", "Pass a list of tools, in the form that the SDK sends.");
  for (const [index, tool] of (tools ?? []).entries())
    if (liveFrame(format, { tools: [tool] }).tools.length === 0)
      refuseArgument(`tools[${index}]`, `it cannot be read as a tool of ${format}.`, TOOL_HINT);
  const frame = liveFrame(format, { system, instructions: system, tools });
  return { ...(system !== undefined && { system: frame.system }), ...(tools !== undefined && { tools: frame.tools }) };
}

const TOOL_HINT =
  "Pass tools with a name, in the form that the SDK sends. Of OpenAI's formats, only Responses has custom tools here.";

/**
 * Makes the error of converting something that is not what a provider's SDK returns for a model's answer.
 *
 * @param kind what it should be, with its article.
 * @param field the field that it lacks.
 */
export function noAnswer(given: unknown, kind: string, field: string): ThreadfoldError {
  const [found, hint] = describeInstead(given) ?? [`it has no ${field}`, "Pass what the SDK returned."];
  return new ThreadfoldError("INVALID_MESSAGE", `This is not ${kind}: ${found}.`, { hint });
}

/** What was passed instead of an answer, and what to do about it. */
function describeInstead(given: unknown): readonly [found: string, hint: string] | undefined {
  if (given === undefined || given === null) return [`it is ${given}`, "Pass what the SDK returned."];
  if (hasMember(given, "then")) return ["it is a promise", "Await the call, and pass what it returned."];
  if (typeof given === "string")
    return ["it is a text", "A web page may have answered: check the address that the client was given (baseURL)."];
  return Object(given).error
    ? ["it is an error of the server", "Its field error says why the model was not called."]
    : undefined;
}
