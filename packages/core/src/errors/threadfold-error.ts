import { ERROR_CODES, type ErrorCode } from "./error-codes.ts";

const MARKER = Symbol.for("threadfold.error");

/** What an error carries beside its message. Nothing here may hold message content of another tenant. */
export interface ThreadfoldErrorOptions {
  /** What to do about this very failure; the registry's hint stands in when it is absent. */
  readonly hint?: string;
  /** Where it went wrong and what was found, as plain data (ids, counts, line numbers). */
  readonly details?: Readonly<Record<string, unknown>>;
  readonly cause?: unknown;
}

/**
 * The one error class of Threadfold: a stable `code` from the registry, a message that says what was wrong and where,
 * and a hint that says what to do. Recognise it with `ThreadfoldError.isInstance`, which also holds when two copies
 * of the package are installed.
 */
export class ThreadfoldError extends Error {
  override readonly name: string = "ThreadfoldError";
  readonly code: ErrorCode;
  readonly hint: string;
  readonly retryable: boolean;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(code: ErrorCode, message: string, options: ThreadfoldErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.hint = options.hint ?? ERROR_CODES[code].hint;
    this.retryable = ERROR_CODES[code].retryable;
    this.details = options.details ?? {};
    Object.defineProperty(this, MARKER, { value: true });
  }

  /** True for any Threadfold error, whichever copy of the package threw it. */
  static isInstance(value: unknown): value is ThreadfoldError {
    return typeof value === "object" && value !== null && MARKER in value;
  }
}
