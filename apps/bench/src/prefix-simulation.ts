import { prefixDiff } from "@threadfold/renderer";
import {
  asMessageId,
  asThreadId,
  asToolCallId,
  ContextSession,
  createMemoryStore,
  type MessageInput,
  type PreparedRequest,
} from "threadfold";
import { deepAndSeldomCut } from "./deep-and-seldom-cut.ts";

/**
 * Runs 1 000 growing steps through a session, with a request before each: counts how often the prompt does not begin
 * with the one before it, and the tokens outside that stable prefix. For comparison, it computes the same for a cut of
 * the same messages that is as deep and as rare: at the same threshold, down to the same target. `--json` prints the
 * figures for machines.
 */
const STEPS = 1_000;
const BUDGET = 100_000;
const CREATED_AT = "2026-01-01T00:00:00.000Z";
const LINE = "the worker took the job from the queue and wrote its result\n";

/**
 * Returns a step: the agent's text and call, and a result of 200 to 2 600 characters, ten times that in every twelfth.
 */
function step(index: number): readonly MessageInput[] {
  const callId = asToolCallId(`call_${index}`);
  const length = (200 + ((index * 7_919) % 2_400)) * (index % 12 === 11 ? 10 : 1);
  const text = `step ${index} of src/part-${index % 40}.ts\n${LINE.repeat(Math.ceil(length / LINE.length)).slice(0, length)}`;
  return [
    {
      id: asMessageId(`a${index}`),
      role: "assistant",
      parts: [
        { type: "text", text: `Step ${index}: I look at part ${index % 40}.` },
        { type: "tool-call", callId, toolName: "bash", input: { command: `make part-${index % 40}` } },
      ],
      createdAt: CREATED_AT,
    },
    {
      id: asMessageId(`t${index}`),
      role: "tool",
      parts: [
        {
          type: "tool-result",
          result: { toolName: "bash", callId, outcome: "success", content: { type: "text", text } },
        },
      ],
      createdAt: CREATED_AT,
    },
  ];
}

/** Returns the tokens of a request after the part that it shares with the one before. */
function tokensOutside(before: PreparedRequest | undefined, now: PreparedRequest): number {
  const divergence = before === undefined ? null : prefixDiff(before, now);
  const shared = before === undefined ? 0 : (divergence?.message ?? before.request.messages.length);
  return now.manifest.messages.slice(Math.max(0, shared)).reduce((sum, { tokens }) => sum + tokens, 0);
}

async function simulate() {
  let seconds = 0;
  const session = await ContextSession.open({
    threadId: asThreadId("prefix-simulation"),
    store: createMemoryStore(),
    config: { maxInputTokens: BUDGET },
    journal: false,
    clock: { now: () => 1_000 * seconds },
  });
  await session.append([
    {
      id: asMessageId("u0"),
      role: "user",
      parts: [{ type: "text", text: "Bring every part to the new interface." }],
      createdAt: CREATED_AT,
    },
  ]);
  const added: number[] = [];
  let before: PreparedRequest | undefined;
  let outside = 0;
  let breaks = 0;
  let largest = 0;
  for (let index = 0; index < STEPS; index++) {
    seconds += 20;
    const known = session.thread.length;
    await session.append(step(index));
    const prepared = await session.prepare();
    const fresh = new Set(session.thread.messagesBetween(known).map(({ id }) => id));
    added.push(
      prepared.manifest.messages
        .filter(({ sources }) => sources.some((id) => fresh.has(id)))
        .reduce((sum, { tokens }) => sum + tokens, 0),
    );
    if (before !== undefined && prefixDiff(before, prepared) !== null) breaks++;
    outside += tokensOutside(before, prepared);
    largest = Math.max(largest, prepared.tokens);
    before = prepared;
  }
  const { softThresholdPercent, targetPercent } = session.config;
  const cut = deepAndSeldomCut(added, BUDGET * softThresholdPercent, BUDGET * targetPercent);
  const tokens = added.reduce((sum, one) => sum + one, 0);
  return {
    steps: STEPS,
    budget: BUDGET,
    tokensAppended: tokens,
    largestRequest: largest,
    epochs: session.plan.version,
    breaks,
    tokensOutsideStablePrefix: outside,
    deepAndSeldom: cut,
    share: outside / cut.tokensOutsideStablePrefix,
  };
}

const result = await simulate();
if (process.argv.includes("--json")) process.stdout.write(`${JSON.stringify(result)}\n`);
else {
  const figure = (value: number): string => Math.round(value).toLocaleString("en-US");
  const { deepAndSeldom: cut } = result;
  process.stdout.write(
    `${figure(result.steps)} steps, ${figure(result.tokensAppended)} tokens appended, budget ${figure(result.budget)}, largest request ${figure(result.largestRequest)}\n` +
      `  breaks of the prefix             ${figure(result.breaks)} (${figure(result.epochs)} plans committed)\n` +
      `  tokens outside the stable prefix ${figure(result.tokensOutsideStablePrefix)}\n` +
      `  a deep and infrequent cut        ${figure(cut.breaks)} breaks, ${figure(cut.tokensOutsideStablePrefix)} tokens outside\n` +
      `  share of what that cut needs     ${result.share.toFixed(2)}\n`,
  );
}
if (result.breaks > result.epochs || result.share > 1) process.exitCode = 1;
