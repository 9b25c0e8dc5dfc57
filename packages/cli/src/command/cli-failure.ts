import { type ErrorCode, ThreadfoldError } from "@threadfold/core";
import { plainJson } from "../output/page.ts";
import type { CliReport, CliWarning } from "./cli-command.ts";
import { EXIT_CODES, EXIT_OF_ERROR } from "./exit-codes.ts";

/** A failure as it is printed, and its exit code. `INTERNAL` is a defect of Threadfold itself. */
export interface CliFailure {
  readonly code: ErrorCode | "INTERNAL";
  readonly message: string;
  readonly hint: string;
  readonly exitCode: number;
}

/** Converts anything thrown to a failure. */
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
  // A missing source is "not found"; one that exists but cannot be read has failed.
  if (error.code === "UNREADABLE_SOURCE" && isMissingFile(error.cause)) return EXIT_CODES.notFound;
  return EXIT_CODES[EXIT_OF_ERROR[error.code]];
}

function isMissingFile(cause: unknown): boolean {
  return typeof cause === "object" && cause !== null && "code" in cause && cause.code === "ENOENT";
}

/** Version of the envelope's schema. It is raised when a field changes its meaning or is removed. */
export const ENVELOPE_SCHEMA_VERSION = 1;

/** The single JSON document that `--json` prints. `error` is present exactly when `ok` is false. */
export interface Envelope {
  readonly ok: boolean;
  readonly schemaVersion: typeof ENVELOPE_SCHEMA_VERSION;
  /** The command's own data; null when it has none. */
  readonly data: unknown;
  readonly warnings: readonly CliWarning[];
  readonly error?: { readonly code: CliFailure["code"]; readonly message: string; readonly hint: string };
}

/** Returns the envelope of a command that did its work. */
export function envelopeOf({ data, warnings = [], failure }: CliReport): Envelope {
  const envelope = { schemaVersion: ENVELOPE_SCHEMA_VERSION, data, warnings } as const;
  return failure === undefined
    ? { ok: true, ...envelope }
    : { ok: false, ...envelope, error: errorOf(asCliFailure(failure)) };
}

/** Returns the envelope of a command that failed. */
export function failureEnvelope(failure: CliFailure): Envelope {
  return { ok: false, schemaVersion: ENVELOPE_SCHEMA_VERSION, data: null, warnings: [], error: errorOf(failure) };
}

/** Returns an envelope as the line that is printed. */
export const serializeEnvelope = (envelope: Envelope): string => `${plainJson(JSON.stringify(envelope))}\n`;

const errorOf = ({ code, message, hint }: CliFailure) => ({ code, message, hint });
