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
  const proposals: CompactionProposal[] = [];
  let isWhole = true;
  for (const runs of yield* withDropsBetween(yield* foldableRuns(left, context.shape), context)) {
    const made = yield* gatherRuns(runs, strategy, context);
    isWhole &&= made.length > 0;
    for (const proposal of made) proposals.push(proposal);
  }
  if (proposals.length === 0 || isWhole) return proposals;
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
  return yield* gatherRuns(yield* foldableRuns(yield* notDropped(groups, context), context.shape), strategy, context);
}

/** Proposes one summary in the place of the last run, and drops the others. */
function* gatherRuns(
  runs: readonly FoldableRun[],
  strategy: string,
  context: StrategyContext,
): Steps<readonly CompactionProposal[]> {
  const gathers = runs.slice(0, -1).flatMap(({ ordinals }) => ordinals);
  const last = runs.at(-1);
  // Not copied without need: a run may contain every message of a long thread.
  const ordinals = last && (gathers.length === 0 ? last.ordinals : [...gathers, ...last.ordinals]);
  const whole = ordinals && (yield* propose({ ordinals }, strategy, context));
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

const isDropped = (ordinal: number, { heldBy }: StrategyContext): boolean => heldBy(ordinal)?.action === "drop";

/** Leaves out groups that were dropped. They stay dropped: no summary brings them back (S16). */
function* notDropped(groups: readonly MessageGroup[], context: StrategyContext): Steps<readonly MessageGroup[]> {
  const left: MessageGroup[] = [];
  for (const [index, group] of groups.entries()) {
    if (index % AT_A_TIME === AT_A_TIME - 1) yield;
    if (!group.ordinals.some((ordinal) => isDropped(ordinal, context))) left.push(group);
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
  // An old summary becomes shorter only where the alternative is to lose it.
  if (raw === 0 && context.truncateTo === undefined) return null;
  const share = summaryShare({ rawTokens, absorbs }, context.config.summarizeTargetRatio);
  const usual = Math.min(context.summaryMaxTokens, share);
  const cost = rendered > usual ? usual : shorterCost(rendered, absorbs, context);
  if (cost === null) return null;
  const first = context.shape.header(run.ordinals[0] as number);
  const last = context.shape.header(run.ordinals.at(-1) as number);
  const turns = first.turn === last.turn ? `turn ${first.turn}` : `turns ${first.turn}–${last.turn}`;
  return {
    action: "summarize",
    strategy,
    ordinals: run.ordinals,
    absorbs,
    ...(cost !== usual && { maxTokens: cost }),
    estimatedTokensFreed: rendered - cost,
    reason: `${context.shape.countOf(run.ordinals)} messages of ${turns} are older than what is kept; a summary replaces them.`,
  };
}

/**
 * Returns the tokens of a summary that takes half of what its messages still take, for messages of which an earlier fold
 * cleared so much that the usual share would be more; null when there is too little left to say. Otherwise such messages
 * could only be dropped.
 */
function shorterCost(
  rendered: number,
  absorbs: readonly SummarizationRecord[],
  { summaryMaxTokens }: StrategyContext,
): number | null {
  const absorbed = absorbs.reduce((sum, { summaryTokens }) => sum + summaryTokens, 0);
  const half = Math.floor((rendered - absorbed) / 2);
  const cost = Math.min(summaryMaxTokens, absorbed + half);
  return half < LEAST_SUMMARY_TOKENS || cost >= rendered ? null : cost;
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

function isAdjacent(
  from: number,
  to: number,
  shape: ThreadShape,
  isGone: (ordinal: number) => boolean = () => false,
): boolean {
  for (let ordinal = shape.after(from); ordinal < to; ordinal = shape.after(ordinal))
    if (shape.header(ordinal).branch === undefined && !isGone(ordinal)) return false;
  return true;
}

/**
 * Joins runs with nothing but dropped messages between them: one summary can stand for them, or else there would be one
 * more behind each drop.
 */
function* withDropsBetween(
  runs: readonly FoldableRun[],
  context: StrategyContext,
): Steps<readonly (readonly FoldableRun[])[]> {
  const joined: FoldableRun[][] = [];
  let end = -1;
  for (const run of runs) {
    yield;
    const [from] = run.ordinals as readonly [number];
    const isBehind = end >= 0 && isAdjacent(end, from, context.shape, (ordinal) => isDropped(ordinal, context));
    if (isBehind) joined.at(-1)?.push(run);
    else joined.push([run]);
    end = run.ordinals.at(-1) as number;
  }
  return joined;
}
