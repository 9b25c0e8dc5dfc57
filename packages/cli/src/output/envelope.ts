import type { CliReport, CliWarning } from "../cli-command.ts";
import { asCliFailure, type CliFailure } from "../cli-failure.ts";

/** Version of the envelope's shape. It is raised when a field changes its meaning or goes. */
export const ENVELOPE_SCHEMA_VERSION = 1;

/** The one JSON document that `--json` prints. `error` is there exactly when `ok` is false. */
export interface Envelope {
  readonly ok: boolean;
  readonly schemaVersion: typeof ENVELOPE_SCHEMA_VERSION;
  /** The command's own data; null when it came to none. */
  readonly data: unknown;
  readonly warnings: readonly CliWarning[];
  readonly error?: { readonly code: CliFailure["code"]; readonly message: string; readonly hint: string };
}

/** The envelope of a command that did its work. */
export function envelopeOf({ data, warnings = [], failure }: CliReport): Envelope {
  const envelope = { schemaVersion: ENVELOPE_SCHEMA_VERSION, data, warnings } as const;
  return failure === undefined
    ? { ok: true, ...envelope }
    : { ok: false, ...envelope, error: errorOf(asCliFailure(failure)) };
}

/** The envelope of a command that came to nothing. */
export function failureEnvelope(failure: CliFailure): Envelope {
  return { ok: false, schemaVersion: ENVELOPE_SCHEMA_VERSION, data: null, warnings: [], error: errorOf(failure) };
}

/** An envelope as the line that is printed. */
export const serializeEnvelope = (envelope: Envelope): string => `${JSON.stringify(envelope)}\n`;

const errorOf = ({ code, message, hint }: CliFailure) => ({ code, message, hint });
