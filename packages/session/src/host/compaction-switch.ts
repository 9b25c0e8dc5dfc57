/**
 * Name of the environment variable with which an operator switches automatic folding off; forced folds still happen.
 */
export const DISABLE_COMPACTION = "THREADFOLD_DISABLE_COMPACTION";

/** Environment variables, by name. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Returns the environment of this process; empty when there is none, as in a browser. */
export function processEnvironment(): Environment {
  return (globalThis as { readonly process?: { readonly env?: Environment } }).process?.env ?? {};
}

/** The reason given when a host switched folding off at run time. */
export const SWITCHED_OFF = "it was switched off with setAutoCompaction(false)";

/**
 * Returns why folding is off, or null while it is on. The environment takes precedence over the option, because an
 * operator can change it without changing the code.
 *
 * @param compaction the session's option.
 */
export function disabledReason(compaction: boolean | undefined, environment: Environment): string | null {
  const value = environment[DISABLE_COMPACTION]?.trim().toLowerCase();
  if (value === "1" || value === "true") return `${DISABLE_COMPACTION} is set`;
  return compaction === false ? "the session was opened with compaction: false" : null;
}
