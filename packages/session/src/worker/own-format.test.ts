import { message } from "@threadfold/core/laws";
import { formatById, type ProviderFormat } from "@threadfold/renderer";
import { createMemoryStore } from "@threadfold/stores";
import { summarizeStrategy, threadfoldPreset } from "@threadfold/strategies";
import { expect, it } from "vitest";
import { replayThread } from "../replay/replay-thread.ts";
import { openSession, threadId, tokenizer, work } from "../testing/agent-work.ts";
import { memoryQueue } from "../testing/memory-queue.ts";
import { type CompactionWorkerEvent, startCompactionWorker } from "./compaction-worker.ts";

const openaiChat = formatById("openai-chat");
/** A gateway that takes OpenAI's chat messages as `turns` of an envelope of its own. */
const gateway: ProviderFormat = {
  id: "house-gateway",
  messagesField: "turns",
  rules: openaiChat.rules,
  lower(request, options) {
    const { messages = [], ...rest } = openaiChat.lower(request, options).payload;
    return { payload: { ...rest, turns: messages } };
  },
  check(payload, manifest) {
    const { turns = [], ...rest } = payload as { readonly turns?: unknown };
    return openaiChat.check({ ...rest, messages: turns }, manifest);
  },
};

const preset = { ...threadfoldPreset, ladder: [summarizeStrategy], config: { policyVersion: "tests" } };
const config = { maxInputTokens: 10_000, costModelEnabled: false, softThresholdPercent: 0.85, targetPercent: 0.5 };

async function gatewaySession(worker: { readonly format?: ProviderFormat }) {
  const store = createMemoryStore();
  const { queue, idle } = memoryQueue();
  const told: CompactionWorkerEvent[] = [];
  const session = await openSession({ store, config, preset, format: gateway, background: { queue } });
  await session.append([message("u0", "user", "Build it."), ...work(0, 8, 900)]);
  await session.prepare();
  const openStore = async () => ({ ...store, close: async () => undefined });
  const started = await startCompactionWorker({
    queue,
    openStore,
    session: { config, preset, tokenizer, ...worker },
    onEvent: (event) => told.push(event),
  });
  await idle();
  await started.stop();
  return { session, store, told };
}

it("a custom format is folded for, reopened and replayed byte for byte", async () => {
  const { session, store, told } = await gatewaySession({ format: gateway });
  expect(told.map(({ type }) => type)).toContain("job-done");
  const { payload, plan } = await session.prepare();
  expect([plan.version, Array.isArray(payload["turns"])]).toEqual([1, true]);
  expect((await session.replay()).map(({ format, equal }) => [format, equal])).toEqual([
    ["house-gateway", true],
    ["house-gateway", true],
  ]);
  const other = await openSession({ store });
  expect((await other.replay({ formats: [gateway] })).map(({ equal }) => equal)).toEqual([true, true]);
  const reopened = await openSession({ store, config, preset, format: gateway });
  expect((await reopened.prepare()).payload).toEqual(payload);
});

it("a custom format that nobody passes in is named in the problem of a replay and of a worker", async () => {
  const { store, told } = await gatewaySession({});
  expect(await replayThread(store, threadId)).toMatchObject([
    { equal: false, replayedDigest: null, problem: "There is no request format house-gateway." },
  ]);
  expect(JSON.stringify(told)).toContain("There is no request format house-gateway.");
});
