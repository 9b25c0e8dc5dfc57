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

/** What is known of a request that is over its budget, beside what takes the room. */
export interface InfeasibleRequest {
  /** Where the budget comes from: the cap, and what of it is kept free for the answer. */
  readonly cap?: { readonly maxInputTokens: number; readonly outputReserveTokens: number };
  /** How folding ended (`CompactionOutcome`). */
  readonly outcome?: string;
  /** Why nothing was folded, as a clause; the figures are then those of the request as it is, `newest` all its messages. */
  readonly unfolded?: string;
  readonly hint?: string;
}

/**
 * No request fits the budget: what may not be folded is larger alone, or nothing was allowed to fold it (P3). The message
 * names what takes the room. All figures are tokens.
 */
export class BudgetInfeasibleError extends ThreadfoldError {
  override readonly name = "BudgetInfeasibleError";
  readonly budget: number;
  readonly required: number;
  readonly indispensable: IndispensableTokens;

  /** @param budget the most that the request may take: the cap less what is kept free for the answer. */
  constructor(budget: number, indispensable: IndispensableTokens, request: InfeasibleRequest = {}) {
    const { cap, outcome, unfolded, hint } = request;
    const required = Object.values(indispensable).reduce((sum, tokens) => sum + tokens, 0);
    const parts = Object.entries(indispensable).map(([name, tokens]) =>
      unfolded !== undefined && name === "newest" ? `messages ${tokens}` : `${name} ${tokens}`,
    );
    const takes = unfolded === undefined ? "What may not be folded takes" : "The request takes";
    const kept =
      cap === undefined || cap.outputReserveTokens === 0
        ? ""
        : `, ${cap.maxInputTokens} less ${cap.outputReserveTokens} for the answer`;
    const why = unfolded === undefined ? "" : `; it was not folded because ${unfolded}`;
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
