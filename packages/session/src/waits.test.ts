import { asThreadId, type ContextCompactionEvent, type Summarizer, type ThreadfoldStore } from "@threadfold/core";
import { message } from "@threadfold/core/laws";
import { createMemoryStore } from "@threadfold/stores";
import { threadfoldPreset } from "@threadfold/strategies";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { SessionOptions } from "./host/session-options.ts";
import { ContextSession } from "./loop/context-session.ts";
import { work } from "./testing/agent-work.ts";
import { watchedStore } from "./testing/watched-store.ts";
import { runCompactionJob } from "./worker/run-compaction-job.ts";

const threadId = asThreadId("waiting");
const never = (): Promise<never> => new Promise(() => undefined);

// Nothing here ends by itself, so that a limit is what ends it, however slow the machine is.
const SHORT = 20;

const unhandled: unknown[] = [];
const note = (reason: unknown): unknown => unhandled.push(reason);
beforeEach(() => void process.on("unhandledRejection", note));
afterEach(async () => {
  await new Promise((resolve) => setImmediate(resolve));
  process.off("unhandledRejection", note);
  expect(unhandled.splice(0)).toEqual([]);
});

/** A summarizer that never answers, and tells when it was asked. */
function silentSummarizer() {
  const asked = Promise.withResolvers<void>();
  const late = Promise.withResolvers<never>();
  const summarizer: Summarizer = {
    id: "silent@1",
    summarize: () => {
      asked.resolve();
      return late.promise;
    },
  };
  return { summarizer, asked: asked.promise, answerLate: () => late.reject(new Error("at last")) };
}

/** A session with more than fits. */
async function open(options: Partial<SessionOptions> = {}): Promise<ContextSession> {
  const config = { maxInputTokens: 3_000 };
  const session = await ContextSession.open({
    threadId,
    config,
    store: createMemoryStore(),
    background: false,
    ...options,
  });
  await session.append([
    message("u0", "user", "Build it. Never push to main."),
    ...work(0, 8, 300),
    ...work(8, 12, 1_000),
  ]);
  return session;
}

/** A store of which some calls hang while it is told to. */
function hangingStore(calls: readonly string[], inner: ThreadfoldStore = createMemoryStore()) {
  const state = { hangs: false, reached: Promise.withResolvers<void>() };
  const hang = (call: string): Promise<never> | undefined => {
    if (!state.hangs || !calls.includes(call)) return undefined;
    state.reached.resolve();
    return never();
  };
  return { store: watchedStore(inner, { before: hang }), inner, state };
}

describe("a host's summarizer that never answers", () => {
  it("is abandoned after summaryTimeLimitMs, and the fold goes on without it", async () => {
    const { summarizer, answerLate } = silentSummarizer();
    const session = await open({ summarizer, summaryTimeLimitMs: SHORT });
    const { outcome, tokens, missingPins } = await session.prepare();
    expect(outcome).toMatchObject({
      type: "summarizer-failed-floor-used",
      problem: expect.stringContaining(`the summarizer silent@1 checked within ${SHORT} ms`),
    });
    expect([tokens <= 3_000, missingPins]).toEqual([true, []]);
    const { digest } = await session.render();
    answerLate();
    await new Promise((resolve) => setImmediate(resolve));
    expect((await session.render()).digest).toBe(digest);
    await session.close();
  });

  it("does not hold up a prepare, compact or background fold whose signal is aborted", async () => {
    for (const start of [
      // What exceeds its budget is not handed out, also when folding it was called off.
      (session: ContextSession, signal: AbortSignal) =>
        session.prepare({ signal }).then(
          () => "a request",
          (error: Error) => ({ type: error.message === "the user left" ? "aborted" : error }),
        ),
      (session: ContextSession, signal: AbortSignal) => session.compact({ signal }),
      (session: ContextSession, signal: AbortSignal) => session.compactInBackground({ signal }).done,
    ]) {
      const { summarizer, asked } = silentSummarizer();
      const session = await open({ summarizer });
      const controller = new AbortController();
      const outcome = start(session, controller.signal);
      await asked;
      controller.abort(new Error("the user left"));
      expect(await outcome).toMatchObject({ type: "aborted" });
      expect(session.plan.version).toBe(0);
      await session.close();
    }
  });

  it("does not hold up close, which ends the fold of a waiting prepare", async () => {
    const { summarizer, asked } = silentSummarizer();
    const session = await open({ summarizer, closeTimeLimitMs: SHORT });
    const refused = expect(session.prepare()).rejects.toMatchObject({ code: "BUDGET_INFEASIBLE" });
    await asked;
    await session.close();
    await refused;
  });

  it("does not hold up a fold when a hook provides it, nor a handoff", async () => {
    const { summarizer } = silentSummarizer();
    const summary = summarizer.summarize.bind(summarizer);
    const hooks = { preCompact: [{ name: "own", run: () => ({ summary }) }] };
    const session = await open({ hooks, summaryTimeLimitMs: SHORT });
    expect((await session.prepare()).outcome).toMatchObject({
      type: "summarizer-failed-floor-used",
      problem: expect.stringContaining("hook:own"),
    });
    await session.close();
    const other = await open({ summarizer, summaryTimeLimitMs: SHORT });
    const { problem } = await other.handoff({ goal: "Go on.", threadId: asThreadId("next"), summarizer });
    expect(problem).toContain("silent@1");
    await other.close();
  });
});

describe("a host's strategy that never answers", () => {
  it("is given up after summaryTimeLimitMs, and its fold is made without its records", async () => {
    const ladder = threadfoldPreset.ladder.map((rung) => ({ ...rung, execute: never }));
    const session = await open({ preset: { ...threadfoldPreset, ladder }, summaryTimeLimitMs: SHORT });
    const { outcome, tokens } = await session.prepare();
    expect([outcome?.type, tokens <= 3_000]).toEqual(["committed", true]);
    await session.close();
  });
});

describe("a host's hooks, listeners and time limits", () => {
  it("hooks that never answer are skipped and reported as TIMED_OUT", async () => {
    const events: ContextCompactionEvent[] = [];
    const hooks = {
      timeoutMilliseconds: SHORT,
      preCompact: [{ name: "slow", run: never }],
      postCompact: [{ name: "slower", run: never }],
    };
    const session = await open({ hooks, onEvent: (event) => events.push(event) });
    expect((await session.prepare()).outcome?.type).toBe("committed");
    expect(events.filter(({ type }) => type === "compaction_hook_failed")).toMatchObject([
      { hook: "slow", problem: expect.stringMatching(/^TIMED_OUT: .*the hook slow/) },
      { hook: "slower", problem: expect.stringMatching(/^TIMED_OUT/) },
    ]);
    await session.close();
  });

  it("an async event listener that fails leaves no unhandled rejection", async () => {
    const onEvent = (async () => {
      throw new Error("the log is full");
    }) as never;
    const session = await open({ onEvent });
    expect((await session.prepare()).outcome?.type).toBe("committed");
    await session.close();
  });

  it("time limits that are not whole positive milliseconds are refused", async () => {
    for (const option of ["summaryTimeLimitMs", "storeTimeLimitMs", "closeTimeLimitMs"])
      for (const value of [0, 1.5, "5", Number.POSITIVE_INFINITY])
        await expect(ContextSession.open({ threadId, [option]: value } as never)).rejects.toMatchObject({
          code: "INVALID_CONFIG",
          message: expect.stringContaining(option),
        });
    await expect(ContextSession.open({ threadId, hooks: { timeoutMilliseconds: 0 } })).rejects.toMatchObject({
      code: "INVALID_CONFIG",
    });
  });
});

describe("a store that does not answer", () => {
  it.each<readonly [string, (session: ContextSession) => Promise<unknown>]>([
    ["threads.append", (session) => session.append([message("late", "user", "And now?")])],
    ["journal.append", (session) => session.prepare()],
    ["artifacts.store", (session) => session.prepare()],
    ["recall.search", (session) => session.search({ text: "build" })],
    ["threads.load", (session) => session.refresh()],
  ])(
    "in %s makes the call fail with TIMED_OUT after storeTimeLimitMs, and works once it answers again",
    async (call, use) => {
      const { store, inner, state } = hangingStore([call]);
      const recall = { index: async () => undefined, search: async () => ({ hits: [], total: 0, nextCursor: null }) };
      const whole = watchedStore(
        { ...store, recall: recall as never },
        { before: (name) => (state.hangs && name === call ? never() : undefined) },
      );
      const session = await open({ store: whole, storeTimeLimitMs: SHORT });
      await session.append([message("u1", "user", "Go on.")]);
      state.hangs = true;
      await expect(use(session)).rejects.toMatchObject({
        code: "TIMED_OUT",
        details: { waitedFor: `the store's ${call}`, milliseconds: SHORT, option: "storeTimeLimitMs" },
      });
      state.hangs = false;
      await use(session);
      const loaded = await inner.threads.load(threadId);
      expect(loaded?.version).toBe(session.thread.version);
      await session.close();
    },
  );

  it("makes opening a session fail with a hint at storeTimeLimitMs", async () => {
    const { store, state } = hangingStore(["threads.load", "plans.getCurrentPlan"]);
    state.hangs = true;
    await expect(ContextSession.open({ threadId, store, storeTimeLimitMs: SHORT })).rejects.toMatchObject({
      code: "TIMED_OUT",
      hint: expect.stringContaining("storeTimeLimitMs"),
    });
  });

  it("does not duplicate an append that arrived late and is repeated", async () => {
    const inner = createMemoryStore();
    const held = Promise.withResolvers<void>();
    let holds = false;
    const store = watchedStore(inner, {
      after: (call) => (holds && call === "threads.append" ? held.promise : undefined),
    });
    const session = await open({ store, storeTimeLimitMs: SHORT });
    const before = session.thread.version;
    holds = true;
    await expect(session.append([message("late", "user", "And now?")])).rejects.toMatchObject({ code: "TIMED_OUT" });
    expect([session.thread.version, (await inner.threads.load(threadId))?.version]).toEqual([before, before + 1]);
    holds = false;
    held.resolve();
    await expect(session.append([message("late", "user", "And now?")])).rejects.toMatchObject({
      code: "VERSION_CONFLICT",
    });
    await session.refresh();
    await session.append([message("late", "user", "And now?")]);
    expect([session.thread.version, (await inner.threads.load(threadId))?.version]).toEqual([before + 1, before + 1]);
    await session.close();
  });

  it("does not hold up an aborted prepare or compact, even one that waits for its turn", async () => {
    const { store, state } = hangingStore(["artifacts.store", "journal.append", "plans.commitPlan"]);
    const session = await open({ store });
    state.hangs = true;
    const controller = new AbortController();
    const { signal } = controller;
    const calls = [session.prepare({ signal }), session.prepare({ signal })].map((call) =>
      call.catch((error) => error),
    );
    const compact = session.compact({ signal });
    await state.reached.promise;
    controller.abort(new Error("the user left"));
    for (const error of await Promise.all(calls))
      expect(error).toMatchObject({ code: "ABORTED", cause: signal.reason });
    expect(await compact).toMatchObject({ type: "aborted" });
  });

  it("does not hold up close, which reports what it gave up", async () => {
    const { store, state } = hangingStore(["artifacts.store", "journal.append"]);
    const closed: string[] = [];
    const close = async (): Promise<void> => void closed.push("store");
    const session = await open({ store: { ...store, close }, closeTimeLimitMs: SHORT });
    state.hangs = true;
    const prepared = session.prepare();
    prepared.catch(() => undefined);
    await state.reached.promise;
    await expect(session.close()).rejects.toMatchObject({
      code: "TIMED_OUT",
      details: { waitedFor: "the work in progress in the session", option: "closeTimeLimitMs" },
    });
    expect(closed).toEqual(["store"]);
    const other = await open({ store: { ...createMemoryStore(), close: never }, closeTimeLimitMs: SHORT });
    await expect(other.close()).rejects.toMatchObject({
      code: "TIMED_OUT",
      details: { waitedFor: "the store's close" },
    });
  });
});

describe("a worker's job", () => {
  const job = {
    schemaVersion: 1,
    ...{ threadId, tenantId: null, planVersion: 0, threadVersion: 1, maxInputTokens: 3_000, softThreshold: 0.5 },
  } as const;
  const aborted = (): AbortSignal => AbortSignal.abort(new Error("the worker is stopped"));

  it("ends when one of the host's ports never answers, and is retried", async () => {
    const running = new AbortController().signal;
    for (const ports of [
      { openStore: never, session: {} },
      { openStore: async () => createMemoryStore(), session: never },
      { openStore: async () => ({ ...createMemoryStore(), close: never }), session: {} },
    ])
      expect(await runCompactionJob(job, { ...ports, portTimeLimitMs: SHORT }, running)).toMatchObject({
        status: "retry",
        problem: { code: "TIMED_OUT" },
      });
  });

  it("ends with ABORTED when it is aborted while a port hangs", async () => {
    const settlement = await runCompactionJob(job, { openStore: never, session: {} }, aborted());
    expect(settlement).toMatchObject({ status: "retry", problem: { code: "ABORTED" } });
  });
});
