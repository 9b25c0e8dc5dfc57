import type { CallRow, InspectionIndex, PlanRow } from "@threadfold/inspection/rows";
import type { Share } from "../parts/share-bar.tsx";

/** A part of a request's tokens: its column, its name and its colour's name. */
type Part = readonly [column: keyof CallRow & keyof Figures, name: string, tone: string];
type Figures = { [Column in keyof CallRow as CallRow[Column] extends number ? Column : never]: number };

/** The parts of a request's tokens, from the bottom of a column to its top. They add up to `tokens`. */
export const PARTS: readonly Part[] = [
  ["system", "system", "system"],
  ["tools", "tools", "tools"],
  ["overhead", "overhead", "overhead"],
  ["pins", "pins", "pins"],
  ["summaries", "summaries", "summaries"],
  ["pointers", "pointers", "pointers"],
  ["cleared", "cleared", "cleared"],
  ["kept", "kept", "kept"],
  ["rehydrated", "brought back", "returned"],
];

/** The same tokens by what the prompt cache did with them. They add up to `inputTokens`. */
export const CACHE_PARTS: readonly Part[] = [
  ["cached", "cached", "cached"],
  ["written", "written", "written"],
  ["fresh", "fresh", "fresh"],
];

/** Returns the tokens of one call, part by part. */
export const callShares = (calls: InspectionIndex["calls"], call: number, parts: readonly Part[]): readonly Share[] =>
  parts.map(([column, name, tone]) => ({ name, tone, value: calls[column][call] ?? 0 }));

/**
 * Returns the limit of each call in the tokens that its parts are counted in. The recorded one is in the provider's
 * tokens, which may be more or fewer.
 */
export const countedLimits = ({ limit, tokens, estimated }: InspectionIndex["calls"]): readonly (number | null)[] =>
  limit.map((most, call) => (most === null ? null : (most * (tokens[call] ?? 0)) / (estimated[call] || 1)));

/** Returns the parts of the first request under a plan, or one part with what the plan left if it was not rendered. */
export function planShares(calls: InspectionIndex["calls"], plan: PlanRow): readonly Share[] {
  const shares = callShares(calls, plan.firstCall, PARTS).filter(({ value }) => value > 0);
  return shares.length > 0 ? shares : [{ name: "left", tone: "kept", value: plan.compactedTokens }];
}

/** Returns the sum of all shares. */
export const sharesTogether = (shares: readonly Share[]): number => shares.reduce((sum, { value }) => sum + value, 0);
