import {
  type CompletionModel,
  type CompletionRequest,
  emptyPlan,
  type ProviderAwareTokenizer,
  sealPlan,
  spanOf,
} from "@threadfold/core";
import { countingTokenizer, message } from "@threadfold/core/laws";
import { createMemoryStore } from "@threadfold/stores";
import {
  type CompactionStrategy,
  type CompactionTrigger,
  recursiveSummarization,
  shownTurnCountTrigger,
  slidingWindow,
  springSessionPreset,
  tokenCountTrigger,
  tokenCountWindow,
} from "@threadfold/strategies";
import { modelSummarizer, promptByVersion } from "@threadfold/summarizers";
import { compactionResult } from "@threadfold/turn";
import { describe, expect, it } from "vitest";
import { openSession, work } from "../testing/agent-work.ts";
import { heldSummarizer } from "../testing/held-summarizer.ts";

const chat = (from: number, to: number, tokens = 50) =>
  Array.from({ length: to - from }, (_, index) => [
    message(`u${from + index}`, "user", `Question ${from + index}? ${"word ".repeat(tokens)}`),
    message(`a${from + index}`, "assistant", `Answer ${from + index}. ${"word ".repeat(tokens)}`),
  ]).flat();
const roomy = { preset: springSessionPreset, config: { maxInputTokens: 200_000 } };

/** A model that answers in prose, and what it was asked. */
function listening() {
  const asked: CompletionRequest[] = [];
  const model: CompletionModel = {
    id: "prose",
    complete: async (request) => {
      asked.push(request);
      return { text: "They talked about questions.", finish: "stop", toolCalls: 0 };
    },
  };
  return { model, text: (call: number) => asked[call]?.messages.map(({ text }) => text).join("\n") ?? "", asked };
}

describe("the service of Spring AI Session, by requirement", () => {
  it("spring-4 the outcome has type and tokens, and comparing the plans gives the document's result", async () => {
    const session = await openSession(roomy);
    await session.append(chat(0, 21));
    const before = session.plan;
    const strategy = slidingWindow({ maxEvents: 10 });
    const outcome = await session.compact({ trigger: shownTurnCountTrigger(20), strategy });
    expect(outcome).toMatchObject({ type: "committed", tokens: { before: expect.any(Number) } });
    const result = compactionResult(session.thread, before, session.plan, countingTokenizer().countMessage);
    expect([result.eventsRemoved, result.archivedEvents.length, result.compactedEvents.length]).toEqual([32, 32, 10]);
    expect(result.tokensEstimatedSaved).toBeGreaterThan(500);
  });

  it("spring-5 a message appended during a compaction stays in the prompt, and the compaction can be reverted", async () => {
    const held = heldSummarizer();
    const session = await openSession({ ...roomy, summarizer: held.summarizer });
    await session.append(chat(0, 21));
    const read = session.thread.version;
    const folding = session.compactInBackground({ force: true });
    await held.reached;
    await session.append([message("late", "user", "And this?")]);
    held.open();
    expect((await folding.done).type).toBe("committed");
    expect(JSON.stringify((await session.prepare()).request.messages)).toContain("And this?");
    if (session.thread.version !== read) expect((await session.revert(0)).type).toBe("committed");
    expect((await session.render()).manifest.messages.filter(({ action }) => action === "include")).toHaveLength(43);
  });

  it("spring-9 one tokenizer counts for trigger, strategy and budget, and it can be replaced", async () => {
    const plain = countingTokenizer();
    const dear: ProviderAwareTokenizer = {
      id: "dear",
      countTokens: (text) => 4 * plain.countTokens(text),
      countPart: (part) => 4 * plain.countPart(part),
      messageOverhead: (role) => 4 * plain.messageOverhead(role),
      countMessage: (said) => 4 * plain.countMessage(said),
      countToolSchemas: (tools) => 4 * plain.countToolSchemas(tools),
      countRequest: (request) => 4 * plain.countRequest(request),
    };
    const outcomes = await Promise.all(
      [plain, dear].map(async (tokenizer) => {
        const session = await openSession({ ...roomy, tokenizer });
        await session.append(chat(0, 10));
        return (await session.compact()).type;
      }),
    );
    expect(outcomes).toEqual(["no-op", "committed"]);
  });

  it("spring-9 a wrapped trigger and a wrapped strategy count by an estimator of their own", async () => {
    const session = await openSession(roomy);
    await session.append(chat(0, 10));
    const inner = tokenCountTrigger(4_000);
    const trigger: CompactionTrigger = {
      name: "dear",
      evaluate: (seen) => inner.evaluate({ ...seen, tokens: 4 * seen.tokens }),
    };
    const window = tokenCountWindow({ maxTokens: 2_000 });
    const strategy: CompactionStrategy = {
      ...window,
      analyze: (context) =>
        window.analyze({ ...context, renderedTokens: (header) => 4 * context.renderedTokens(header) }),
    };
    expect((await session.compact({ trigger: inner, strategy: window })).type).toBe("no-op");
    expect((await session.compact({ trigger, strategy })).type).toBe("committed");
    const { manifest } = await session.render();
    const kept = manifest.messages.filter(({ action }) => action === "include");
    expect(kept.reduce((sum, { tokens }) => sum + tokens, 0)).toBeLessThanOrEqual(500);
  });

  it("spring-17 spring-20 the previous summary is marked for the model, and the system prompt can be replaced", async () => {
    const { model, asked, text } = listening();
    const session = await openSession({ ...roomy, summaryModel: model });
    await session.append(chat(0, 21));
    await session.compact({ force: true });
    await session.append(chat(21, 40));
    await session.compact({ force: true });
    expect(text(0)).not.toContain("=== PRIOR SUMMARY ===");
    expect(text(1)).toMatch(/=== PRIOR SUMMARY ===\s[\s\S]*They talked about questions\./);
    expect(asked).toHaveLength(2);
    const own = listening();
    const prompt = { ...promptByVersion(springSessionPreset.promptVersion), id: "own", system: "You write one line." };
    const summarizer = modelSummarizer({ model: own.model, prompt });
    const other = await openSession({ ...roomy, summarizer });
    await other.append(chat(0, 21));
    await other.compact({ force: true });
    expect(own.asked[0]?.system).toContain("You write one line.");
  });

  it("spring-25 between turns the summary comes first, and inside a turn a second one follows its request", async () => {
    const shapeOf = async (running: boolean) => {
      const session = await openSession(roomy);
      await session.append([
        ...chat(0, 21),
        ...(running ? [message("now", "user", "Go."), ...work(100, 112, 100)] : []),
      ]);
      await session.compact({ force: true });
      const { request } = await session.prepare();
      return request.messages.map(({ synthetic, role }) => (synthetic === "summary" ? `summary ${role}` : role));
    };
    const calm = await shapeOf(false);
    expect(calm.slice(0, 2)).toEqual(["summary user", "summary assistant"]);
    expect(calm.slice(2).filter((role) => role.startsWith("summary"))).toEqual([]);
    const running = await shapeOf(true);
    expect(running.slice(0, 3)).toEqual(["summary user", "summary assistant", "user"]);
    expect(running.slice(3).some((role) => role.startsWith("summary"))).toBe(true);
  });

  it("spring-26 the newest request and the newest call stay in any window, unless the host commits its own plan", async () => {
    const session = await openSession({ ...roomy, store: createMemoryStore() });
    await session.append([...chat(0, 3), message("now", "user", "The task."), ...work(100, 106, 100)]);
    await session.compact({ force: true, strategy: tokenCountWindow({ maxTokens: 1 }) });
    const kept = (await session.prepare()).manifest.messages.filter(({ action }) => action === "include");
    expect(kept.flatMap(({ sources }) => sources)).toEqual(["now", "a105", "t105"]);
    const store = createMemoryStore();
    const other = await openSession({ ...roomy, store });
    await other.append([...chat(0, 3), message("now", "user", "The task.")]);
    const { planId: _id, ...empty } = emptyPlan(other.threadId, "own");
    const span = spanOf([...other.thread.messages].slice(4));
    const base = { span, strategy: "own", reason: "asked", sincePlanVersion: 1, originalTokens: 1 };
    const { version: threadVersion } = other.thread;
    const drops = [{ ...base, action: "drop" as const, keywords: [] }];
    const plan = sealPlan({ ...empty, version: 1, threadVersion, drops });
    expect((await store.plans.commitPlan(other.threadId, plan, 0)).status).toBe("committed");
    const { request } = await (await openSession({ ...roomy, store })).render();
    expect(JSON.stringify(request.messages)).not.toContain("The task.");
  });

  it("spring-27 strategies with custom figures make a preset", async () => {
    const ladder = [recursiveSummarization({ maxEventsToKeep: 4, overlapSize: 1 })];
    const session = await openSession({ ...roomy, preset: { ...springSessionPreset, name: "own", ladder } });
    await session.append(chat(0, 21));
    await session.compact({ force: true });
    const kept = (await session.prepare()).manifest.messages.filter(({ action }) => action === "include");
    expect(kept).toHaveLength(4);
  });
});
