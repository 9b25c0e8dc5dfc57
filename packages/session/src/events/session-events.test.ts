import { AgentThread, type ContextCompactionEvent, planRecords, type Summarizer } from "@threadfold/core";
import { message } from "@threadfold/core/laws";
import { createMemoryStore } from "@threadfold/stores";
import { type CompactionStrategy, ladderPreset } from "@threadfold/strategies";
import { ExtractiveSummarizer } from "@threadfold/summarizers";
import { describe, expect, it, vi } from "vitest";
import type { SessionOptions } from "../host/session-options.ts";
import { handClock, openSession, work } from "../testing/agent-work.ts";
import { watchedStore } from "../testing/watched-store.ts";

type EventOf<Type extends ContextCompactionEvent["type"]> = Extract<ContextCompactionEvent, { readonly type: Type }>;
const ofType = <Type extends ContextCompactionEvent["type"]>(
  events: readonly ContextCompactionEvent[],
  type: Type,
): readonly EventOf<Type>[] => events.filter((event): event is EventOf<Type> => event.type === type);

/** A session that listens to itself. */
async function listening(options: Partial<SessionOptions> = {}) {
  const events: ContextCompactionEvent[] = [];
  const session = await openSession({
    config: { maxInputTokens: 10_000 },
    onEvent: (event) => events.push(event),
    ...options,
  });
  return { session, events };
}

describe("events about a fold that could not be done as proposed", () => {
  it("spec-32 name each body that the store refused, as the outcome and a warning do", async () => {
    const diskFull = Object.assign(new Error("disk full"), { code: "ENOSPC" });
    let asked = 0;
    const store = watchedStore(createMemoryStore(), {
      before: (call) => {
        if (call === "artifacts.store" && asked++ < 3) throw diskFull;
      },
    });
    const { session, events } = await listening({
      store,
      config: { maxInputTokens: 10_000, externalizeThresholdTokens: 100 },
    });
    await session.append([message("u0", "user", "Build it."), ...work(0, 14, 600)]);
    const { outcome, warnings } = await session.prepare();
    const failed = ofType(events, "artifact_store_failed");
    expect(failed.map(({ messageId }) => messageId)).toEqual(outcome?.notStored);
    expect(failed).toHaveLength(3);
    for (const event of failed) expect(event).toMatchObject({ problem: "Error ENOSPC", cause: diskFull });
    expect(warnings.find(({ kind }) => kind === "body-not-stored")?.messageIds).toEqual(outcome?.notStored);
    expect((await session.prepare()).warnings.map(({ kind }) => kind)).not.toContain("body-not-stored");
  });

  it("are absent when the store takes every body and no rule changes a proposal", async () => {
    const { session, events } = await listening();
    await session.append([message("u0", "user", "Build it."), ...work(0, 14, 600)]);
    const { outcome, warnings } = await session.prepare();
    expect(outcome).toMatchObject({ type: "committed" });
    expect(outcome).not.toHaveProperty("notStored");
    expect(warnings.map(({ kind }) => kind)).not.toContain("body-not-stored");
    expect([...ofType(events, "compaction_normalized"), ...ofType(events, "artifact_store_failed")]).toEqual([]);
  });

  it("spec-32 name each rule that changed a proposal, with its messages and the committed plan", async () => {
    const halfGroups: CompactionStrategy = {
      name: "half-groups",
      aggressiveness: 4,
      analyze: ({ foldable, shape }) =>
        foldable.flatMap(({ ordinals }) => {
          const ordinal = ordinals.find((one) => shape.header(one).role === "tool");
          if (ordinal === undefined) return [];
          const estimatedTokensFreed = shape.header(ordinal).tokens;
          return [{ action: "drop", strategy: "half-groups", ordinals: [ordinal], estimatedTokensFreed, reason: "r" }];
        }),
    };
    const { session, events } = await listening({ preset: { ...ladderPreset, ladder: [halfGroups] } });
    await session.append([message("u0", "user", "Build it."), ...work(0, 14, 600)]);
    const { plan, outcome } = await session.prepare();
    expect(outcome?.type).toBe("committed");
    const normalized = ofType(events, "compaction_normalized");
    expect(normalized[0]).toMatchObject({ rule: "whole-groups", planVersion: 1, problem: expect.any(String) });
    const dropped = new Set(plan.drops.flatMap(({ span }) => span.messageIds));
    for (const { messageIds } of normalized) for (const id of messageIds) expect(dropped.has(id)).toBe(true);
  });
});

describe("events of a fold", () => {
  it("L13 the events of one check share a fold id, from check started to completed", async () => {
    const { session, events } = await listening();
    await session.append([message("u0", "user", "Build it."), ...work(0, 12, 900)]);
    expect(events).toEqual([]);
    await session.prepare();
    await session.prepare();
    await session.compact({ force: true });
    const started = ofType(events, "compaction_check_started");
    const completed = ofType(events, "compaction_completed");
    expect(completed.map(({ foldId }) => foldId)).toEqual(started.map(({ foldId }) => foldId));
    expect(new Set(started.map(({ foldId }) => foldId)).size).toBe(3);
    expect(completed.map(({ cause }) => cause)).toEqual(["auto", "auto", "manual"]);
    const ofFirst = events.filter((event) => "foldId" in event && event.foldId === started[0]?.foldId);
    expect(ofFirst[0]?.type).toBe("compaction_check_started");
    expect(ofFirst.at(-1)?.type).toBe("compaction_completed");
  });

  it("spec-114 spec-117 are sent after the commit, one per record, with tokens, span, strategy, duration and cost", async () => {
    const clock = handClock();
    const order: string[] = [];
    const store = watchedStore(createMemoryStore(), { after: (call) => order.push(call) });
    const summarizer: Summarizer = {
      id: "model@1",
      summarize: async (request) => {
        clock.pass(2);
        const { changes } = await new ExtractiveSummarizer().summarize(request);
        return { changes, usage: { inputTokens: 1_000, outputTokens: 50 } };
      },
    };
    const { session, events } = await listening({
      store,
      clock,
      summarizer,
      onEvent: (event) => {
        events.push(event);
        order.push(event.type);
      },
    });
    await session.append([message("u0", "user", "Build it."), ...work(0, 14, 600)]);
    const { plan, tokens } = await session.prepare();
    const records = events.filter((event) => "planVersion" in event && "tokensFreed" in event);
    expect(records.map(({ span }) => span)).toEqual(planRecords(plan).map(({ span }) => span));
    for (const record of records) {
      expect(record).toMatchObject({ planVersion: 1, strategy: expect.any(String) });
      expect(record.tokensFreed).toBeGreaterThan(0);
    }
    const [completed] = ofType(events, "compaction_completed");
    if (completed === undefined) throw new Error("nothing was completed");
    const { tokensBefore, tokensAfter, cost, durationMilliseconds } = completed;
    expect(tokensAfter).toBe(tokens);
    const freed = records.reduce((sum, { tokensFreed }) => sum + tokensFreed, 0);
    expect(Math.abs(tokensBefore - tokensAfter - freed)).toBeLessThan(0.1 * tokensBefore);
    expect(cost.summarizerCalls).toBeGreaterThan(0);
    expect(cost).toMatchObject({ inputTokens: 1_000 * cost.summarizerCalls, outputTokens: 50 * cost.summarizerCalls });
    expect(cost.weighing?.savingPerCall).toBeGreaterThan(0);
    expect(durationMilliseconds).toBe(2_000 * cost.summarizerCalls);
    const commit = order.indexOf("plans.commitPlan");
    expect(order.indexOf(records[0]?.type ?? "none")).toBeGreaterThan(commit);
    expect(order.indexOf("compaction_boundary")).toBeGreaterThan(commit);
    expect(commit).toBeGreaterThan(order.indexOf("compaction_proposal_generated"));
  });

  it("end with a notice for users, which warns after many folds (seed 001)", async () => {
    const { session, events } = await listening({ warnAfterCompactions: 2 });
    await session.append([message("u0", "user", "Build it."), ...work(0, 12, 900)]);
    await session.prepare();
    await session.append(work(12, 20, 900));
    await session.prepare();
    const [first, second] = ofType(events, "compaction_boundary").map(({ notice }) => notice);
    expect(first).toMatchObject({ compactionCount: 1, planVersion: 1, warning: null, cause: "auto" });
    expect(second).toMatchObject({ compactionCount: 2, planVersion: 2, warning: expect.stringContaining("accurate") });
    expect(second?.tokens.after).toBeLessThan(second?.tokens.before ?? 0);
    const { messages } = second ?? {};
    expect(Object.values(messages ?? {}).reduce((sum, count) => sum + count, 0)).toBe(session.thread.length);
    expect(session.stats().compactionCount).toBe(2);
  });

  it("carry no content of the thread except in the plan of the outcome", async () => {
    const { session, events } = await listening();
    await session.append([message("u0", "user", "Build the zeppelin."), ...work(0, 12, 900)]);
    await session.prepare();
    const others = events.filter(({ type }) => type !== "compaction_completed");
    expect(others.length).toBeGreaterThan(3);
    expect(JSON.stringify(others)).not.toContain("zeppelin");
    expect(JSON.stringify(others)).not.toContain("output output");
  });
});

describe("reporting how well a fold served", () => {
  it.each([false, true])(
    "P9 reads no more messages in a long thread than in a short one, with a listener: %s",
    async (isHeard) => {
      const readAt = async (calls: number): Promise<number> => {
        const { session } = await listening(isHeard ? {} : { onEvent: undefined });
        await session.append([message("u0", "user", "Build it."), ...work(0, calls, 60)]);
        await session.prepare();
        const looked = vi.spyOn(AgentThread.prototype, "messageAt");
        for (let index = calls; session.plan.version < 2; index++) {
          await session.append(work(index, index + 1, 60));
          looked.mockClear();
          await session.prepare();
        }
        const { length } = looked.mock.calls;
        vi.restoreAllMocks();
        return length;
      };
      expect(await readAt(2_000)).toBe(await readAt(500));
    },
  );
});
