import type { CompactionOutcome, ContextCompactionEvent, Summarizer } from "@threadfold/core";
import { assistant, call, message, result, tool } from "@threadfold/core/laws";
import { createMemoryStore, verifyStore } from "@threadfold/stores";
import { summarizeStrategy, threadfoldPreset } from "@threadfold/strategies";
import { describe, expect, it } from "vitest";
import type { SessionOptions } from "../host/session-options.ts";
import { ContextSession } from "../loop/context-session.ts";
import { handClock, threadId, tokenizer, work } from "../testing/agent-work.ts";
import { gate } from "../testing/watched-store.ts";
import { runCompactionJob } from "../worker/run-compaction-job.ts";

const config = {
  maxInputTokens: 10_000,
  ...{ costModelEnabled: false, softThresholdPercent: 0.7, targetPercent: 0.4, preserveRecentTurns: 0 },
};
const preset = { ...threadfoldPreset, ladder: [summarizeStrategy], config: { policyVersion: "tests" } };

/** A summarizer that waits at a gate and then says one thing, whatever it is given. */
function terse() {
  const held = gate();
  let calls = 0;
  const summarizer: Summarizer = {
    id: "terse@1",
    summarize: async ({ messages, signal }) => {
      calls++;
      await held.pass();
      signal?.throwIfAborted();
      const sources = messages.slice(0, 1).map(({ id }) => id);
      return { changes: [{ op: "add", section: "facts", item: { text: "Work was done.", sources } }] };
    },
  };
  return { ...held, summarizer, calls: () => calls };
}

async function open(options: Partial<SessionOptions> = {}) {
  const store = options.store ?? createMemoryStore();
  const held = terse();
  const completed: CompactionOutcome[] = [];
  const ended = new Set<() => void>();
  const onEvent = (event: ContextCompactionEvent): void => {
    if (event.type !== "compaction_completed") return;
    completed.push(event.outcome);
    for (const tell of ended) tell();
  };
  const session = await ContextSession.open({
    ...{ threadId, store, config, preset, tokenizer, clock: handClock(), summaryChecks: [], onEvent },
    summarizer: held.summarizer,
    ...options,
  });
  /** Waits until a fold has ended that was not put off. */
  const folded = async (): Promise<CompactionOutcome> => {
    for (;;) {
      const done = completed.find(({ type }) => type !== "postponed" && type !== "no-op");
      if (done !== undefined) return done;
      await new Promise<void>((resolve) => ended.add(resolve));
    }
  };
  return { store, session, held, folded, completed };
}

const NAME = "src/parser/read-line.ts:417";
/** A result early in the work that names a place, and more work behind it. */
const early = [
  message("u0", "user", "Build it."),
  assistant("a-grep", call("grep", "grep", { pattern: "line" })),
  tool("t-grep", result("grep", `found it\n${NAME}: export function readLine(\nand more`, { toolName: "grep" })),
];
/** Above the threshold, and below the cap. */
const due = [...early, ...work(0, 8, 950)];
const usesName = [
  assistant("a-use", call("use", "read", { path: NAME })),
  tool("t-use", result("use", "the file", { toolName: "read" })),
];

describe("a due fold that asks a model", () => {
  it("runs in the background, delays no request, and applies from the first request after its commit", async () => {
    const { store, session, held, folded } = await open();
    await session.append(due);
    const first = await session.prepare();
    expect(first.outcome).toMatchObject({ type: "postponed", reason: "a fold begins in the background" });
    await held.reached;
    await session.append([message("a-late", "assistant", "While you fold."), message("u-late", "user", "I go on.")]);
    const second = await session.prepare();
    expect(second.outcome).toMatchObject({ type: "postponed", reason: "a fold is under way in the background" });
    expect(second.request.messages.slice(0, first.request.messages.length)).toEqual(first.request.messages);
    held.open();
    expect((await folded()).type).toBe("committed");
    const third = await session.prepare();
    expect([third.plan.version, third.violations, third.missingPins]).toEqual([1, [], []]);
    expect(third.tokens).toBeLessThan(0.7 * config.maxInputTokens);
    expect(third.payloadText).toContain("While you fold.");
    expect(held.calls()).toBe(1);
    expect((await session.replay()).every(({ equal }) => equal)).toBe(true);
    expect(await verifyStore(store, threadId)).toEqual([]);
    await session.close();
  });

  it("does not delay a request over the cap, which is folded without the model; the late plan has no effect", async () => {
    const { session, held, folded, completed } = await open();
    await session.append(due);
    await session.prepare();
    await held.reached;
    await session.append(work(20, 24, 950));
    const hard = await session.prepare();
    expect([hard.outcome?.type, hard.plan.version, hard.violations]).toEqual(["committed", 1, []]);
    expect(hard.tokens).toBeLessThanOrEqual(config.maxInputTokens);
    expect(hard.plan.summarizations[0]?.summarizer).not.toBe("terse@1");
    expect(await folded()).toBe(hard.outcome);
    held.open();
    await session.compactInBackground().done;
    expect(completed.map(({ type }) => type)).toContain("conflict");
    expect((await session.prepare()).digest).toBe(hard.digest);
    await session.close();
  });

  it("keeps every request within the cap while the summarizer never answers", async () => {
    const { session, held } = await open();
    await session.append(early);
    for (let step = 0; step < 60; step++) {
      await session.append(work(step, step + 1, 900));
      const { tokens, violations, missingPins } = await session.prepare();
      expect(tokens).toBeLessThanOrEqual(config.maxInputTokens);
      expect([violations, missingPins]).toEqual([[], []]);
    }
    expect(session.plan.version).toBeGreaterThan(2);
    // One is under way for as long as it does not end.
    expect(held.calls()).toBe(1);
    await session.close();
  });

  it("is waited for with `background: false` and by `compact`", async () => {
    for (const fold of ["prepare", "compact"] as const) {
      const { session, held } = await open(fold === "prepare" ? { background: false } : {});
      await session.append(due);
      const outcome = fold === "prepare" ? session.prepare().then((made) => made.outcome) : session.compact();
      await held.reached;
      held.open();
      expect((await outcome)?.type).toBe("committed");
      expect(session.plan.summarizations[0]?.summarizer).toContain("terse@1");
      await session.close();
    }
  });

  it("outlives the signal of the request that started it, and ends when the session closes", async () => {
    const controller = new AbortController();
    const { session, held, folded } = await open();
    await session.append(due);
    await session.prepare({ signal: controller.signal });
    await held.reached;
    controller.abort(new Error("the request was answered"));
    await session.append(work(30, 31, 10));
    expect((await session.prepare()).outcome).toMatchObject({ reason: "a fold is under way in the background" });
    await session.close();
    expect((await folded()).type).toBe("aborted");
    expect(session.plan.version).toBe(0);
  });

  it("is lost when its process crashes, and the next session finds it due again", async () => {
    const crashed = await open();
    await crashed.session.append(due);
    await crashed.session.prepare();
    await crashed.held.reached;
    const { store } = crashed;
    const next = await open({ store });
    const request = await next.session.prepare();
    expect(request.outcome).toMatchObject({ reason: "a fold begins in the background" });
    next.held.open();
    expect((await next.folded()).type).toBe("committed");
    expect((await next.session.prepare()).plan.version).toBe(1);
    expect(await verifyStore(store, threadId)).toEqual([]);
    // What the crashed one would have committed is the same plan, once.
    crashed.held.open();
    await crashed.folded();
    expect(await store.plans.listPlans(threadId)).toHaveLength(1);
    await next.session.close();
  });
});

describe("a place that calls use while a fold is made", () => {
  it("stands in the summary with its source line when the summary lacks it", async () => {
    const { session, held, folded } = await open();
    await session.append(due);
    await session.prepare();
    await held.reached;
    await session.append(usesName);
    held.open();
    expect((await folded()).type).toBe("committed");
    const [record] = session.plan.summarizations;
    expect(record?.summary.identifiers).toMatchObject([
      { text: `${NAME}: export function readLine(`, where: "grep", sources: ["t-grep"] },
    ]);
    const { payloadText, violations, tokens, plan } = await session.prepare();
    expect(payloadText).toContain("export function readLine(");
    expect(violations).toEqual([]);
    expect(tokens - plan.compactedTokens).toBeLessThan(100);
    await session.close();
  });

  it("is left out when no call used it, as is one that the agent was never given", async () => {
    const { session, held, folded } = await open();
    await session.append(due);
    await session.prepare();
    await held.reached;
    await session.append([assistant("a-new", call("new", "write", { path: "src/brand-new.ts" }))]);
    held.open();
    await folded();
    expect(session.plan.summarizations[0]?.summary.identifiers).toEqual([]);
    await session.close();
  });

  it("is found in the store by a worker, which appends nothing itself", async () => {
    const { store, session } = await open({ background: false });
    await session.append(due);
    const held = terse();
    const job = {
      schemaVersion: 1,
      ...{ threadId, tenantId: null, planVersion: 0, threadVersion: session.thread.version },
      ...{ maxInputTokens: config.maxInputTokens, softThreshold: 0.6 },
    } as const;
    const ports = {
      openStore: async () => ({ ...store, close: async () => undefined }),
      session: { config, preset, tokenizer, summarizer: held.summarizer, summaryChecks: [] },
    };
    const settled = runCompactionJob(job, ports, new AbortController().signal);
    await held.reached;
    await session.append(usesName);
    held.open();
    expect(await settled).toMatchObject({ status: "done", result: { type: "committed" } });
    const { plan } = await store.plans.getCurrentPlan(threadId);
    expect(plan?.summarizations[0]?.summary.identifiers).toMatchObject([{ where: "grep" }]);
    await session.close();
  });
});
