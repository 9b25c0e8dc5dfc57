import { type ContextCompactionConfig, roomTokens } from "@threadfold/core";
import {
  type CompactionStrategy,
  clearStrategy,
  dropStrategy,
  externalizeStrategy,
  summarizeStrategy,
  truncateStrategy,
} from "@threadfold/strategies";

/** One way to fold, from the ladder as configured down to the barest possible prompt. */
export interface FoldAttempt {
  readonly name: string;
  readonly ladder: readonly CompactionStrategy[];
  /** Tokens at the end of the thread that are left alone. */
  readonly recentTokens: number;
  /** What is left alone even if it is larger: the newest group, only its newest message, or nothing. */
  readonly newest: "group" | "message" | "nothing";
  /** What stays of results that no model call has read yet: everything, as much of both ends as fits, or nothing. */
  readonly unread: "whole" | "ends" | "nothing";
  /** The most tokens of a summary; a draft that frees too little shortens it, but not below the least. */
  readonly summaryMaxTokens: number;
  readonly summaryLeastTokens: number;
  /** Characters that stay at each end of a truncated body, in UTF-16 code units. */
  readonly truncateTo?: number;
  /** True for the attempts of the deterministic floor. */
  readonly floor: boolean;
  /** True to fold everything foldable, whatever the estimate says. */
  readonly exhaustive: boolean;
}

/** What stays at each end of a body that the floor truncates, in UTF-16 code units. */
const TRUNCATED_TO = 800;
const BEFORE_NEWEST = "floor, truncated before the newest message";

/** Results that no model call has read yet. */
export interface UnreadState {
  readonly exist: boolean;
  /** False if they alone exceed the budget, so that attempts that leave them whole cannot succeed. */
  readonly mayStayWhole: boolean;
}

/**
 * Returns the attempts in order, each folding more than the one before, so that the walk ends: the ladder; the ladder
 * with less of the recent past; then the floor, which truncates (at first everything but the newest message), then
 * summarizes all but the newest user message, and finally drops everything that may be dropped. Unread results stay
 * whole as long as anything else can be folded, then keep as much of their ends as fits; they go only when even a
 * pointer in their place does not fit.
 *
 * @param room tokens of the target that are free for messages.
 */
export function foldAttempts(
  ladder: readonly CompactionStrategy[],
  config: ContextCompactionConfig,
  room: number,
  unread: UnreadState,
): readonly FoldAttempt[] {
  const recent = Math.max(0, Math.floor(room * config.preserveRecentPercent));
  const summary = Math.min(config.summaryMaxTokens, Math.floor(roomTokens(config) * config.summaryMaxPercent));
  const enabled = ladder.filter((strategy) => isEnabled(strategy, config));
  const base = {
    ...({ newest: "group", unread: "whole", floor: false, exhaustive: false } as const),
    summaryMaxTokens: summary,
  };
  // The floor ignores switched-off strategies that only affect the prompt, but externalizing writes content elsewhere.
  const archive = config.enableExternalization ? [externalizeStrategy] : [];
  const led = enabled.filter((strategy) => strategy.leadsFloor === true);
  const truncated = {
    ladder: [...led, ...archive, clearStrategy, summarizeStrategy, truncateStrategy],
    recentTokens: 0,
    summaryMaxTokens: summary,
    summaryLeastTokens: Math.floor(summary / 4),
    truncateTo: TRUNCATED_TO,
    floor: true,
    exhaustive: false,
  };
  const barest = {
    recentTokens: 0,
    newest: "nothing",
    floor: true,
    exhaustive: true,
  } as const;
  const least = Math.min(300, Math.floor(summary / 4));
  const summarized = { ...barest, summaryMaxTokens: least, summaryLeastTokens: least };
  const dropped = { ...barest, summaryMaxTokens: 0, summaryLeastTokens: 0 };
  // The calls of unread results stay along with them, and may be large.
  const spared = unread.exist
    ? [
        { ...summarized, ladder: [summarizeStrategy, truncateStrategy], name: "floor, summary and unread results" },
        { ...dropped, ladder: [dropStrategy, truncateStrategy], name: "floor, unread results alone" },
      ].map((attempt) => ({ ...attempt, truncateTo: TRUNCATED_TO, unread: "ends" as const }))
    : [];
  const attempts: readonly FoldAttempt[] = [
    { ...base, name: "ladder", ladder: enabled, recentTokens: recent, summaryLeastTokens: summary },
    {
      ...base,
      name: "ladder, third of the tail",
      ladder: enabled,
      recentTokens: Math.floor(recent / 3),
      summaryLeastTokens: Math.floor(summary / 2),
    },
    {
      ...base,
      name: "ladder, newest group only",
      ladder: enabled,
      recentTokens: 0,
      summaryLeastTokens: Math.floor(summary / 4),
    },
    { ...truncated, name: BEFORE_NEWEST, newest: "message", unread: "whole" },
    { ...truncated, name: "floor, truncated", newest: "nothing", unread: "ends" },
    ...spared,
    {
      ...summarized,
      name: "floor, summary and newest user message",
      ladder: [summarizeStrategy],
      unread: "nothing",
    },
    { ...dropped, name: "floor, newest user message alone", ladder: [dropStrategy], unread: "nothing" },
  ];
  if (unread.mayStayWhole) return attempts;
  return attempts
    .filter(({ name }) => name !== BEFORE_NEWEST)
    .map((attempt) => (attempt.unread === "whole" ? { ...attempt, unread: "ends" } : attempt));
}

/**
 * Shortens the summaries of an attempt by what its draft does not free otherwise: they give way before anything else
 * does, and only as far as they must.
 *
 * @param summaries how many the draft makes.
 * @param missing tokens that the draft still has to free.
 */
export function withShorterSummaries(attempt: FoldAttempt, summaries: number, missing: number): FoldAttempt {
  const { summaryMaxTokens, summaryLeastTokens } = attempt;
  if (summaries === 0 || missing <= 0) return attempt;
  const shorter = Math.floor(summaryMaxTokens - missing / summaries);
  return { ...attempt, summaryMaxTokens: Math.max(summaryLeastTokens, shorter) };
}

function isEnabled(strategy: CompactionStrategy, config: ContextCompactionConfig): boolean {
  switch (strategy.name) {
    case "externalize":
      return config.enableExternalization;
    case "summarize":
      return config.enableSummarization;
    case "clear":
      return config.enableClearing;
    case "drop":
      return config.enableDropping;
    default:
      return true;
  }
}
