import {
  type AgentThread,
  type CompactionPlan,
  type GroupedLedger,
  type MessageGroup,
  type MessageHeader,
  type OrdinalRun,
  planRecords,
  removesMessages,
  runsOfSpan,
  type Stretch,
  type TokenLedger,
} from "@threadfold/core";

/** What determines which parts a fold may leave out. */
interface FoldedThread {
  readonly thread: AgentThread;
  readonly ledger: TokenLedger;
  readonly grouped: GroupedLedger;
  readonly plan: CompactionPlan;
}

/** Minimum length of a stretch worth leaving out, in messages. */
const SHORTEST = 32;

/**
 * Returns what earlier folds removed from the prompt and this one need not look at, so that the cost of a fold depends
 * on what the prompt shows, not on the length of the thread (P9). For each run of a record that removes messages, the
 * first two groups that begin in it stay, because the record is shown at the first and the second represents all that
 * show nothing, and so does the last one. What a strategy may count as recent stays, too. A stretch consists of whole
 * groups, and neither the first turn nor the newest begins in it; windows count no turn that begins in what was
 * summarized or dropped.
 *
 * @param recentTokens maximum number of tokens that a strategy looks back.
 */
export function absorbedStretches(folded: FoldedThread, recentTokens: number): readonly Stretch[] {
  const { thread, plan } = folded;
  const recent = recentStart(folded, recentTokens);
  const stretches: Stretch[] = [];
  for (const record of planRecords(plan)) {
    const { span } = record;
    if (!removesMessages(record) || span.messageIds.length < SHORTEST) continue;
    for (const run of runsOfSpan(span, (id) => thread.message(id)?.ordinal) ?? []) {
      const inner = innerRun(run, recent, folded);
      if (inner !== null) stretches.push({ ...inner, within: span });
    }
  }
  return stretches.sort((a, b) => a.from - b.from);
}

/** Returns the ordinal at which the groups with the last tokens of the main branch begin. */
function recentStart({ ledger, grouped }: FoldedThread, tokens: number): number {
  let left = tokens;
  let from = ledger.length;
  for (let index = grouped.groups.length - 1; index >= 0 && left >= 0; index--) {
    const group = grouped.groups.at(index) as MessageGroup;
    const first = group.ordinals[0] as number;
    from = Math.min(from, first);
    if (ledger.header(first)?.branch === undefined) left -= group.tokens;
  }
  return from;
}

function innerRun(run: OrdinalRun, recent: number, folded: FoldedThread): OrdinalRun | null {
  const { groups, groupOf } = folded.grouped;
  const end = Math.min(run.to, recent);
  if (end - run.from < SHORTEST) return null;
  const second = firstGroupIn(run, folded) + 1;
  const opened = groupOf.at(firstTurnIn(run, folded)) as number;
  const from = groups.at(Math.max(second, opened) + 1)?.ordinals[0];
  const behind = groups.at(groupOf.at(end) as number)?.ordinals[0];
  if (from === undefined || behind === undefined || behind - from < SHORTEST) return null;
  const isApart = isBoundary(from, folded) && isBoundary(behind, folded) && !holdsNewestTurn(from, behind, folded);
  return isApart ? { from, to: behind - 1 } : null;
}

/** Returns the index of the first group that begins in a run: what it starts with may belong to a group before it. */
function firstGroupIn({ from, to }: OrdinalRun, { grouped }: FoldedThread): number {
  const { groups, groupOf } = grouped;
  for (let ordinal = from; ordinal <= to; ordinal++) {
    const index = groupOf.at(ordinal) as number;
    if ((groups.at(index)?.ordinals[0] as number) >= from) return index;
  }
  return groups.length;
}

/** Returns where the thread's first turn begins in a run; the start of the run when it begins somewhere else. */
function firstTurnIn({ from, to }: OrdinalRun, { ledger }: FoldedThread): number {
  for (let ordinal = from; ordinal <= to; ordinal++) if (ledger.header(ordinal)?.turn !== 0) return ordinal;
  return from;
}

/** Checks whether a group begins here, not with a tool result, and no other group reaches across. */
function isBoundary(ordinal: number, { ledger, grouped }: FoldedThread): boolean {
  const { groups, groupOf, gaps } = grouped;
  const begins = groups.at(groupOf.at(ordinal) as number)?.ordinals[0] === ordinal;
  return begins && ledger.header(ordinal)?.role !== "tool" && !reachesAcross(ordinal, gaps);
}

function reachesAcross(ordinal: number, gaps: GroupedLedger["gaps"]): boolean {
  for (const { before, after } of gaps) if (before < ordinal && ordinal <= after) return true;
  return false;
}

/** Checks whether the newest turn begins in a stretch. Strategies look from the end for the message that begins it. */
function holdsNewestTurn(from: number, behind: number, { ledger }: FoldedThread): boolean {
  const turnOf = (ordinal: number): number => (ledger.header(ordinal) as MessageHeader).turn;
  return turnOf(from - 1) !== turnOf(behind - 1) && turnOf(behind - 1) === turnOf(ledger.length - 1);
}
