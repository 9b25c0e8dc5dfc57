import type { ContextSession, FrameFields, PreparedRequest } from "@threadfold/session";

/** How a request is prepared. */
export interface AskOptions {
  /** Goes before the session's own frame, field by field. */
  readonly frame?: FrameFields;
  readonly signal?: AbortSignal;
  /** Hears of each request that is prepared. What it throws is ignored. */
  readonly onRequest?: OnRequest;
}

/**
 * Hears of a request before it is sent: its `outcome` says what folding came to, `warnings` what was left out of it, and
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

/** As {@link askModel}, for a request that stands already. */
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

/** Prepares a request and lets the host hear of it. @throws what `ContextSession.prepare` throws. */
export async function prepareFor(
  session: ContextSession,
  { onRequest, ...options }: AskOptions,
): Promise<PreparedRequest> {
  const request = await session.prepare(options);
  try {
    onRequest?.(request);
  } catch {
    // A listener's failure is its own.
  }
  return request;
}
