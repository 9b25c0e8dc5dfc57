import { type PolicyContext, type PromptPolicy, scriptedSummarizer } from "@threadfold/simulation";
import { AgentThread, asThreadId, type Message } from "threadfold";
import { agentHistory, agentStep, agentTask, stoppedClock } from "./agent-step.ts";
import { type Spread, spreadOf } from "./median.ts";
import { type LoadPeer, noPeer } from "./peer.ts";
import { timedPolicy } from "./speed-policies.ts";

/**
 * Times one policy and prints the results as a line of JSON whenever there is something new, so that a parent that
 * kills it for being slow still has what was measured until then. Arguments: the policy, `oneshot` or `growing`,
 * messages, seconds.
 */
const BUDGET = 60_000;
const ROUNDS = 5;

/** One prompt from a whole history. */
export interface Oneshot {
  readonly messages: number;
  readonly ms: Spread;
  readonly rounds: number;
}

/** A thread that grew step by step up to this many messages, with a prompt at each step. */
export interface Growing {
  readonly messages: number;
  /** Total milliseconds of all prompts so far. */
  readonly totalMs: number;
}

const print = (result: Oneshot | Growing): unknown => process.stdout.write(`${JSON.stringify(result)}\n`);
const context: PolicyContext = {
  sessionId: "speed",
  budgetTokens: BUDGET,
  system: ["You are a careful engineer."],
  tools: [],
  summarize: scriptedSummarizer("extractive").text,
  countTokens: (text) => Math.ceil(text.length / 4),
};

/** Does the work that the arguments of this process describe. */
export async function serveSpeed(loadPeer: LoadPeer): Promise<void> {
  const [id = "", mode = "", size = "", seconds = ""] = process.argv.slice(2);
  const policy = await timedPolicy(id, loadPeer);
  const until = performance.now() + Number(seconds) * 1_000;
  await (mode === "oneshot" ? oneshot : growing)(policy, Number(size), until);
  process.exit(0);
}

async function oneshot(policy: PromptPolicy, messages: number, until: number): Promise<void> {
  const thread = AgentThread.empty(asThreadId("speed")).append(agentHistory(messages));
  const history: readonly Message[] = [...thread.messages];
  const times: number[] = [];
  while (times.length < ROUNDS && (times.length === 0 || performance.now() < until)) {
    const run = await policy.begin(context);
    const { milliseconds } = await run.prompt(history, stoppedClock.now());
    await run.end();
    times.push(milliseconds);
    print({ messages: history.length, ms: spreadOf(times), rounds: times.length });
  }
}

async function growing(policy: PromptPolicy, most: number, until: number): Promise<void> {
  const run = await policy.begin(context);
  let thread = AgentThread.empty(asThreadId("speed"));
  let totalMs = 0;
  // Printed each time the number of messages has doubled; 4,000 are the messages of 2,000 steps, which the table shows.
  let told = 500;
  for (let index = 0; thread.length < most && performance.now() < until; index++) {
    const known = thread.length;
    thread = thread.append(index === 0 ? [agentTask, ...agentStep(index)] : agentStep(index));
    const { milliseconds } = await run.prompt([...thread.messagesBetween(known)], stoppedClock.now() + index * 1_000);
    totalMs += milliseconds;
    if (thread.length < told) continue;
    print({ messages: thread.length, totalMs });
    told *= 2;
  }
  print({ messages: thread.length, totalMs });
  await run.end();
}

if (import.meta.main) await serveSpeed(noPeer);
