import { asThreadId, ThreadfoldError, type ThreadId } from "@threadfold/core";
import { formatById } from "@threadfold/renderer";
import { ContextSession, type SessionOptions } from "@threadfold/session";
import type { CliCall, CliContext } from "../command/cli-command.ts";
import { readingStore } from "./store-address.ts";
import { newestRequest, storedThread } from "./stored-thread.ts";

/**
 * Opens a session on a stored thread, with the frame and format of its newest request, and runs `work` on it.
 *
 * @throws ThreadfoldError `STORE_UNAVAILABLE`, `THREAD_NOT_FOUND`, listing threads that the store has, and what the
 *   work throws.
 */
export function workingSession<Result>(
  threadId: string,
  options: CliCall["options"],
  { io }: CliContext,
  work: (session: ContextSession) => Promise<Result>,
  settings: Pick<SessionOptions, "summaryModel"> = {},
): Promise<Result> {
  return readingStore(options, io.env, async (store) => {
    const { id } = await storedThread(store, threadId);
    const { record, frame } = await newestRequest(store, id);
    const format = formatById(record?.format ?? "neutral");
    return work(await ContextSession.open({ threadId: id, store, format, frame, clock: io.clock, ...settings }));
  });
}

/** Returns the id that a new thread is to have. @throws ThreadfoldError `USAGE` for an empty one. */
export function newThreadId(text: string): ThreadId {
  if (text.trim() !== "") return asThreadId(text);
  throw new ThreadfoldError("USAGE", "The id of the new thread is empty; it must be one that no thread has yet.");
}

/** Returns the text of a required option. @throws ThreadfoldError `USAGE`. */
export function requiredText(name: string, value: CliCall["options"][string], says: string): string {
  if (typeof value === "string" && value.trim() !== "") return value;
  const problem = value === undefined ? "is missing" : "is blank";
  throw new ThreadfoldError("USAGE", `--${name} ${problem}; it says ${says}.`);
}
