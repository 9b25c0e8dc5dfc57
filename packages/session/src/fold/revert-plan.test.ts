import { type ContextCompactionEvent, planRecords } from "@threadfold/core";
import { message } from "@threadfold/core/laws";
import { createMemoryStore, verifyStore } from "@threadfold/stores";
import { describe, expect, it } from "vitest";
import { openSession, threadId, work } from "../testing/agent-work.ts";

const config = { maxInputTokens: 40_000, targetPercent: 0.1 };

/** A session that was folded twice, with the request after each fold. */
async function foldedTwice() {
  const store = createMemoryStore();
  const events: ContextCompactionEvent[] = [];
  const session = await openSession({ store, config, onEvent: (event) => events.push(event) });
  await session.append([message("u0", "user", "Build it. Never push to main without asking me."), ...work(0, 10, 900)]);
  const whole = await session.prepare();
  await session.compact({ force: true });
  const once = await session.prepare();
  await session.append(work(10, 20, 900));
  await session.compact({ force: true });
  const twice = await session.prepare();
  expect([whole, once, twice].map(({ plan }) => plan.version)).toEqual([0, 1, 2]);
  return { store, session, events, whole, once, twice };
}

describe("session.revert", () => {
  it("commits a new plan with the records of an older one, and leaves the log as it was", async () => {
    const { store, session, events, twice } = await foldedTwice();
    const outcome = await session.revert(1);
    expect(outcome).toMatchObject({ type: "committed", plan: { version: 3 } });
    const prepared = await session.prepare();
    const first = await store.plans.getPlan(threadId, 1);
    if (first === null) throw new Error("plan 1 is gone");
    expect(planRecords(prepared.plan)).toEqual(planRecords(first));
    expect(prepared.tokens).toBeGreaterThan(twice.tokens);
    expect(prepared.tokens).toBe(outcome.tokens.after);
    expect(prepared.missingPins).toEqual([]);
    expect(session.thread.length).toBe(41);
    expect(events.filter(({ type }) => type === "compaction_reverted")).toMatchObject([
      { planVersion: 3, restoredVersion: 1, tokensBefore: twice.tokens, tokensAfter: prepared.tokens },
    ]);
    expect((await session.replay()).every(({ equal }) => equal)).toBe(true);
    expect(await verifyStore(store, threadId)).toEqual([]);
    const again = await openSession({ store, config });
    expect((await again.prepare()).digest).toBe(prepared.digest);
  });

  it("to version 0 shows every message again", async () => {
    const { session } = await foldedTwice();
    await session.revert(0);
    const prepared = await session.prepare();
    expect(planRecords(prepared.plan)).toEqual([]);
    expect(prepared.manifest.messages.flatMap(({ sources }) => sources)).toHaveLength(41);
  });

  it("can restore the plan that held before another revert", async () => {
    const { session, twice } = await foldedTwice();
    await session.revert(0);
    await session.revert(2);
    expect((await session.prepare()).payloadText).toBe(twice.payloadText);
    expect(await session.revert(4)).toMatchObject({ type: "no-op" });
  });

  it("refuses a version that does not exist", async () => {
    const { session } = await foldedTwice();
    for (const version of [3, -1, 0.5, Number.NaN])
      await expect(session.revert(version)).rejects.toMatchObject({ code: "PLAN_NOT_FOUND" });
  });

  it("reports a conflict when another session committed first, and then works on top of its plan", async () => {
    const { store, session } = await foldedTwice();
    const other = await openSession({ store, config });
    await other.revert(0);
    expect(await session.revert(1)).toMatchObject({ type: "conflict", currentVersion: 3 });
    expect(session.plan.version).toBe(3);
    expect((await session.revert(1)).type).toBe("committed");
  });
});

describe("session.stats", () => {
  it("reports how full the window is, what is folded and what the provider read from its cache", async () => {
    const { session, twice } = await foldedTwice();
    await session.complete({ messages: [], usage: { inputTokens: 4_000, outputTokens: 10, cacheReadTokens: 3_000 } });
    await session.complete({
      messages: [],
      usage: { inputTokens: 6_000, cacheReadTokens: 5_000, cacheWriteTokens: 500 },
    });
    const stats = session.stats();
    expect(stats).toMatchObject({
      tokens: 6_000,
      planVersion: 2,
      compactionCount: 2,
      messages: 41,
      pins: 1,
      usage: { requests: 2, inputTokens: 10_000, cacheReadTokens: 8_000, cacheWriteTokens: 500, cacheHitRate: 0.8 },
    });
    expect(stats.foldedMessages).toBe(planRecords(twice.plan).flatMap(({ span }) => span.messageIds).length);
    expect(stats.unfoldedTokens).toBeGreaterThan(stats.tokens);
    expect(stats.utilization).toBeGreaterThan(0);
    const { budget } = stats;
    expect(stats.availableForMessages).toBe(budget.softLimit - budget.systemPromptTokens - budget.toolSchemaTokens);
    expect(stats.budget.maxInputTokens).toBe(40_000);
  });
});
