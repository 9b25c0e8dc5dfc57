/** What a comparison may write: `check` nothing, `new` what is missing, `update` everything that differs. */
export type GoldenMode = "check" | "new" | "update";

/** The one switch, beside the `-u` of vitest. */
export const UPDATE_VARIABLE = "THREADFOLD_UPDATE_GOLDENS";

const OFF: readonly (string | undefined)[] = [undefined, "", "0", "false"];

/** True where a build server runs the tests (`CI`). Nothing is written there, whatever is asked for. */
export const isCi = (environment: NodeJS.ProcessEnv): boolean => !OFF.includes(environment["CI"]);

/**
 * What may be written in this environment.
 *
 * @param runner what the test runner was told: `all` (vitest's `-u`), `new`, or `none`. `new` by default.
 */
export function goldenMode(environment: NodeJS.ProcessEnv, runner: "all" | "new" | "none" = "new"): GoldenMode {
  if (isCi(environment)) return "check";
  if (runner === "all" || !OFF.includes(environment[UPDATE_VARIABLE])) return "update";
  return runner === "none" ? "check" : "new";
}
