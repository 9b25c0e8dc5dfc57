import type { ContextSession, PreparedRequest, RequestFrame } from "@threadfold/session";

/** How a request is prepared. */
export interface AskOptions {
  readonly frame?: RequestFrame;
  readonly signal?: AbortSignal;
}

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
  const request = await session.prepare(options);
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
    return send(await session.prepare(options));
  }
}
