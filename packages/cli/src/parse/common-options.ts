import type { CliCall, CliOption } from "../cli-command.ts";
import { parsePlanVersion } from "./numbers.ts";

/** Names the store that a command works on. */
export const STORE_OPTION: CliOption = {
  flags: "--store <file>",
  description: "store to use (default: $THREADFOLD_STORE, else ./threadfold.db)",
};

/** Names the plan that a command looks at. */
export const PLAN_OPTION: CliOption = {
  flags: "--plan <version>",
  description: "version of the plan (default: the newest; 0 folds nothing)",
};

/** Which plan is meant. @throws ThreadfoldError `USAGE`. */
export function planVersion({ plan }: CliCall["options"]): number | "newest" {
  return typeof plan === "string" ? parsePlanVersion("--plan", plan) : "newest";
}
