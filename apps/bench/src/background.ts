import { setTimeout as pause } from "node:timers/promises";
import { summarizeStrategy, threadfoldPreset } from "@threadfold/strategies";
import { asThreadId, type CompletionModel, ContextSession, createMemoryStore, formatById } from "threadfold";
import { AGENT_FRAME, agentHistory, agentStep, stoppedClock } from "./agent-step.ts";
import { spreadOf } from "./median.ts";

/**
 * Measures how long `prepare` takes while a model summarizes in the background. A thread of 2 000 messages is at its
 * soft threshold; a scripted model takes 20 seconds for each summary (`--seconds` overrides this), and meanwhile the
 * agent continues call by call, including the request that begins the fold and the first one under its plan. Reports
 * wall and processor time of each `prepare`; the fold's own work shares the thread. A number chooses the messages,
 * `--json` prints one line.
 */
const CALLS = 100;
/** Share of the budget that the history takes: above the soft threshold, and far enough below the cap for the calls. */
const FULL = 0.87;

const json = process.argv.includes("--json");
const messages = process.argv.map(Number).find((size) => size > 0) ?? 2_000;
const seconds = Number(process.argv.find((word) => word.startsWith("--seconds="))?.split("=")[1] ?? 20);

let asked = 0;
const model: CompletionModel = {
  id: "scripted-model",
  complete: async ({ signal }) => {
    asked++;
    await pause(1_000 * seconds, undefined, signal === undefined ? {} : { signal });
    const facts = [{ text: "The agent reads every file of the project.", sources: [1] }];
    return { text: JSON.stringify({ add: { facts } }), finish: "stop", toolCalls: 0 };
  },
};

const history = agentHistory(messages);
const measuring = await open(10_000_000);
await measuring.append(history);
const { tokens } = await measuring.prepare();
await measuring.close();

const session = await open(Math.round(tokens / FULL));
// An agent's thread has grown call by call: its messages were rendered before.
const grown = Math.floor(0.9 * history.length);
await session.append(history.slice(0, grown));
await session.prepare();
await session.append(history.slice(grown));
const walls: number[] = [];
const processor: number[] = [];
let step = 0;
while (session.plan.version === 0) {
  await prepared();
  await pause((1_000 * seconds) / CALLS);
  await session.append(agentStep(10_000_000 + step++));
}
await prepared();
const { summarizations } = session.plan;
await session.close();

const figures = {
  messages,
  summarySeconds: seconds,
  calls: walls.length,
  modelCalls: asked,
  byModel: summarizations.some(({ summarizer }) => summarizer.includes("scripted-model")),
  wallMs: percentiles(walls),
  cpuMs: percentiles(processor),
};
const { wallMs, cpuMs } = figures;
process.stdout.write(
  json
    ? `${JSON.stringify(figures)}\n`
    : `${walls.length} requests while a model of ${seconds} s summarized ${messages} messages (${asked} model calls): ` +
        `p50 ${wallMs.p50} ms, p99 ${wallMs.p99} ms (CPU ${cpuMs.p50} and ${cpuMs.p99} ms)\n`,
);

function open(maxInputTokens: number): Promise<ContextSession> {
  return ContextSession.open({
    threadId: asThreadId("behind"),
    store: createMemoryStore(),
    config: { maxInputTokens, costModelEnabled: false, safetyBufferTokens: 0, softThresholdPercent: 0.85 },
    summaryModel: model,
    // What is folded without a model does not matter here.
    preset: { ...threadfoldPreset, ladder: [summarizeStrategy] },
    format: formatById("anthropic-messages"),
    frame: AGENT_FRAME,
    clock: stoppedClock,
  });
}

async function prepared(): Promise<void> {
  const before = process.cpuUsage();
  const start = performance.now();
  await session.prepare();
  walls.push(performance.now() - start);
  const { user, system } = process.cpuUsage(before);
  processor.push((user + system) / 1_000);
}

function percentiles(figures: readonly number[]) {
  const sorted = figures.toSorted((a, b) => a - b);
  const at = (share: number): number => sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)] ?? 0;
  const round = (value: number): number => Math.round(10 * value) / 10;
  return { p50: round(at(0.5)), p99: round(at(0.99)), highest: round(spreadOf(figures).highest) };
}
