import { type JsonObject, ThreadfoldError } from "@threadfold/core";
import type { LiveFormat } from "@threadfold/importers";
import { capabilitiesOf } from "@threadfold/renderer";
import type { ContextSession, FrameFields, PreparedRequest } from "@threadfold/session";

/** How a request is prepared. */
export interface AskOptions {
  /** Takes precedence over the session's own frame, field by field. */
  readonly frame?: FrameFields;
  /**
   * Name of the model that the host asks. A session that was opened without one makes its requests for it where it is one of
   * Anthropic's: they differ in what thinking they take back, and of a model that nobody names the strictest is assumed.
   */
  readonly model?: string | undefined;
  /** Ends the fold and the call of the model. */
  readonly signal?: AbortSignal;
  /** Called with each request that is prepared. What it throws is ignored. */
  readonly onRequest?: OnRequest;
}

/**
 * Called with a request before it is sent: its `outcome` says how folding ended, `warnings` what was left out of it, and
 * `tokens` and `breakdown` how large it is.
 */
export type OnRequest = (request: PreparedRequest) => void;

/**
 * Prepares the next request and sends it; when the provider refuses it as too long, folds and sends it once more. Other
 * errors are the host's, and come out as they are.
 *
 * @param send sends a request, with the client and the retries that the host has.
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

/** As {@link askModel}, for a request that is made already. */
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

/** The models that sessions were told of here. */
const followed = new WeakMap<ContextSession, string>();

function followModel(session: ContextSession, model: string | undefined): void {
  if (model === undefined || session.model === model) return;
  if (session.model !== undefined && session.model !== followed.get(session)) return;
  if (session.model === undefined && capabilitiesOf(model)?.provider !== "anthropic") return;
  followed.set(session, model);
  session.switchModel({ model });
}

/** Lets a session that goes on where others left off follow the host's models as they do, unless it was given its own. */
export function followOn(session: ContextSession, before: readonly ContextSession[]): void {
  const { model } = session;
  if (model !== undefined && before.some((one) => followed.get(one) === model)) followed.set(session, model);
}

/** A field of a host's model that names it; undefined for whatever is no name. */
export const modelName = (named: unknown): string | undefined => (typeof named === "string" ? named : undefined);

/**
 * The body of a prepared request, as a format's SDK takes it.
 *
 * @throws ThreadfoldError `INVALID_CONFIG` when the session's requests are in another format.
 */
export function payloadOf(
  { format, payload }: Pick<PreparedRequest, "format" | "payload">,
  wanted: LiveFormat,
): JsonObject {
  if (format === wanted) return payload;
  throw new ThreadfoldError("INVALID_CONFIG", `The session makes requests in the format ${format}, not ${wanted}.`, {
    hint: `Open the session with format: formatById("${wanted}").`,
  });
}
