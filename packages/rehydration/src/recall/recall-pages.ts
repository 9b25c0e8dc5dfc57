import type { RecallHit } from "@threadfold/core";
import type { RankedName } from "./rank-names.ts";

/** What one page of a recall result shows. */
export interface RecallPageContent {
  readonly hits: readonly RecallHit[];
  readonly names: readonly RankedName[];
}

/** How a result is cut into pages. All figures are tokens. */
export interface RecallPageBudget {
  readonly maxTokens: number;
  /** What passages may take of a page while there are names to list; what names leave over is theirs, too. */
  readonly passageShare: number;
  /** Tokens that a passage takes with its heading. */
  readonly hitTokens: (hit: RecallHit) => number;
  /** Tokens that some names take one after the other. */
  readonly nameTokens: (names: readonly string[]) => number;
  /** Tokens of the heading under which the names of one message stand. */
  readonly headingTokens: (hit: RecallHit) => number;
}

/** One page after the other, each with the best of what is left. What fits on no page is left out. */
export function recallPages(
  found: readonly RecallHit[],
  ranked: readonly RankedName[],
  budget: RecallPageBudget,
): readonly RecallPageContent[] {
  const costs = nameCosts(ranked, budget);
  const hits = found
    .map((hit) => ({ hit, cost: budget.hitTokens(hit) }))
    .filter(({ cost }) => cost <= budget.maxTokens);
  const names = ranked
    .map((named, place) => ({ named, cost: costs[place] as number, heading: budget.headingTokens(named.hit) }))
    .filter(({ cost, heading }) => cost + heading <= budget.maxTokens);
  const pages: RecallPageContent[] = [];
  for (let [hit, name] = [0, 0]; hit < hits.length || name < names.length; ) {
    const first = takeHits(hits.slice(hit), budget.maxTokens * budget.passageShare);
    const listed = takeNames(names.slice(name), budget.maxTokens - first.used);
    const left = budget.maxTokens - first.used - listed.used;
    const more = takeHits(hits.slice(hit + first.taken.length), left, 0);
    hit += first.taken.length + more.taken.length;
    name += listed.taken.length;
    pages.push({ hits: [...first.taken, ...more.taken], names: listed.taken });
  }
  return pages;
}

/** Names are counted some at a time, because each alone would be rounded up. */
const COUNTED_TOGETHER = 16;

function nameCosts(ranked: readonly RankedName[], { nameTokens }: RecallPageBudget): readonly number[] {
  const costs: number[] = [];
  for (let start = 0; start < ranked.length; start += COUNTED_TOGETHER) {
    const some = ranked.slice(start, start + COUNTED_TOGETHER).map(({ name }) => name);
    const cost = nameTokens(some) / some.length;
    for (const _ of some) costs.push(cost);
  }
  return costs;
}

interface CostedHit {
  readonly hit: RecallHit;
  readonly cost: number;
}

interface CostedName {
  readonly named: RankedName;
  readonly cost: number;
  readonly heading: number;
}

/** Passages up to the limit, and so many in any case. */
function takeHits(hits: readonly CostedHit[], limit: number, least = 1) {
  let used = 0;
  const taken: RecallHit[] = [];
  for (const { hit, cost } of hits) {
    if (taken.length >= least && used + cost > limit) break;
    used += cost;
    taken.push(hit);
  }
  return { taken, used };
}

function takeNames(names: readonly CostedName[], limit: number) {
  let used = 0;
  const taken: RankedName[] = [];
  const headed = new Set<string>();
  for (const { named, cost, heading } of names) {
    const { messageId } = named.hit;
    const both = cost + (headed.has(messageId) ? 0 : heading);
    if (used + both > limit) break;
    used += both;
    headed.add(messageId);
    taken.push(named);
  }
  return { taken, used };
}
