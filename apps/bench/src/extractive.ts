import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { type SummarizeRequest, spanOf } from "@threadfold/core";
import { redactingSummarizer } from "@threadfold/summarizers";
import {
  AgentThread,
  asThreadId,
  ExtractiveSummarizer,
  importSessionFile,
  loadTokenizer,
  type Message,
  type Summarizer,
} from "threadfold";
import { agentHistory } from "./agent-step.ts";
import { hostileThreads } from "./hostile-threads.ts";
import { spreadOf } from "./median.ts";

/**
 * Measures the cost of summarizing without a model: a span of 200 000 tokens compared with counting exactly the same
 * messages with tiktoken, alternating in one run, plain and with secrets redacted first as a session does; and how the
 * time grows when a hostile span doubles. Prints medians; `--json` prints one object for machines.
 */
const SPAN_TOKENS = 200_000;
const ROUNDS = 9;
const WARM_UP = 3;
const HOSTILE_CHARACTERS = 3_000_000;
const HOSTILE_ROUNDS = 10;
const SUMMARY_TOKENS = 6_000;

const data = resolve(process.env["THREADFOLD_DATA"] ?? join(import.meta.dirname, "../../../../shared/data"));
const recorded = join(data, "trajectories/openai-chat/iso-bench-9ed82e70.json.gz");
const tokenizer = await loadTokenizer("tiktoken");
const extractive = new ExtractiveSummarizer();
const summarizers: Readonly<Record<string, Summarizer>> = { extractive, redacted: redactingSummarizer(extractive) };

const messages = await spanOfTokens(SPAN_TOKENS);
const tokens = messages.reduce((sum, message) => sum + tokenizer.countMessage(message), 0);
const times: Record<string, number[]> = { tiktoken: [], extractive: [], redacted: [] };
for (let round = 0; round < WARM_UP + ROUNDS; round++) {
  const spent: Record<string, number> = { tiktoken: await timed(async () => countAll(messages)) };
  for (const [name, summarizer] of Object.entries(summarizers))
    spent[name] = await timed(() => summarizer.summarize(requestFor(messages)));
  if (round >= WARM_UP) for (const [name, time] of Object.entries(spent)) times[name]?.push(time);
}
const growth: { readonly text: string; readonly once: number; readonly twice: number; readonly ratio: number }[] = [];
for (const { name, threadOf } of hostileThreads) {
  const [once, twice] = await bestOf([threadOf(HOSTILE_CHARACTERS), threadOf(2 * HOSTILE_CHARACTERS)]);
  growth.push({ text: name, once, twice, ratio: twice / once });
}
report();

function countAll(span: readonly Message[]): void {
  let sum = 0;
  for (const message of span) sum += tokenizer.countMessage(message);
  if (sum !== tokens) throw new Error(`The span was counted as ${tokens} and then as ${sum} tokens.`);
}

/**
 * A session counts new messages with its own counter; the bench uses chars/4, so that counting is not measured twice.
 */
function requestFor(span: readonly Message[]): SummarizeRequest {
  const countTokens = (text: string): number => Math.ceil(text.length / 4);
  return { span: spanOf(span), messages: span, previous: null, pins: [], maxTokens: SUMMARY_TOKENS, countTokens };
}

/** Returns the beginning of a recorded session, or of a scripted one if there is none. */
async function spanOfTokens(limit: number): Promise<readonly Message[]> {
  const inputs = existsSync(recorded) ? (await importSessionFile(recorded)).messages : agentHistory(20_000);
  const all = [...AgentThread.empty(asThreadId("span")).append(inputs).messages].filter(
    ({ role }) => role !== "system",
  );
  let sum = 0;
  const end = all.findIndex((message) => {
    sum += tokenizer.countMessage(message);
    return sum >= limit;
  });
  return end < 0 ? all : all.slice(0, end + 1);
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  (globalThis as { gc?: () => void }).gc?.();
  const start = performance.now();
  await work();
  return performance.now() - start;
}

/** Returns milliseconds of processor time, which excludes the machine's other processes. */
async function processorTime(work: () => Promise<unknown>): Promise<number> {
  (globalThis as { gc?: () => void }).gc?.();
  const start = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1_000;
}

/** Returns the shortest time for each of two spans, alternating, so that a busy moment of the machine affects both. */
async function bestOf(spans: readonly [readonly Message[], readonly Message[]]): Promise<readonly [number, number]> {
  const least: [number, number] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let round = 0; round < HOSTILE_ROUNDS; round++)
    for (const [index, span] of spans.entries())
      least[index as 0 | 1] = Math.min(
        least[index as 0 | 1],
        await processorTime(() => extractive.summarize(requestFor(span))),
      );
  return least;
}

function report(): void {
  const spreads = Object.fromEntries(Object.entries(times).map(([name, list]) => [name, spreadOf(list)]));
  const median = (name: string): number => spreads[name]?.median ?? Number.NaN;
  const ratio = median("extractive") / median("tiktoken");
  const worst = Math.max(...growth.map((entry) => entry.ratio));
  if (process.argv.includes("--json")) {
    process.stdout.write(
      `${JSON.stringify({ messages: messages.length, tokens, ...spreads, ratio, growth, worst })}\n`,
    );
    return;
  }
  const ms = (time: number): string => `${time.toFixed(1)} ms`;
  const lines = [
    `${messages.length} messages, ${tokens} tokens (${tokenizer.id})`,
    `  count exactly       ${ms(median("tiktoken"))}`,
    `  summarize           ${ms(median("extractive"))}, ${ratio.toFixed(2)} times as long as counting`,
    `  redact, summarize   ${ms(median("redacted"))}, ${(median("redacted") / median("tiktoken")).toFixed(2)} times as long as counting`,
    "hostile spans, time(2n)/time(n):",
    ...growth.map(
      ({ text, once, twice, ratio: grown }) =>
        `  ${text.padEnd(10)} ${ms(once).padStart(10)} ${ms(twice).padStart(10)}   ${grown.toFixed(2)}`,
    ),
  ];
  process.stdout.write(`${lines.join("\n")}\n`);
}
