import { BudgetInfeasibleError, type LegalityViolation, type PinId, ThreadfoldError } from "@threadfold/core";
import { figure } from "../output/page.ts";
import type { CompactRun } from "./compact-run.ts";

/** Returns why a rendered request may not be sent; undefined when it is legal and contains every live pin. */
export function unsoundness(
  violations: readonly LegalityViolation[],
  missingPins: readonly PinId[],
): ThreadfoldError | undefined {
  const [first] = violations;
  if (first !== undefined) {
    const place = first.messageId === undefined ? first.at : `${first.at}, message ${first.messageId}`;
    return new ThreadfoldError("ILLEGAL_REQUEST", `The request breaks ${first.rule} at ${place}: ${first.problem}`, {
      details: { violations },
    });
  }
  if (missingPins.length === 0) return undefined;
  return new ThreadfoldError(
    "PIN_MISSING",
    `The request lacks ${missingPins.length} live pins; the first is ${missingPins[0]}.`,
    {
      details: { missingPins },
    },
  );
}

/** Returns why the result may not be sent; undefined when it fits, is legal and contains every pin. */
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
