import type { PolicyReplay } from "../replay/replay-policy.ts";

/** How a replay went, call by call, for plots. */
export interface ReplaySeries {
  readonly policy: string;
  readonly session: string;
  readonly budget: number;
  /** Tokens of each prompt; null where the policy threw. */
  readonly tokens: readonly (number | null)[];
  /** Bill (a) of all calls so far, in input-token equivalents. */
  readonly bill: readonly number[];
}

export function replaySeries({ policy, session, budgetTokens, calls }: PolicyReplay): ReplaySeries {
  let bill = 0;
  return {
    policy,
    session,
    budget: budgetTokens,
    tokens: calls.map(({ tokens, thrown }) => (thrown ? null : Math.round(tokens))),
    bill: calls.map(({ bills }) => Math.round((bill += bills.a))),
  };
}
