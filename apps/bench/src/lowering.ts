import { emptyPlan, TokenLedger } from "@threadfold/core";
import { GrowingPayload, GrowingRendering } from "@threadfold/renderer";
import { AgentThread, asThreadId, formatById, heuristicTokenizer, type ProviderFormat } from "threadfold";
import { agentStep, agentTask } from "./lowering-thread.ts";
import { spreadOf } from "./median.ts";

/**
 * Measures the cost of lowering a request: a window of 100 000 tokens compared with `JSON.stringify` of the resulting
 * payload, alternating in one run; and, turn by turn as the thread grows, the number of messages lowered and the time
 * it takes to lower, check and assemble the whole payload. `--json` prints one line per format.
 */
const WINDOW_TOKENS = 100_000;
const ROUNDS = 100;
const WARM_UP = 40;
const TURNS = 40;

const FORMATS = ["anthropic-messages", "openai-chat", "openai-responses", "gemini", "ai-sdk"] as const;
const FRAME = {
  system: ["You are a careful engineer."],
  tools: [{ name: "read", description: "Reads a file.", inputSchema: { type: "object" } }],
};

const nothingCounted = TokenLedger.empty(heuristicTokenizer(), () => "anchoring");

/** Returns a thread as long as the window. */
function wholeWindow(): { readonly thread: AgentThread; readonly steps: number } {
  const start = AgentThread.empty(asThreadId("lowering"));
  const steps = Math.ceil(WINDOW_TOKENS / nothingCounted.extend(start.append(agentStep(1))).totalTokens);
  const messages = Array.from({ length: steps }, (_, index) => agentStep(index)).flat();
  return { thread: start.append([agentTask, ...messages]), steps };
}

const whole = wholeWindow();
const plan = emptyPlan(whole.thread.id, "bench");
const counted = nothingCounted.extend(whole.thread);
const inputOf = (thread: AgentThread) => ({ thread, plan, ledger: counted.extend(thread), ...FRAME });

function measure(id: (typeof FORMATS)[number]) {
  const format = formatById(id);
  const { rendering } = GrowingRendering.of(inputOf(whole.thread), format);
  const { payload } = format.lower(rendering.request);
  const lower: number[] = [];
  const stringify: number[] = [];
  for (let round = 0; round < WARM_UP + ROUNDS; round++) {
    const lowering = timed(() => format.lower(rendering.request));
    const writing = timed(() => JSON.stringify(payload));
    if (round < WARM_UP) continue;
    lower.push(lowering);
    stringify.push(writing);
  }
  return {
    format: id,
    windowTokens: rendering.tokens,
    messages: rendering.request.messages.length,
    bytes: Buffer.byteLength(JSON.stringify(payload)),
    lowerMs: spreadOf(lower),
    stringifyMs: spreadOf(stringify),
    ratio: spreadOf(lower).median / spreadOf(stringify).median,
    ...turns(format),
  };
}

/**
 * Measures the turns after the first request. The first lowers again what is now final, the others only what is new.
 */
function turns(known: ProviderFormat) {
  const { format, taken } = counting(known);
  let { thread } = whole;
  let rendering = GrowingRendering.of(inputOf(thread), format);
  let payload = GrowingPayload.of(rendering, format);
  const times: number[] = [];
  const lowered: number[] = [];
  for (let turn = 0; turn < TURNS; turn++) {
    thread = thread.append(agentStep(whole.steps + turn));
    rendering = rendering.grow(inputOf(thread));
    taken();
    times.push(
      timed(() => {
        payload = payload.grow(rendering);
      }),
    );
    lowered.push(taken());
  }
  return {
    messagesPerTurn: agentStep(0).length,
    firstTurnLowered: lowered[0] as number,
    turnLowered: spreadOf(lowered.slice(1)),
    turnMs: spreadOf(times.slice(1)),
  };
}

/** Wraps a format so that it counts the messages it lowers. */
function counting(known: ProviderFormat): { readonly format: ProviderFormat; taken(): number } {
  let messages = 0;
  const lower: ProviderFormat["lower"] = (request, options) => {
    messages += request.messages.length;
    return known.lower(request, options);
  };
  const taken = (): number => {
    const count = messages;
    messages = 0;
    return count;
  };
  return { format: { ...known, lower }, taken };
}

function timed(work: () => unknown): number {
  const start = performance.now();
  work();
  return performance.now() - start;
}

for (const id of FORMATS) {
  const result = measure(id);
  if (process.argv.includes("--json")) process.stdout.write(`${JSON.stringify(result)}\n`);
  else {
    const { lowerMs, stringifyMs, turnMs, turnLowered } = result;
    process.stdout.write(
      `${id.padEnd(18)} ${result.messages} messages, ${result.windowTokens} tokens: lowered in ${lowerMs.median.toFixed(2)} ms, ` +
        `JSON.stringify ${stringifyMs.median.toFixed(2)} ms, ratio ${result.ratio.toFixed(2)}\n` +
        `${"".padEnd(18)} a turn of ${result.messagesPerTurn} messages: ${turnLowered.median} lowered (the previous step is still open), ` +
        `${turnMs.median.toFixed(2)} ms with the check; the first turn lowers ${result.firstTurnLowered}\n`,
    );
  }
}
