import { type ExpectedVersion, ThreadfoldError, type ThreadId } from "@threadfold/core";

/**
 * Lets an append pass when the thread is where the caller expects it. A thread without entries is no thread, so
 * `"no-thread"` and 0 mean the same.
 *
 * @throws ThreadfoldError `VERSION_CONFLICT` with both versions.
 */
export function requireVersion(threadId: ThreadId, actual: number, expected: ExpectedVersion): void {
  if (expected === "any" || actual === (expected === "no-thread" ? 0 : expected)) return;
  const wanted = expected === "no-thread" ? "not to be there yet" : `at version ${expected}`;
  throw new ThreadfoldError(
    "VERSION_CONFLICT",
    `Thread ${threadId} is at version ${actual}; the append expects it ${wanted}.`,
    {
      details: { threadId, expected, actual },
      ...(expected === "no-thread" && {
        hint: "For a new thread, name an id that is free; to go on with this one, open a session on it, or call `await session.refresh()`, and append again.",
      }),
    },
  );
}
