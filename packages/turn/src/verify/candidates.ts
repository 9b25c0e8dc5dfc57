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

/** A plan that a fold made and rendered. */
export interface Candidate {
  readonly plan: CompactionPlan;
  readonly verification: PlanVerification;
  readonly attempt: FoldAttempt;
  readonly changes: readonly NormalizationChange[];
  readonly summarizerProblem: string | null;
  readonly instructionsUsed: boolean;
  readonly unread: ShownUnread;
}

/** What the choice among candidates depends on. */
export interface Choice {
  /** Tokens of the request under the current plan. */
  readonly before: number;
  readonly room: TokenBudget;
  /** True to accept any plan that fits, however little it frees. */
  readonly hard: boolean;
  /** True when the fold was given instructions. */
  readonly instructed: boolean;
  /** Tokens of the system messages inside the conversation, which no plan folds. */
  readonly systemTokensInside: number;
  /** Renders the current plan; called when a candidate breaks a rule, or when there is none and nothing fits. */
  readonly verifyCurrent: () => PlanVerification;
}

/**
 * Checks whether a plan's request breaks any rule more often than the current request: rules that the host's own fields
 * break, such as a response format that nothing asks for, are broken with or without a fold, and are no reason not to
 * fold.
 *
 * @param now renders the current request; only called when the plan breaks a rule at all.
 */
export function breaksMore({ violations }: PlanVerification, now: () => PlanVerification): boolean {
  if (violations.length === 0) return false;
  const before = Map.groupBy(now().violations, ({ rule }) => rule);
  return [...Map.groupBy(violations, ({ rule }) => rule)].some(
    ([rule, broken]) => broken.length > (before.get(rule)?.length ?? 0),
  );
}

/** Collects the plans that a fold makes, and chooses the one that it ends with. */
export class Candidates {
  readonly #made: Candidate[] = [];
  readonly #by: Choice;
  /** Tokens of the largest plan that was not made, because it could not free enough. */
  #mostNotMade = 0;
  #isDecided = false;

  constructor(by: Choice) {
    this.#by = by;
  }

  /**
   * Checks whether a plan could be accepted that changes messages of so many tokens, of which it frees a part at most.
   * If not, there is no need to make it.
   */
  mayServe(tokensOf: () => number): boolean {
    if (this.#mustFold) return true;
    const tokens = tokensOf();
    if (tokens >= this.#by.room.leastReclaim) return true;
    this.#mostNotMade = Math.max(this.#mostNotMade, tokens);
    this.#isDecided ||= this.#by.before - tokens <= this.#by.room.softLimit;
    return false;
  }

  /** True when a plan that was not made would be the one to choose: nothing has to be folded deeper for it. */
  get isDecided(): boolean {
    return this.#isDecided;
  }

  get #mustFold(): boolean {
    return this.#by.hard || this.#by.before > this.#by.room.limitTokens;
  }

  add(candidate: Candidate): void {
    this.#made.push(candidate);
  }

  /** Checks whether a plan contains every pin and breaks no provider rule that the current request does not break. */
  isSound({ verification }: Candidate): boolean {
    return verification.missingPins.length === 0 && !breaksMore(verification, this.#by.verifyCurrent);
  }

  /** Checks whether a plan is already good enough, so that an attempt that folds more is not needed. */
  serve(attempt: FoldAttempt): boolean {
    return this.#made.some(
      (candidate) => this.#fits(candidate) && (candidate.unread.enough || attempt.unread === "nothing"),
    );
  }

  /**
   * Returns the first sound plan below the soft threshold, else the first that fits the limit, preferring plans that
   * show enough of the unread results; if there is none, returns why.
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

  /** `no-op` below the soft threshold, where a trigger only fired too early; above it, trying again would not help. */
  #nothingToFold(): FoldResult {
    const { before, hard, room } = this.#by;
    const tokens = { before, after: before };
    if (hard || before <= room.softLimit) return { type: "no-op", reason: "nothing more can be folded", tokens };
    return { type: "ineffective", freed: this.#mostNotMade, required: room.leastReclaim, tokens };
  }

  #accept(candidate: Candidate): FoldResult {
    const { before, room } = this.#by;
    const unchanged = { before, after: before };
    const tokens = { before, after: candidate.verification.tokens };
    const freed = before - tokens.after;
    const required = room.leastReclaim;
    if (freed <= 0) return { type: "inflated", tokens: unchanged };
    if (!this.#mustFold && freed < required) return { type: "ineffective", freed, required, tokens: unchanged };
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
    const { tools, pins, overhead } = breakdown;
    const messages = tokens - breakdown.system - tools - pins - overhead;
    // A host that adds one at each step should not look for what is too long at the end of its thread.
    const inside = Math.min(this.#by.systemTokensInside, messages);
    const [system, newest] = [breakdown.system + inside, messages - inside];
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
