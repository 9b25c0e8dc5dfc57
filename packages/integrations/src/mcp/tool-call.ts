import type { CallToolResult } from "@modelcontextprotocol/server";
import { ThreadfoldError } from "@threadfold/core";
import { z } from "zod";

/** Why a tool call has no result. These kinds are part of the public interface and never change their meaning. */
export type ToolProblem = "invalid-input" | "not-found" | "unavailable";

/** A failure with a message for the model: what is wrong and what to do instead. */
export class ToolFailure extends Error {
  override readonly name = "ToolFailure";
  readonly problem: ToolProblem;

  constructor(problem: ToolProblem, message: string) {
    super(message);
    this.problem = problem;
  }
}

/** What a model is told when a call fails for internal reasons. */
const UNAVAILABLE = new ToolFailure(
  "unavailable",
  "The conversation's store cannot be read just now. Nothing was changed; go on without it, or try once more later.",
);

/** What a model is told of content that no available key opens. */
const SEALED = new ToolFailure(
  "unavailable",
  "The conversation is sealed, and this server has no keys that open it. Calling again does not help; go on without it.",
);

/** The report of a finished call. It contains nothing of the question or the answer. */
export interface ToolCallReport {
  readonly tool: string;
  readonly durationMilliseconds: number;
  /** Why the call had no result; null when it had one. */
  readonly problem: ToolProblem | null;
}

/** The host's listeners for tool calls and for errors in them. */
export interface ToolListeners {
  readonly now: () => number;
  readonly onCall?: (report: ToolCallReport) => void;
  readonly onError?: (error: unknown) => void;
}

/**
 * Runs a tool. A failure becomes a result with `isError`; errors that are not meant for the model go only to `onError`.
 */
export async function toolResult(
  tool: string,
  run: () => Promise<CallToolResult>,
  { now, onCall, onError }: ToolListeners,
): Promise<CallToolResult> {
  const begun = now();
  const over = (problem: ToolProblem | null) => report({ tool, durationMilliseconds: now() - begun, problem }, onCall);
  try {
    const result = await run();
    over(null);
    return result;
  } catch (thrown) {
    const failure = failureOf(thrown);
    if (failure.problem === "unavailable") report(thrown, onError);
    over(failure.problem);
    return { isError: true, content: [{ type: "text", text: failure.message }] };
  }
}

/** Calls a listener, whose errors must not break the call that is reported. */
export function report<Told>(told: Told, listener: ((told: Told) => void) | undefined): void {
  try {
    listener?.(told);
  } catch {
    // Errors of a listener are ignored.
  }
}

/** Returns what a client is told of an error. */
export function failureOf(thrown: unknown): ToolFailure {
  if (thrown instanceof ToolFailure) return thrown;
  if (!ThreadfoldError.isInstance(thrown)) return UNAVAILABLE;
  switch (thrown.code) {
    case "INVALID_QUERY":
      return new ToolFailure("invalid-input", `${thrown.message} ${thrown.hint}`);
    case "KEY_MISSING":
    case "KEY_MISMATCH":
      return SEALED;
    default:
      return UNAVAILABLE;
  }
}

/** Maximum tokens of a result, whatever a call asks for. */
const MOST_RESULT_TOKENS = 40_000;

/** Annotations of every tool: it only reads, returns the same for the same call, and uses nothing but the store. */
export const READ_ONLY = Object.freeze({
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
});

/** The thread that a call is about, needed only when several are served. */
export const threadIdField = z
  .string()
  .min(1)
  .max(512)
  .optional()
  .describe("Id of the thread. Leave it out when only one is served.");

/** Maximum tokens of the result. */
export const maxTokensField = z
  .int()
  .min(256)
  .max(MOST_RESULT_TOKENS)
  .optional()
  .describe("Most tokens that the result may take.");

/** The cursor of the next page, for a later call to pass back; null on the last page. */
export const nextCursorField = z
  .string()
  .nullable()
  .describe("Give it back as cursor for the next page. Null at the end.");

/** Reads a cursor that an earlier page returned: an integer from 0. Returns null for anything else. */
export function cursorPlace(cursor: string | undefined, prefix: string): number | null {
  if (cursor === undefined) return 0;
  const digits = cursor.startsWith(prefix) ? cursor.slice(prefix.length) : "";
  return /^\d{1,9}$/.test(digits) ? Number(digits) : null;
}
