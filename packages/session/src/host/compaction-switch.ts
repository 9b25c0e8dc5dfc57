/** Name of the environment variable that an operator switches folding off with; what somebody asks for is folded all the same. */
export const DISABLE_COMPACTION = "THREADFOLD_DISABLE_COMPACTION";

/** The variables that a session looks at, by name. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The environment of this process; empty where there is none, as in a browser. */
export function processEnvironment(): Environment {
  return (globalThis as { readonly process?: { readonly env?: Environment } }).process?.env ?? {};
}

/** Why folding is off when a host switched it off at run time. */
export const SWITCHED_OFF = "it was switched off with setAutoCompaction(false)";

/**
 * Why folding is off, or null while it is on. The environment wins over the option: it is what an operator can reach
 * without changing the code.
 *
 * @param compaction the session's option.
 */
export function disabledReason(compaction: boolean | undefined, environment: Environment): string | null {
  const value = environment[DISABLE_COMPACTION]?.trim().toLowerCase();
  if (value === "1" || value === "true") return `${DISABLE_COMPACTION} is set`;
  return compaction === false ? "the session was opened with compaction: false" : null;
}
