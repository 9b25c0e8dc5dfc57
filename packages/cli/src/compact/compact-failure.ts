import { BudgetInfeasibleError, ThreadfoldError } from "@threadfold/core";
import { figure } from "../output/figures.ts";
import { unsoundness } from "../soundness.ts";
import type { CompactRun } from "./compact-run.ts";

/** Why the result may not be sent, or undefined when it may: it fits, it is legal, and every pin is in it. */
export function compactFailure({ outcome, prepared, request }: CompactRun): ThreadfoldError | undefined {
  switch (outcome.type) {
    case "infeasible":
      return new BudgetInfeasibleError(outcome.budget, outcome.indispensable);
    case "aborted":
      return new ThreadfoldError("ABORTED", "The command was interrupted.");
    case "conflict":
      return new ThreadfoldError("PLAN_CONFLICT", `Another writer committed plan ${outcome.currentVersion} first.`);
    case "refused":
      return unsoundness(outcome.violations, outcome.missingPins);
  }
  if (prepared === null) return undefined;
  if (prepared.overBudget) {
    const figures = `The request takes ${figure(prepared.tokens)} tokens and the budget is ${figure(request.budget)}`;
    return new ThreadfoldError("BUDGET_INFEASIBLE", `${figures}; folding ended with "${outcome.type}".`);
  }
  return unsoundness(prepared.violations, prepared.missingPins);
}
