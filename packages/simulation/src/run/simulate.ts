import { checkArgument, checkOptions, type OptionKinds } from "@threadfold/core";
import { FiguresTally, type ReplaySeries, replaySeries } from "../figures/figures-tally.ts";
import type { PolicyFigures } from "../figures/policy-figures.ts";
import { type ReplayableSession, replayableSession } from "../memory/session-memory.ts";
import { noCompaction } from "../policies/naive-policies.ts";
import type { PolicyOffer } from "../policies/policy-offer.ts";
import type { RecordedSession } from "../recording/recorded-session.ts";
import { type PolicyReplay, replayPolicy } from "../replay/replay-policy.ts";
import type { ScriptedSummarizer } from "../summaries/scripted-summarizer.ts";

/** The progress of a simulation. */
export interface SimulationProgress {
  /** Share of the calls that have been replayed, from 0 to 1. */
  readonly share: number;
  readonly session: string;
  readonly policy: string;
}

export interface SimulationOptions {
  readonly sessions: readonly RecordedSession[];
  readonly policies: readonly PolicyOffer[];
  /** The budgets, in tokens of four characters each. */
  readonly budgets: readonly number[];
  readonly summarizer: ScriptedSummarizer;
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: SimulationProgress) => void;
  /** True to keep the tokens and bill of every call, for plots. */
  readonly series?: boolean;
}

/** A session that was replayed, or was not because it fits every budget. */
export interface SimulatedSession {
  readonly name: string;
  readonly format: string;
  readonly calls: number;
  readonly tokens: number;
  /** What its calls used of what had been mentioned before. */
  readonly needs: number;
  readonly coldNeeds: number;
  /** The budgets that it exceeds, at which it therefore counts. */
  readonly budgets: readonly number[];
}

/** The result of a simulation. Policies are in the order in which they were named, budget by budget, largest first. */
export interface Simulation {
  readonly summarizer: string;
  readonly sessions: readonly SimulatedSession[];
  readonly policies: readonly PolicyFigures[];
  readonly series: readonly ReplaySeries[];
}

/**
 * Replays sessions call by call under policies and budgets, and returns what each costs and forgets. A session counts
 * at a budget only if its whole history exceeds it.
 *
 * @throws ThreadfoldError `ABORTED`; `INVALID_CONFIG` for an option that is missing or makes no sense.
 */
export async function simulate(options: SimulationOptions): Promise<Simulation> {
  checkOptions("options", options, OPTIONS);
  for (const name of ["sessions", "policies", "budgets"] as const) checkArgument(name, options[name], "list");
  checkArgument("summarizer", options.summarizer, "object");
  const budgets = [...new Set(options.budgets)].sort((a, b) => b - a);
  const tallies = new Map(
    budgets.flatMap((budget) =>
      options.policies.map(({ id }) => [tallyKey(id, budget), new FiguresTally(id, budget)] as const),
    ),
  );
  const work = new Work(options, budgets);
  const sessions: SimulatedSession[] = [];
  const series: ReplaySeries[] = [];
  for (const session of options.sessions) {
    const replayable = replayableSession(session);
    sessions.push(simulatedSession(replayable, budgets));
    for (const { replay, everything } of await replaysOf(replayable, budgets, options, work)) {
      tallies.get(tallyKey(replay.policy, replay.budgetTokens))?.add(replay, everything);
      if (options.series === true) series.push(replaySeries(replay));
    }
  }
  const policies = [...tallies.values()].map((tally) => tally.figures());
  return { summarizer: options.summarizer.id, sessions, policies, series };
}

const OPTIONS: OptionKinds<SimulationOptions> = {
  ...{ sessions: "any", policies: "any", budgets: "any", summarizer: "any" },
  ...{ signal: "signal", onProgress: "call", series: "flag" },
};

const tallyKey = (policy: string, budget: number): string => `${budget} ${policy}`;

/** A replay, and the one that sends everything, with which its bill is compared. */
interface ComparedReplay {
  readonly replay: PolicyReplay;
  readonly everything: PolicyReplay;
}

async function replaysOf(
  replayable: ReplayableSession,
  budgets: readonly number[],
  options: SimulationOptions,
  work: Work,
): Promise<readonly ComparedReplay[]> {
  const { policies, summarizer, signal } = options;
  const compared: ComparedReplay[] = [];
  for (const budgetTokens of budgets.filter((budget) => exceeds(replayable.session, budget))) {
    const replayOptions = { budgetTokens, summarizer, ...(signal !== undefined && { signal }) };
    const everything = await replayPolicy(replayable, noCompaction, replayOptions);
    for (const { id, policyFor } of policies) {
      work.begin(replayable.session, id);
      const replay =
        id === noCompaction.id ? everything : await replayPolicy(replayable, policyFor(replayable), replayOptions);
      compared.push({ replay, everything });
      work.end(replayable.session);
    }
  }
  return compared;
}

const exceeds = ({ tokens }: RecordedSession, budget: number): boolean => tokens > budget;

function simulatedSession({ session, needs }: ReplayableSession, budgets: readonly number[]): SimulatedSession {
  const all = needs.byCall.flat();
  return {
    name: session.name,
    format: session.format,
    calls: session.calls.length,
    tokens: Math.round(session.tokens),
    needs: all.length,
    coldNeeds: all.filter(({ cold }) => cold).length,
    budgets: budgets.filter((budget) => exceeds(session, budget)),
  };
}

/** Reports how much of the work is done, counted in calls. */
class Work {
  readonly #total: number;
  readonly #onProgress: SimulationOptions["onProgress"];
  #done = 0;

  constructor({ sessions, policies, onProgress }: SimulationOptions, budgets: readonly number[]) {
    this.#onProgress = onProgress;
    const replays = (session: RecordedSession) => budgets.filter((budget) => exceeds(session, budget)).length;
    this.#total = sessions.reduce((sum, one) => sum + one.calls.length * replays(one) * policies.length, 0);
  }

  begin({ name }: RecordedSession, policy: string): void {
    this.#onProgress?.({ share: this.#total === 0 ? 1 : this.#done / this.#total, session: name, policy });
  }

  end({ calls }: RecordedSession): void {
    this.#done += calls.length;
  }
}
