import { answerBills, BILL_IDS, type BillId, summaryBill } from "../measure/call-bill.ts";
import type { PromptMemory } from "../memory/session-memory.ts";
import type { CallFigures, NeedTally } from "../replay/call-figures.ts";
import type { PolicyReplay } from "../replay/replay-policy.ts";
import type { AnswerFigures, MemoryFigures, PolicyFigures, RecallFigures } from "./policy-figures.ts";

/** Maximum number of different problems reported for a policy. */
const MOST_PROBLEMS = 3;

/** Sums up the replays of one policy at one budget. */
export class FiguresTally {
  readonly policy: string;
  readonly #budget: number;
  #sessions = 0;
  readonly #calls: CallFigures[] = [];
  /** The cost of sending everything, for the calls that the policy made a prompt for. */
  readonly #everything: Record<BillId, number> = { a: 0, b: 0, c: 0 };
  readonly #providers = new Map<string, { tokens: number; everything: number }>();
  readonly #problems = new Set<string>();

  constructor(policy: string, budget: number) {
    this.policy = policy;
    this.#budget = budget;
  }

  /** @param everything the replay of the same session that sends everything. */
  add(replay: PolicyReplay, everything: PolicyReplay): void {
    this.#sessions++;
    for (const [index, call] of replay.calls.entries()) {
      this.#calls.push(call);
      if (call.thrown) continue;
      for (const id of BILL_IDS) this.#everything[id] += everything.calls[index]?.bills[id] ?? 0;
    }
    const summaries = summaryBill(
      sum(replay.calls, ({ summaryRead }) => summaryRead),
      sum(replay.calls, ({ summaryWrote }) => summaryWrote),
    );
    for (const [id, bill] of Object.entries(replay.bills)) {
      const before = this.#providers.get(id) ?? { tokens: 0, everything: 0 };
      this.#providers.set(id, {
        tokens: before.tokens + bill + summaries,
        // A policy that sends everything chooses no cache time: five minutes for all.
        everything: before.everything + (everything.bills[id] ?? everything.bills["anthropic"] ?? 0),
      });
    }
    if (replay.problem !== undefined && this.#problems.size < MOST_PROBLEMS) this.#problems.add(replay.problem);
  }

  figures(): PolicyFigures {
    const made = this.#calls.filter(({ thrown }) => !thrown);
    const per100 = (is: (call: CallFigures) => boolean) => scaled(ratio(made.filter(is).length, made.length), 100);
    const bill = (id: BillId) =>
      ratio(
        sum(made, ({ bills }) => bills[id]),
        this.#everything[id],
      );
    return {
      policy: this.policy,
      budget: this.#budget,
      sessions: this.#sessions,
      requests: made.length,
      tokensSent: Math.round(sum(made, ({ tokens }) => tokens)),
      peakTokens: Math.round(made.reduce((most, { tokens }) => Math.max(most, tokens), 0)),
      fitRate: ratio(made.filter(({ overBudget }) => !overBudget).length, made.length),
      overBudgetAvoidable: ratio(
        made.filter(({ overBudget, unavoidable }) => overBudget && !unavoidable).length,
        made.length,
      ),
      commitsPer100Calls: per100(({ committed }) => committed),
      breaksPer100Calls: per100(({ breaks }) => breaks),
      bill: { a: bill("a"), b: bill("b"), c: bill("c") },
      providerBills: Object.fromEntries(
        [...this.#providers].map(([id, { tokens, everything }]) => [
          id,
          { tokens: Math.round(tokens), relative: ratio(tokens, everything) },
        ]),
      ),
      summaryTokens: { read: sum(made, (call) => call.summaryRead), wrote: sum(made, (call) => call.summaryWrote) },
      coldRecall: recallOf(this.#calls.map(({ cold }) => cold)),
      recall: recallOf(this.#calls.map(({ all }) => all)),
      answers: this.#answers(made),
      memory: memoryOf(this.#calls),
      constraintSurvival: ratio(
        sum(made, ({ constraintsKept }) => constraintsKept),
        sum(made, ({ constraints }) => constraints),
      ),
      violations: sum(made, ({ violations }) => violations),
      plannerMs: timesOf(made.map(({ milliseconds }) => milliseconds)),
      emptyPrompts: made.filter(({ empty }) => empty).length,
      newestLost: made.filter(({ newestLost }) => newestLost).length,
      throws: this.#calls.length - made.length,
      problems: [...this.#problems],
    };
  }

  #answers(made: readonly CallFigures[]): AnswerFigures {
    const tokens = made.flatMap(({ answerTokens }) => answerTokens ?? []);
    const answered = answerBills(sum(tokens, (one) => one));
    const bill = (id: BillId) => ratio(sum(made, ({ bills }) => bills[id]) + answered[id], this.#everything[id]);
    return {
      asked: tokens.length,
      averageTokens: ratio(
        sum(tokens, (one) => one),
        tokens.length,
      ),
      mostTokens: tokens.length === 0 ? null : tokens.reduce((most, one) => Math.max(most, one), 0),
      bill: { a: bill("a"), b: bill("b"), c: bill("c") },
    };
  }
}

function recallOf(tallies: readonly NeedTally[]): RecallFigures {
  const needs = sum(tallies, (tally) => tally.needs);
  const share = (kind: Exclude<keyof NeedTally, "needs">) =>
    ratio(
      sum(tallies, (tally) => tally[kind]),
      needs,
    );
  return {
    needs,
    direct: share("direct"),
    reachable: share("reachable"),
    byOwnWords: share("byOwnWords"),
    byCallWords: share("byCallWords"),
  };
}

function memoryOf(calls: readonly CallFigures[]): MemoryFigures {
  const asked = calls.flatMap(({ memory, all, cold }) => (memory === null ? [] : [{ memory, all, cold }]));
  const share = (kind: keyof PromptMemory["facts"]) =>
    ratio(
      sum(asked, ({ memory }) => memory.facts[kind].held),
      sum(asked, ({ memory }) => memory.facts[kind].asked),
    );
  return {
    ask: share("ask"),
    report: share("report"),
    quote: share("quote"),
    handoff: share("handoff"),
    edit: share("edit"),
    run: share("run"),
    need: share("need"),
    name: recallOf(asked.map(({ cold }) => cold)).direct,
    recent: ratio(
      sum(asked, ({ all, cold }) => all.direct - cold.direct),
      sum(asked, ({ all, cold }) => all.needs - cold.needs),
    ),
    bareNames: ratio(
      sum(asked, ({ memory }) => memory.bareNames),
      sum(asked, ({ memory }) => memory.written),
    ),
  };
}

function timesOf(milliseconds: readonly number[]): PolicyFigures["plannerMs"] {
  const sorted = [...milliseconds].sort((a, b) => a - b);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? null;
  return { median: at(0.5), p99: at(0.99) };
}

const sum = <Item>(items: readonly Item[], of: (item: Item) => number): number =>
  items.reduce((total, item) => total + of(item), 0);

const ratio = (part: number, whole: number): number | null => (whole === 0 ? null : part / whole);

const scaled = (value: number | null, by: number): number | null => (value === null ? null : value * by);

/** The course of a replay, call by call, for plots. */
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
