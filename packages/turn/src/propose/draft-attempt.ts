import {
  type CompactionPlan,
  type ContextCompactionConfig,
  type MessageGroup,
  NO_RECORDS,
  type ProbeVerdict,
  type Steps,
  type ThreadShape,
} from "@threadfold/core";
import {
  analyzeInSteps,
  type CompactionProposal,
  DraftPlan,
  durableProposals,
  foldableInSteps,
  groupsBesideInSteps,
  newestOrdinal,
  partFailed,
  unreadProposals,
  unreadResults,
} from "@threadfold/strategies";
import { type FoldAttempt, withShorterSummaries } from "./attempts.ts";

/** What is known about sources and about the artifact store. */
export interface DraftGrounds {
  /** The verdict on a replayable result's source; undefined before it is checked. */
  readonly replayVerdict: (ordinal: number) => ProbeVerdict | undefined;
  /** False for a body that the store refused. */
  readonly mayStore: (ordinal: number) => boolean;
}

/** A draft, and the attempt that made it, with the tokens that its summaries may take. */
export interface DraftedAttempt {
  readonly draft: DraftPlan;
  readonly attempt: FoldAttempt;
}

const NOTHING_VERIFIED: DraftGrounds = { replayVerdict: () => "unverifiable", mayStore: () => true };

/** Messages that are processed in one step, in less than a millisecond. */
const AT_A_TIME = 4_096;

/**
 * Walks an attempt's ladder, one rung per step, until the estimate says that enough is freed. Pure: headers in, draft
 * out.
 *
 * @param needed tokens to free from what the current plan renders.
 * @throws ThreadfoldError `INVALID_CONFIG` that names a strategy that throws, or whose proposals are none.
 */
export function* draftAttempt(
  attempt: FoldAttempt,
  plan: CompactionPlan,
  shape: ThreadShape,
  config: ContextCompactionConfig,
  needed: number,
  onProposal?: (proposal: CompactionProposal) => Steps<void>,
  grounds: DraftGrounds = NOTHING_VERIFIED,
): Steps<DraftedAttempt> {
  const bare = attempt.summaryMaxTokens === 0;
  const draft = yield* DraftPlan.inSteps(bare ? NO_RECORDS : plan, shape);
  yield;
  const unread = attempt.unread === "nothing" ? [] : unreadResults(shape);
  const foldable = yield* foldableInSteps(shape, {
    recentTokens: attempt.recentTokens,
    recentTurns: config.preserveRecentTurns,
    newestGroup: attempt.newest !== "nothing",
    spared: unread,
  });
  yield;
  const spared = attempt.newest === "message" ? [...unread, newestOrdinal(shape)] : unread;
  const emptiable = attempt.newest === "group" ? foldable : yield* groupsBesideInSteps(spared, shape);
  function* choose(proposal: CompactionProposal): Steps<void> {
    yield* draft.chooseInSteps(proposal);
    yield;
    if (onProposal !== undefined) yield* onProposal(proposal);
  }
  if (attempt.unread === "ends") {
    const heldBy = (ordinal: number) => draft.heldBy(ordinal);
    for (const proposal of unreadProposals(unread, { shape, config, heldBy, mayStore: grounds.mayStore }))
      yield* choose(proposal);
  }
  yield;
  let open = attempt.exhaustive ? Number.POSITIVE_INFINITY : needed;
  open -= yield* shrinkRead(draft, emptiable, open);
  for (const strategy of attempt.ladder) {
    if (open <= 0) break;
    yield;
    try {
      const proposals = yield* analyzeInSteps(strategy, {
        shape,
        foldable: strategy.keepsMessages === true ? emptiable : foldable,
        heldBy: (ordinal) => draft.heldBy(ordinal),
        renderedTokens: (header) => draft.renderedTokens(header),
        config,
        summaryMaxTokens: attempt.summaryMaxTokens,
        needed: open,
        replayVerdict: grounds.replayVerdict,
        ...(attempt.truncateTo !== undefined && { truncateTo: attempt.truncateTo }),
      });
      yield;
      for (const made of proposals)
        for (const proposal of durableProposals(made, shape, grounds.replayVerdict, config)) {
          if (proposal.action === "externalize" && !proposal.ordinals.every(grounds.mayStore)) continue;
          yield* choose(proposal);
          open -= proposal.estimatedTokensFreed;
          yield;
        }
    } catch (cause) {
      throw partFailed(`The strategy ${strategy.name}`, cause);
    }
  }
  const summaries = draft.proposals.filter(({ action }) => action === "summarize").length;
  return { draft, attempt: withShorterSummaries(attempt, summaries, attempt.exhaustive ? 0 : open) };
}

/**
 * Shows less of results that were unread when the current plan was made, until enough is freed. Returns the tokens
 * freed.
 */
function* shrinkRead(draft: DraftPlan, groups: readonly MessageGroup[], needed: number): Steps<number> {
  let [freed, seen] = [0, 0];
  for (const { ordinals } of groups)
    for (const ordinal of ordinals) {
      if (freed >= needed) return freed;
      freed += draft.shrinkRead(ordinal);
      if (++seen % AT_A_TIME === 0) yield;
    }
  return freed;
}
