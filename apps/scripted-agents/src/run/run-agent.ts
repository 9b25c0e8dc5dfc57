import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { replayThread } from "@threadfold/session";
import {
  asThreadId,
  ContextSession,
  formatById,
  openStore,
  type PreparedRequest,
  type Summarizer,
  type ThreadId,
} from "threadfold";
import type { AgentWorld, HostAgent } from "../hosts/host-agent.ts";
import { type DoubleFigures, type FaultPlan, startProviderDouble, USUAL_FAULTS } from "../provider/provider-double.ts";
import { MOVES_PER_TURN, SCRIPTED_TOOLS, SYSTEM_TEXT, userMessageBefore } from "../script/scripted-agent.ts";

/** The settings of a run. */
interface RunOptions {
  /** Model calls of the script, rounded up to whole user turns. */
  readonly modelCalls: number;
  /** Model to run on; by default the first of the host's protocol. */
  readonly model?: string;
  readonly faults?: FaultPlan;
  /** Summarizer of the session; by default the session's own. */
  readonly summarizer?: Summarizer;
  /** Size of the session's window in tokens. */
  readonly maxInputTokens?: number;
  /** Path of a store that keeps the thread for inspection; by default a temporary one, removed afterwards. */
  readonly store?: string;
}

/** The figures of a run. */
export interface AgentReport {
  readonly host: string;
  readonly model: string;
  readonly figures: DoubleFigures;
  /** Number of requests that the session prepared. */
  readonly prepared: number;
  /** Number of these requests that were counted above the budget. */
  readonly aboveBudget: number;
  readonly folds: number;
  /** Number of the recorded requests that a reopened store reproduced byte for byte. */
  readonly replayed: number;
  readonly recorded: number;
  /** False if the host's requests are not Threadfold's to record. */
  readonly recordsRequests: boolean;
  /** Milliseconds that Threadfold took per turn; empty if the host makes its requests itself. */
  readonly turnTimes: readonly number[];
  readonly seconds: number;
}

const WINDOW = 48_000;
/**
 * Factor by which the provider's limit exceeds the session's: its count differs from ours by the JSON around the texts.
 */
const PROVIDER_SLACK = 1.25;

/** Runs a host's agent from an empty store to the end of the script, and replays every request that it recorded. */
export async function runAgent(host: HostAgent, options: RunOptions): Promise<AgentReport> {
  if (options.store !== undefined) return runOn(options.store, host, options);
  const folder = await mkdtemp(join(tmpdir(), "threadfold-agent-"));
  try {
    return await runOn(join(folder, "agent.sqlite"), host, options);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function runOn(store: string, host: HostAgent, options: RunOptions): Promise<AgentReport> {
  const { modelCalls, faults = USUAL_FAULTS, summarizer, maxInputTokens = WINDOW } = options;
  const { model = host.protocol.models[0] } = options;
  const address = `sqlite:${store}`;
  const threadId = asThreadId(`agent-${host.id}-${model}`);
  const double = await startProviderDouble({
    protocol: host.protocol,
    contextWindow: Math.floor(maxInputTokens * PROVIDER_SLACK),
    faults,
  });
  const session = await ContextSession.open({
    threadId,
    store: await openStore(address),
    format: formatById(host.format ?? host.protocol.format),
    model,
    frame: { system: [SYSTEM_TEXT], tools: SCRIPTED_TOOLS },
    config: { maxInputTokens },
    ...(summarizer !== undefined && { summarizer }),
  });
  const { perTurn } = timeSession(session);
  const watched = watchRequests(session);
  const run = await host.load();
  const start = performance.now();
  const { sent } = watched;
  const world = { url: double.url, model, session, sent, userMessages: userMessages(modelCalls) };
  await run({ ...world, ...(summarizer !== undefined && { summarizer }) });
  const seconds = (performance.now() - start) / 1_000;
  await session.close();
  await double.close();
  const { threadIds, ...requests } = watched.figures();
  return {
    host: host.id,
    model,
    figures: double.figures,
    ...requests,
    ...(await replayAnew(address, threadIds)),
    recordsRequests: host.recordsRequests ?? true,
    turnTimes: perTurn,
    seconds,
  };
}

const userMessages = (modelCalls: number): readonly string[] =>
  Array.from(
    { length: Math.ceil(modelCalls / MOVES_PER_TURN) },
    (_, turn) => userMessageBefore(turn * MOVES_PER_TURN) as string,
  );

/** Counts the requests of a session, and of other sessions of its host, from now on, and those above its budget. */
function watchRequests(session: ContextSession) {
  const threadIds = new Set([session.threadId]);
  let prepared = 0;
  let aboveBudget = 0;
  const prepare = session.prepare.bind(session);
  const { maxInputTokens, outputReserveTokens } = session.config;
  const sent: AgentWorld["sent"] = ({ threadId, tokens }) => {
    threadIds.add(threadId);
    prepared++;
    if (tokens > maxInputTokens - outputReserveTokens) aboveBudget++;
  };
  const watched = async (options?: Parameters<typeof prepare>[0]): Promise<PreparedRequest> => {
    const request = await prepare(options);
    sent({ threadId: session.threadId, tokens: request.tokens });
    return request;
  };
  Object.assign(session, { prepare: watched });
  return { sent, figures: () => ({ prepared, aboveBudget, threadIds: [...threadIds] }) };
}

/** Replays every request of these threads, including forks, in a reopened store. */
async function replayAnew(address: string, threadIds: readonly ThreadId[]) {
  const store = await openStore(address);
  let [folds, replayed, recorded] = [0, 0, 0];
  try {
    for (const threadId of threadIds) {
      const requests = await replayThread(store, threadId);
      folds = Math.max(folds, (await store.plans.getCurrentPlan(threadId)).version);
      replayed += requests.filter(({ equal }) => equal).length;
      recorded += requests.length;
    }
  } finally {
    await store.close();
  }
  return { folds, replayed, recorded };
}

/** The session calls that make up a turn. */
const TIMED = ["append", "prepare", "complete"] as const;

/** Milliseconds that a session took for each request, including everything since the previous request. */
interface TurnTimes {
  readonly perTurn: readonly number[];
}

/** Times the calls of a session from now on, by replacing its methods. A turn ends with its request. */
function timeSession(session: ContextSession): TurnTimes {
  const perTurn: number[] = [];
  let spent = 0;
  for (const name of TIMED) {
    const call = session[name].bind(session) as (...given: unknown[]) => Promise<unknown>;
    const timed = async (...given: unknown[]): Promise<unknown> => {
      const start = performance.now();
      try {
        return await call(...given);
      } finally {
        spent += performance.now() - start;
        if (name === "prepare") {
          perTurn.push(spent);
          spent = 0;
        }
      }
    };
    Object.assign(session, { [name]: timed });
  }
  return { perTurn };
}

/** Describes what did not hold in a run; empty when everything did. */
export function brokenPromises(
  { figures, aboveBudget, replayed, recorded, recordsRequests }: AgentReport,
  modelCalls: number,
): readonly string[] {
  return [
    ...(figures.answered < modelCalls ? [`only ${figures.answered} of ${modelCalls} calls were answered`] : []),
    ...figures.illegal.map((rule) => `an illegal request: ${rule}`),
    ...(keptShare(figures) < LEAST_KEPT
      ? [`reasoning kept in ${figures.reasoning.kept} of ${figures.reasoning.allowed} steps`]
      : []),
    ...(figures.withoutRule > 0 ? [`${figures.withoutRule} requests without the user's rule`] : []),
    ...(aboveBudget + figures.overBudget > 0 ? [`${aboveBudget + figures.overBudget} requests above the budget`] : []),
    ...(replayed < recorded || (recordsRequests && recorded === 0)
      ? [`${replayed} of ${recorded} requests replayed`]
      : []),
  ];
}

/** Share of the steps of open tool loops that must have their reasoning, if the provider accepts it. */
const LEAST_KEPT = 0.95;

/** Returns the share of steps with their reasoning; 1 if the provider accepts none. */
function keptShare({ reasoning: { allowed, kept } }: DoubleFigures): number {
  return allowed === 0 ? 1 : kept / allowed;
}

/** Returns the fields of a run's JSON line. `reasoningKept` is null if the provider accepts no reasoning. */
export const reportLine = ({ host, model, figures }: AgentReport) => ({
  host,
  model,
  calls: figures.answered,
  refusals: figures.illegal.length,
  reasoningKept: figures.reasoning.allowed === 0 ? null : keptShare(figures),
});

const COLUMNS = "host model calls illegal kept over norule faults folds cache median p99 first last replayed".split(
  " ",
);

/**
 * Returns the runs as a table for people. `first` and `last` are medians of the first and last quarter, in ms per turn.
 */
export function reportTable(reports: readonly AgentReport[]): string {
  const rows = [COLUMNS, ...reports.map(rowOf)];
  const widths = COLUMNS.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows
    .map((row) =>
      row
        .map((cell, column) => (column < 2 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)))
        .join("  "),
    )
    .join("\n");
}

const NOTHING = "-";

function rowOf({ host, model, figures, aboveBudget, folds, turnTimes, ...report }: AgentReport): readonly string[] {
  const quarter = Math.ceil(turnTimes.length / 4);
  const milliseconds = (times: readonly number[], share: number): string =>
    quantile(times, share)?.toFixed(2) ?? NOTHING;
  return [
    host,
    model,
    `${figures.answered}`,
    `${figures.illegal.length}`,
    figures.reasoning.allowed === 0 ? NOTHING : `${(keptShare(figures) * 100).toFixed(1)}%`,
    `${aboveBudget + figures.overBudget}`,
    `${figures.withoutRule}`,
    `${figures.faults}`,
    `${folds}`,
    `${(figures.cacheHitRate * 100).toFixed(1)}%`,
    milliseconds(turnTimes, 0.5),
    milliseconds(turnTimes, 0.99),
    milliseconds(turnTimes.slice(0, quarter), 0.5),
    milliseconds(turnTimes.slice(-quarter), 0.5),
    report.recordsRequests ? `${report.replayed}/${report.recorded}` : NOTHING,
  ];
}

function quantile(figures: readonly number[], share: number): number | undefined {
  const sorted = figures.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
}
