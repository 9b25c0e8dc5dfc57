import { ERROR_CODES, type ErrorCode } from "./error-codes.ts";

const MARKER = Symbol.for("threadfold.error");

/** The fields of an error besides its message. None of them may hold message content of another tenant. */
export interface ThreadfoldErrorOptions {
  /** What to do about this particular failure; the registry's hint by default. */
  readonly hint?: string;
  /** Whether the same call may succeed later with the same input; as the registry says by default. */
  readonly retryable?: boolean;
  /** Where it went wrong and what was found, as plain data (ids, counts, line numbers). */
  readonly details?: Readonly<Record<string, unknown>>;
  /** The error that was caught, for debugging. */
  readonly cause?: unknown;
}

/**
 * The one error class of Threadfold: a stable `code` from the registry, a message that says what was wrong and where,
 * and a hint that says what to do. Recognise it with `ThreadfoldError.isInstance`, which also works when two copies
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
    this.retryable = options.retryable ?? ERROR_CODES[code].retryable;
    this.details = options.details ?? {};
    Object.defineProperty(this, MARKER, { value: true });
  }

  /** True for any Threadfold error, whichever copy of the package threw it. */
  static isInstance(value: unknown): value is ThreadfoldError {
    return typeof value === "object" && value !== null && MARKER in value;
  }
}

/**
 * Describes a failure without quoting foreign text: errors of drivers and hosts may hold content or ids that belong in
 * no event and no log. Such an error is described by its name alone, followed by its code if it has one.
 */
export function problemOf(thrown: unknown): string {
  if (ThreadfoldError.isInstance(thrown)) return `${thrown.code}: ${thrown.message}`;
  if (!(thrown instanceof Error)) return "something that is not an error was thrown";
  const { code } = thrown as { readonly code?: unknown };
  return typeof code === "string" && /^[A-Z0-9_]{1,40}$/.test(code) ? `${thrown.name} ${code}` : thrown.name;
}

/** Makes the error of asking for a part of a thread, or of its plan, that was left in the store. */
export function historyNotLoaded(): ThreadfoldError {
  return new ThreadfoldError(
    "HISTORY_NOT_LOADED",
    "This needs messages that the plan hides and that were left in the store when the thread was resumed.",
  );
}

/** What no plan can fold, in tokens. */
export interface IndispensableTokens {
  /** System text of the request, and the system messages in the thread. */
  readonly system: number;
  readonly tools: number;
  readonly pins: number;
  /** The newest user content and what must go with it. */
  readonly newest: number;
  readonly overhead: number;
}

/** Further facts about a request that is over its budget. */
export interface InfeasibleRequest {
  /** Where the budget comes from: the cap and the reserves that are kept free of it, in tokens. */
  readonly cap?: {
    readonly maxInputTokens: number;
    readonly outputReserveTokens: number;
    readonly safetyBufferTokens?: number;
  };
  /** How folding ended (`CompactionOutcome`). */
  readonly outcome?: string;
  /**
   * Why nothing was folded, as a clause. The figures are then those of the unfolded request, with all its messages in
   * `newest`.
   */
  readonly unfolded?: string;
  readonly hint?: string;
}

/**
 * Thrown when no request fits the budget: what may not be folded exceeds it on its own, or folding was not allowed
 * (P3). The message says what uses up the budget. All figures are tokens.
 */
export class BudgetInfeasibleError extends ThreadfoldError {
  override readonly name = "BudgetInfeasibleError";
  readonly budget: number;
  readonly required: number;
  readonly indispensable: IndispensableTokens;

  /** @param budget the most tokens that the request may take: the cap less what is kept free. */
  constructor(budget: number, indispensable: IndispensableTokens, request: InfeasibleRequest = {}) {
    const { cap, outcome, unfolded } = request;
    const required = Object.values(indispensable).reduce((sum, tokens) => sum + tokens, 0);
    const parts = Object.entries(indispensable).map(([name, tokens]) =>
      unfolded !== undefined && name === "newest" ? `messages ${tokens}` : `${name} ${tokens}`,
    );
    const takes = unfolded === undefined ? "What may not be folded takes" : "The request takes";
    const kept = cap === undefined ? "" : keptFree(cap);
    const why = unfolded === undefined ? "" : `; it was not folded because ${unfolded}`;
    const hint = request.hint ?? (unfolded === undefined ? wayOut(indispensable, required - budget) : undefined);
    super(
      "BUDGET_INFEASIBLE",
      `${takes} ${required} tokens (${parts.join(", ")}); the budget is ${budget}${kept}${why}.`,
      {
        details: {
          budget,
          required,
          indispensable,
          ...cap,
          ...(outcome !== undefined && { outcome }),
        },
        ...(hint !== undefined && { hint }),
      },
    );
    this.budget = budget;
    this.required = required;
    this.indispensable = indispensable;
  }
}

/** What makes each part smaller, except the wrapping of the request. */
const SHORTER: Readonly<Record<keyof Omit<IndispensableTokens, "overhead">, string>> = {
  newest:
    "The newest user message and what must stay with it are sent whole: shorten it, remove an attachment, or let the agent read long text with a tool",
  system: "Shorten the system text, which is sent whole",
  tools: "Pass fewer tools, or shorter descriptions and schemas of them",
  pins: "Lift pins, which are sent word for word",
};

/** What to do about the part that takes up most of the space. */
function wayOut({ overhead: _, ...parts }: IndispensableTokens, missing: number): string {
  const names = Object.keys(SHORTER) as (keyof typeof SHORTER)[];
  const largest = names.reduce((most, name) => (parts[name] > parts[most] ? name : most));
  return `${SHORTER[largest]}. Or raise the budget by ${missing} tokens.`;
}

/** Returns the known name that an unknown one was probably meant to be; undefined when none is close. */
export function nearestName(unknown: string, known: Iterable<string>): string | undefined {
  const most = Math.max(1, Math.floor(unknown.length / 3));
  let nearest: { readonly name: string; readonly changes: number } | undefined;
  for (const name of known) {
    const changes = changesBetween(unknown.toLowerCase(), name.toLowerCase());
    if (changes <= most && (nearest === undefined || changes < nearest.changes)) nearest = { name, changes };
  }
  return nearest?.name;
}

/** The number of characters to insert, delete or replace to turn one word into the other. */
function changesBetween(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let i = 1; i <= from.length; i++) {
    const next = [i];
    for (let j = 1; j <= to.length; j++) {
      const replaced = (row[j - 1] as number) + (from[i - 1] === to[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] as number) + 1, (next[j - 1] as number) + 1));
    }
    row = next;
  }
  return row[to.length] as number;
}

/** The reserves that are kept free of a cap, as the end of a sentence. */
function keptFree({
  maxInputTokens,
  outputReserveTokens,
  safetyBufferTokens = 0,
}: NonNullable<InfeasibleRequest["cap"]>) {
  const answer = outputReserveTokens === 0 ? [] : [`${outputReserveTokens} for the answer`];
  const margin = safetyBufferTokens === 0 ? [] : [`${safetyBufferTokens} for safety`];
  const kept = [...answer, ...margin];
  return kept.length === 0 ? "" : `, ${maxInputTokens} less ${kept.join(" and ")}`;
}
