import { raceSignal, ThreadfoldError } from "@threadfold/core";

/** How long work that was aborted may take to come to its own end, in milliseconds; then it is given up. */
export const ABORT_GRACE_MS = 1_000;

/**
 * Gives what work gives, unless its signal is aborted and it does not end soon after that by itself: what hears no signal,
 * such as a store that does not answer, is given up then.
 *
 * @param start is told to begin nothing more by its own signal, once nobody waits for it.
 * @throws ThreadfoldError `ABORTED` with the signal's reason as its cause.
 */
export async function untilGivenUp<Result>(
  start: (givenUp: AbortSignal) => Promise<Result>,
  signal: AbortSignal | undefined,
): Promise<Result> {
  const givenUp = new AbortController();
  if (signal === undefined) return start(givenUp.signal);
  let timer: ReturnType<typeof setTimeout> | undefined;
  const giveUpSoon = (): void => {
    timer = setTimeout(() => {
      const message = `It was aborted, and what was under way did not end within ${ABORT_GRACE_MS} ms.`;
      givenUp.abort(new ThreadfoldError("ABORTED", message, { cause: signal.reason }));
    }, ABORT_GRACE_MS);
  };
  if (signal.aborted) giveUpSoon();
  else signal.addEventListener("abort", giveUpSoon, { once: true });
  try {
    return await raceSignal(() => start(givenUp.signal), givenUp.signal);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", giveUpSoon);
  }
}
