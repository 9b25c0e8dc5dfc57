import { type ErrorCode, ThreadfoldError } from "@threadfold/core";
import { EXIT_CODES, EXIT_OF_ERROR } from "./exit-codes.ts";

/** A failure as it is printed and as the process ends with it. `INTERNAL` is a defect of Threadfold itself. */
export interface CliFailure {
  readonly code: ErrorCode | "INTERNAL";
  readonly message: string;
  readonly hint: string;
  readonly exitCode: number;
}

/** Reads anything that was thrown as a failure. */
export function asCliFailure(thrown: unknown): CliFailure {
  if (ThreadfoldError.isInstance(thrown)) {
    const { code, message, hint } = thrown;
    return { code, message, hint, exitCode: exitCodeOf(thrown) };
  }
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return {
    code: "INTERNAL",
    message,
    hint: "This is a defect. Run again with THREADFOLD_DEBUG=1 and report what it prints.",
    exitCode: EXIT_CODES.failed,
  };
}

function exitCodeOf(error: ThreadfoldError): number {
  // A source that is not there is "not found"; one that is there and cannot be read has failed.
  if (error.code === "UNREADABLE_SOURCE" && isMissingFile(error.cause)) return EXIT_CODES.notFound;
  return EXIT_CODES[EXIT_OF_ERROR[error.code]];
}

function isMissingFile(cause: unknown): boolean {
  return typeof cause === "object" && cause !== null && "code" in cause && cause.code === "ENOENT";
}
