import type {
  CompactionPlan,
  InstructionsEffect,
  NormalizationChange,
  PlanVerification,
  TokenBudget,
} from "@threadfold/core";
import type { FoldAttempt } from "../propose/attempts.ts";
import type { AttemptTrace, FoldResult } from "./fold-result.ts";
import type { ShownUnread } from "./show-unread.ts";

/** A plan that was made and rendered. */
export interface Candidate {
  readonly plan: CompactionPlan;
  readonly verification: PlanVerification;
  readonly attempt: FoldAttempt;
  readonly changes: readonly NormalizationChange[];
  readonly summarizerProblem: string | null;
  readonly instructionsUsed: boolean;
  readonly unread: ShownUnread;
}

/** What candidates are chosen by. */
export interface Choice {
  /** Tokens of the request under the current plan. */
  readonly before: number;
  readonly room: TokenBudget;
  /** True to take any plan that fits, whatever little it frees. */
  readonly hard: boolean;
  /** True when the fold was given instructions. */
  readonly instructed: boolean;
  /** Renders the current plan; called when there is no candidate, to tell what is indispensable. */
  readonly verifyCurrent: () => PlanVerification;
}

/**
 * True when a plan's request breaks a rule more often than the request that is sent now: what the host's own fields break,
 * such as a form of the answer that nothing asks for, is broken with and without a fold, and no reason to fold nothing.
 *
 * @param now renders what is sent now; called when the plan breaks a rule at all.
 */
export function breaksMore({ violations }: PlanVerification, now: () => PlanVerification): boolean {
  if (violations.length === 0) return false;
  const before = Map.groupBy(now().violations, ({ rule }) => rule);
  return [...Map.groupBy(violations, ({ rule }) => rule)].some(
    ([rule, broken]) => broken.length > (before.get(rule)?.length ?? 0),
  );
}

/** The plans that a fold has made so far, and which of them it ends with. */
export class Candidates {
  readonly #made: Candidate[] = [];
  readonly #by: Choice;

  constructor(by: Choice) {
    this.#by = by;
  }

  add(candidate: Candidate): void {
    this.#made.push(candidate);
  }

  /** True for a plan that holds every pin and breaks no rule of the provider that is kept without it. */
  isSound({ verification }: Candidate): boolean {
    return verification.missingPins.length === 0 && !breaksMore(verification, this.#by.verifyCurrent);
  }

  /** True when a plan is good enough that an attempt which folds more is not made. */
  serve(attempt: FoldAttempt): boolean {
    return this.#made.some(
      (candidate) => this.#fits(candidate) && (candidate.unread.enough || attempt.unread === "nothing"),
    );
  }

  /**
   * Of the plans that show enough of what is unread, else of all: the first sound one below the soft threshold, else the
   * first that fits the limit, else the reason why there is none.
   */
  choose(): FoldResult {
    const { before, room } = this.#by;
    const fitting = this.#made.filter((candidate) => this.#fits(candidate));
    const telling = fitting.filter(({ unread }) => unread.enough);
    const best = telling.length > 0 ? telling : fitting;
    const chosen = best.find(({ verification }) => verification.tokens <= room.softLimit) ?? best[0];
    if (chosen !== undefined) return this.#accept(chosen);
    const tokens = { before, after: before };
    if (this.#made.length === 0 && before <= room.limitTokens) return this.#nothingToFold();
    const unsound = this.#made.find((candidate) => !this.isSound(candidate));
    if (unsound !== undefined && unsound.verification.tokens <= room.limitTokens) {
      const { violations, missingPins } = unsound.verification;
      return { type: "refused", violations, missingPins, tokens };
    }
    return before <= room.limitTokens ? { type: "inflated", tokens } : this.#infeasible(this.#made.at(-1));
  }

  #fits(candidate: Candidate): boolean {
    return this.isSound(candidate) && candidate.verification.tokens <= this.#by.room.limitTokens;
  }

  /** Below the threshold a trigger just looked too early; above it the request stays there however often one looks. */
  #nothingToFold(): FoldResult {
    const { before, hard, room } = this.#by;
    const tokens = { before, after: before };
    if (hard || before <= room.softLimit) return { type: "no-op", reason: "nothing more can be folded", tokens };
    return { type: "ineffective", freed: 0, required: room.leastReclaim, tokens };
  }

  #accept(candidate: Candidate): FoldResult {
    const { before, hard, room } = this.#by;
    const unchanged = { before, after: before };
    const tokens = { before, after: candidate.verification.tokens };
    const freed = before - tokens.after;
    const required = room.leastReclaim;
    const mustFold = hard || before > room.limitTokens;
    if (freed <= 0) return { type: "inflated", tokens: unchanged };
    if (!mustFold && freed < required) return { type: "ineffective", freed, required, tokens: unchanged };
    return {
      type: "ready",
      plan: candidate.plan,
      tokens,
      attempt: candidate.attempt.name,
      floor: candidate.attempt.floor,
      summarizerProblem: candidate.summarizerProblem,
      instructions: this.#effectOf(candidate),
      changes: candidate.changes,
      attempts: this.#made.map(traceOf),
    };
  }

  #effectOf({ instructionsUsed }: Candidate): InstructionsEffect | null {
    if (!this.#by.instructed) return null;
    return instructionsUsed ? "used" : "no-effect";
  }

  #infeasible(barest: Candidate | undefined): FoldResult {
    const { before, room } = this.#by;
    const { breakdown, tokens } = barest?.verification ?? this.#by.verifyCurrent();
    const { system, tools, pins, overhead } = breakdown;
    const newest = tokens - system - tools - pins - overhead;
    return {
      type: "infeasible",
      budget: room.limitTokens,
      required: tokens,
      indispensable: { system, tools, pins, newest, overhead },
      tokens: { before, after: before },
    };
  }
}

const traceOf = ({ attempt, verification }: Candidate): AttemptTrace => ({
  attempt: attempt.name,
  tokens: verification.tokens,
  violations: verification.violations.length,
  missingPins: verification.missingPins.length,
});
