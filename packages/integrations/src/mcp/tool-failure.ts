import type { CallToolResult } from "@modelcontextprotocol/server";
import { ThreadfoldError } from "@threadfold/core";

/** Why a tool gives nothing. Part of the public interface: kinds never change their meaning. */
export type ToolProblem = "invalid-input" | "not-found" | "unavailable";

/** A failure that the model is told about in words that are meant for it: what is wrong and what to do instead. */
export class ToolFailure extends Error {
  override readonly name = "ToolFailure";
  readonly problem: ToolProblem;

  constructor(problem: ToolProblem, message: string) {
    super(message);
    this.problem = problem;
  }
}

/** What a model is told when a call fails for a reason that is none of its business. */
const UNAVAILABLE = new ToolFailure(
  "unavailable",
  "The conversation's store cannot be read just now. Nothing was changed; go on without it, or try once more later.",
);

/** What is told of a call when it is over. It holds nothing of what was asked or answered. */
export interface ToolCallReport {
  readonly tool: string;
  readonly durationMilliseconds: number;
  /** Why it gave nothing; null when it gave something. */
  readonly problem: ToolProblem | null;
}

/** Who hears of calls and of what went wrong in them. */
export interface ToolListeners {
  readonly now: () => number;
  readonly onCall?: (report: ToolCallReport) => void;
  readonly onError?: (error: unknown) => void;
}

/** Runs a tool. A failure becomes a result with `isError`; what is not meant for the model goes to `onError` and no further. */
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
    if (failure === UNAVAILABLE) report(thrown, onError);
    over(failure.problem);
    return { isError: true, content: [{ type: "text", text: failure.message }] };
  }
}

/** A listener must not break the call that it hears of. */
export function report<Told>(told: Told, listener: ((told: Told) => void) | undefined): void {
  try {
    listener?.(told);
  } catch {
    // What it throws is its own affair.
  }
}

function failureOf(thrown: unknown): ToolFailure {
  if (thrown instanceof ToolFailure) return thrown;
  if (ThreadfoldError.isInstance(thrown) && thrown.code === "INVALID_QUERY") {
    return new ToolFailure("invalid-input", `${thrown.message} ${thrown.hint}`);
  }
  return UNAVAILABLE;
}
