import {
  asThreadId,
  ContextSession,
  createMemoryStore,
  formatById,
  loadTokenizer,
  type MessageInput,
  type ProviderAwareTokenizer,
} from "threadfold";
import { AGENT_FRAME, agentStep, agentTask, stoppedClock } from "./agent-step.ts";

const STEPS = 2_000;
/** Lines of a result. With these a step has about 600 tokens; those of the recorded sessions have 500 to 1 500. */
const LINES = 40;

/** The cost of a growing run compared with counting its messages, in milliseconds. */
export interface GrowingRun {
  readonly tokenizer: string;
  readonly steps: number;
  /** Counting every message once as it arrives and adding up: the minimum cost of knowing the size of a prompt. */
  readonly bareCount: number;
  /** Append with digest chain, trigger, render, legality and request digest, at every step. */
  readonly ours: number;
  readonly ratio: number;
}

/** Runs the same steps twice: only counted, and through a session that prepares a request at every step. */
export async function growingRun(tokenizerId: string): Promise<GrowingRun> {
  const tokenizer = await loadTokenizer(tokenizerId);
  await run(tokenizer, 200);
  const bareCount = countOnAppend(tokenizer, STEPS);
  const ours = await run(tokenizer, STEPS);
  return { tokenizer: tokenizer.id, steps: STEPS, bareCount, ours, ratio: ours / bareCount };
}

function countOnAppend(tokenizer: ProviderAwareTokenizer, steps: number): number {
  const log: MessageInput[] = [];
  let tokens = 0;
  let fires = 0;
  let spent = 0;
  for (let index = 0; index < steps; index++) {
    const messages = index === 0 ? [agentTask, ...agentStep(index, LINES)] : agentStep(index, LINES);
    const start = performance.now();
    for (const message of messages) {
      log.push(message);
      tokens += tokenizer.countMessage(message);
    }
    if (tokens > 100_000_000) fires++;
    spent += performance.now() - start;
  }
  if (fires > 0 || log.length === 0) throw new Error("The bare loop counted nothing.");
  return spent;
}

async function run(tokenizer: ProviderAwareTokenizer, steps: number): Promise<number> {
  const session = await ContextSession.open({
    threadId: asThreadId(`growing-${tokenizer.id}-${steps}`),
    store: createMemoryStore(),
    config: { maxInputTokens: 100_000_000 },
    tokenizer,
    format: formatById("anthropic-messages"),
    frame: AGENT_FRAME,
    clock: stoppedClock,
  });
  let spent = 0;
  for (let index = 0; index < steps; index++) {
    const messages = index === 0 ? [agentTask, ...agentStep(index, LINES)] : agentStep(index, LINES);
    const start = performance.now();
    await session.append(messages);
    await session.prepare();
    spent += performance.now() - start;
  }
  return spent;
}
