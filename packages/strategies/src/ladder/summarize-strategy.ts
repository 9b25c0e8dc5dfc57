import {
  finishSteps,
  type MessageGroup,
  type MessageHeader,
  OrdinalMap,
  type Steps,
  type SummarizationRecord,
  type ThreadShape,
} from "@threadfold/core";
import {
  AT_A_TIME,
  type CompactionProposal,
  type CompactionStrategy,
  type Hold,
  interruptible,
  type StrategyContext,
} from "../strategy/compaction-strategy.ts";

/**
 * The summarizing rung: replaces as many of the oldest groups as needed with one summary per unbroken run. An earlier
 * summary inside a run is merged into the new one, which then stands for both spans.
 */
export const summarizeStrategy: CompactionStrategy = {
  name: "summarize",
  aggressiveness: 2,
  analyze: interruptible(function* (context) {
    return yield* summarizeInSteps(yield* oldestGroups(context), "summarize", context);
  }),
};

/**
 * Returns one proposal for each unbroken run of the groups that a summary would make smaller. A group of which only a
 * part is in such a run is left out as a whole.
 */
export const summarizeGroups = (
  groups: readonly MessageGroup[],
  strategy: string,
  context: StrategyContext,
): readonly CompactionProposal[] => finishSteps(summarizeInSteps(groups, strategy, context));

/** Does the same as {@link summarizeGroups}, in steps. */
export function* summarizeInSteps(
  groups: readonly MessageGroup[],
  strategy: string,
  context: StrategyContext,
): Steps<readonly CompactionProposal[]> {
  const left = yield* notDropped(groups, context);
  const runs = yield* foldableRuns(left, context.shape);
  const proposals: CompactionProposal[] = [];
  for (const run of runs) {
    const proposal = yield* propose(run, strategy, context);
    if (proposal !== null) proposals.push(proposal);
  }
  if (proposals.length === 0 || proposals.length === runs.length) return proposals;
  const taken = new OrdinalMap<true>();
  for (const [index, ordinal] of proposals.flatMap(({ ordinals }) => ordinals).entries()) {
    if (index % AT_A_TIME === 0) yield;
    taken.set(ordinal, true);
  }
  const untorn: MessageGroup[] = [];
  for (const [index, group] of left.entries()) {
    if (index % AT_A_TIME === 0) yield;
    const [first, ...rest] = group.ordinals;
    if (rest.every((ordinal) => taken.get(ordinal) === taken.get(first as number))) untorn.push(group);
  }
  return untorn.length === left.length ? proposals : yield* summarizeInSteps(untorn, strategy, context);
}

/**
 * Proposes one summary for all of the groups, however many messages stay between them. The summary takes the place of
 * their last run, and the other runs are dropped from the prompt.
 */
export const gatherGroups = (
  groups: readonly MessageGroup[],
  strategy: string,
  context: StrategyContext,
): readonly CompactionProposal[] => finishSteps(gatherInSteps(groups, strategy, context));

/** Does the same as {@link gatherGroups}, in steps. */
export function* gatherInSteps(
  groups: readonly MessageGroup[],
  strategy: string,
  context: StrategyContext,
): Steps<readonly CompactionProposal[]> {
  const runs = yield* foldableRuns(yield* notDropped(groups, context), context.shape);
  const gathers = runs.slice(0, -1).flatMap(({ ordinals }) => ordinals);
  const last = runs.at(-1);
  const whole = last && (yield* propose({ ordinals: [...gathers, ...last.ordinals] }, strategy, context));
  if (last === undefined || !whole) return [];
  const drops = runs.slice(0, -1).map(({ ordinals }): CompactionProposal => {
    const reason = "It is covered by the summary after the messages that stay.";
    return { action: "drop", strategy, ordinals, estimatedTokensFreed: renderedTokens(ordinals, context), reason };
  });
  const dropped = drops.reduce((sum, { estimatedTokensFreed }) => sum + estimatedTokensFreed, 0);
  const summary = {
    ...whole,
    ordinals: last.ordinals,
    ...(gathers.length > 0 && { gathers }),
    estimatedTokensFreed: whole.estimatedTokensFreed - dropped,
  };
  return [...drops, summary];
}

const renderedTokens = (ordinals: readonly number[], { renderedTokens, shape }: StrategyContext): number =>
  ordinals.reduce((sum, ordinal) => sum + renderedTokens(shape.header(ordinal)), 0);

/** True for a group that was dropped. It stays dropped: no summary brings it back (S16). */
const isDropped = (group: MessageGroup, { heldBy }: StrategyContext): boolean =>
  group.ordinals.some((ordinal) => heldBy(ordinal)?.action === "drop");

function* notDropped(groups: readonly MessageGroup[], context: StrategyContext): Steps<readonly MessageGroup[]> {
  const left: MessageGroup[] = [];
  for (const [index, group] of groups.entries()) {
    if (index % AT_A_TIME === AT_A_TIME - 1) yield;
    if (!isDropped(group, context)) left.push(group);
  }
  return left;
}

function* oldestGroups(context: StrategyContext): Steps<readonly MessageGroup[]> {
  const chosen: MessageGroup[] = [];
  let freed = -context.summaryMaxTokens;
  for (const group of context.foldable) {
    if (freed >= context.needed) break;
    if (chosen.length % AT_A_TIME === AT_A_TIME - 1) yield;
    chosen.push(group);
    freed += group.ordinals.reduce((sum, ordinal) => sum + tokensFor(context.shape.header(ordinal), context), 0);
  }
  return chosen;
}

/**
 * Tokens of a message that a summary takes the place of. None of a provider's own compaction: a span may go over it, but
 * it stays in the prompt.
 */
const tokensFor = (header: MessageHeader, { renderedTokens }: StrategyContext): number =>
  header.holdsCompaction ? 0 : renderedTokens(header);

/** A summary may take this many tokens however little it stands for: a shorter one says nothing. */
const LEAST_SUMMARY_TOKENS = 200;

/** What a summary stands for: tokens of messages, and the earlier summaries that it absorbs. */
interface SummarySources {
  readonly rawTokens: number;
  readonly absorbs: readonly SummarizationRecord[];
}

/** How many times the target share a summary may take when it has a lot to say. */
const MOST_OF_TARGET = 2;

/**
 * Returns the most tokens that a summary may take: twice the configured target share of the messages that it stands
 * for, plus the tokens of the summaries that it absorbs, capped at the limit of the fold.
 */
export function summaryLimit(
  sources: SummarySources,
  { config, summaryMaxTokens }: Pick<StrategyContext, "config" | "summaryMaxTokens">,
): number {
  const most = summaryShare(sources, MOST_OF_TARGET * config.summarizeTargetRatio);
  return Math.min(summaryMaxTokens, Math.max(LEAST_SUMMARY_TOKENS, most));
}

const summaryShare = ({ rawTokens, absorbs }: SummarySources, share: number): number =>
  Math.ceil(rawTokens * share) + absorbs.reduce((sum, { summaryTokens }) => sum + summaryTokens, 0);

function* propose(
  run: FoldableRun,
  strategy: string,
  context: StrategyContext,
): Steps<(CompactionProposal & { readonly action: "summarize" }) | null> {
  const { rendered, raw, rawTokens, absorbs } = yield* sourcesOf(run, context);
  const cost = Math.min(
    context.summaryMaxTokens,
    summaryShare({ rawTokens, absorbs }, context.config.summarizeTargetRatio),
  );
  if (raw === 0 || rendered <= cost) return null;
  const first = context.shape.header(run.ordinals[0] as number);
  const last = context.shape.header(run.ordinals.at(-1) as number);
  const turns = first.turn === last.turn ? `turn ${first.turn}` : `turns ${first.turn}–${last.turn}`;
  return {
    action: "summarize",
    strategy,
    ordinals: run.ordinals,
    absorbs,
    estimatedTokensFreed: rendered - cost,
    reason: `${context.shape.countOf(run.ordinals)} messages of ${turns} are older than what is kept; a summary replaces them.`,
  };
}

interface RunSources extends SummarySources {
  /** Tokens as the draft renders the run. */
  readonly rendered: number;
  /** How many messages of the run no summary stands for. */
  readonly raw: number;
}

/** Works in one pass and without extra lists, because a run may contain every message of a long thread. */
function* sourcesOf({ ordinals }: FoldableRun, context: StrategyContext): Steps<RunSources> {
  const { shape, heldBy } = context;
  let [rendered, raw, rawTokens] = [0, 0, 0];
  const absorbs = new Set<SummarizationRecord>();
  for (const [index, ordinal] of ordinals.entries()) {
    if (index % AT_A_TIME === AT_A_TIME - 1) yield;
    const header = shape.header(ordinal);
    const hold = heldBy(ordinal);
    rendered += tokensFor(header, context);
    if (isSummary(hold)) absorbs.add(hold);
    if (hold?.action === "summarize" || header.holdsCompaction) continue;
    raw++;
    rawTokens += header.tokens;
  }
  return { rendered, raw, rawTokens, absorbs: [...absorbs] };
}

const isSummary = (hold: Hold | undefined): hold is SummarizationRecord =>
  hold?.action === "summarize" && "summary" in hold;

/** Messages of whole groups that have no remaining visible message between them. */
interface FoldableRun {
  readonly ordinals: readonly number[];
}

/** Joins whole groups into unbroken runs. Messages of side branches break no run, because no prompt shows them. */
function* foldableRuns(groups: readonly MessageGroup[], shape: ThreadShape): Steps<readonly FoldableRun[]> {
  const ordinals = yield* inOrder(groups);
  const runs: FoldableRun[] = [];
  let from = 0;
  for (let index = 1; index <= ordinals.length; index++) {
    if (index % AT_A_TIME === 0) yield;
    const [before, ordinal] = [ordinals[index - 1] as number, ordinals[index]];
    if (ordinal !== undefined && isAdjacent(before, ordinal, shape)) continue;
    runs.push({ ordinals: ordinals.slice(from, index) });
    from = index;
  }
  return runs;
}

/** The messages of groups in the order of the log. Most groups already are in that order. */
function* inOrder(groups: readonly MessageGroup[]): Steps<readonly number[]> {
  const all: number[] = [];
  let [isOrdered, last] = [true, -1];
  for (const { ordinals } of groups)
    for (const ordinal of ordinals) {
      if (all.length % AT_A_TIME === AT_A_TIME - 1) yield;
      isOrdered &&= last < ordinal;
      last = ordinal;
      all.push(ordinal);
    }
  return isOrdered ? all : all.sort((a, b) => a - b);
}

function isAdjacent(from: number, to: number, shape: ThreadShape): boolean {
  for (let ordinal = shape.after(from); ordinal < to; ordinal = shape.after(ordinal))
    if (shape.header(ordinal).branch === undefined) return false;
  return true;
}
