import { ThreadfoldError } from "./threadfold-error.ts";

/** What no plan can fold, in tokens. */
export interface IndispensableTokens {
  readonly system: number;
  readonly tools: number;
  readonly pins: number;
  /** The newest user content and what must stand beside it. */
  readonly newest: number;
  readonly overhead: number;
}

/** No legal plan fits: what may not be folded is larger than the budget alone (P3). The message names what takes the room. */
export class BudgetInfeasibleError extends ThreadfoldError {
  override readonly name = "BudgetInfeasibleError";
  readonly budget: number;
  readonly required: number;
  readonly indispensable: IndispensableTokens;

  constructor(budget: number, indispensable: IndispensableTokens) {
    const required = Object.values(indispensable).reduce((sum, tokens) => sum + tokens, 0);
    const parts = Object.entries(indispensable).map(([name, tokens]) => `${name} ${tokens}`);
    super(
      "BUDGET_INFEASIBLE",
      `What may not be folded takes ${required} tokens (${parts.join(", ")}); the budget is ${budget}.`,
      {
        details: { budget, required, indispensable },
      },
    );
    this.budget = budget;
    this.required = required;
    this.indispensable = indispensable;
  }
}
