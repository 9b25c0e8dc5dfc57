import { type ContextCompactionEvent, planRecords, type ThreadStore } from "@threadfold/core";
import { message } from "@threadfold/core/laws";
import { createMemoryStore, verifyStore } from "@threadfold/stores";
import { ladderPreset, summarizeStrategy } from "@threadfold/strategies";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { PreCompactHook } from "./host/session-hooks.ts";
import { openSession, threadId, work } from "./testing/agent-work.ts";
import { heldSummarizer } from "./testing/held-summarizer.ts";
import { gate, watchedStore } from "./testing/watched-store.ts";

const config = { maxInputTokens: 10_000 };
const preset = { ...ladderPreset, ladder: [summarizeStrategy] };
const talk = [message("u0", "user", "Build it."), ...work(0, 12, 900)];
const foldedIds = (plan: Parameters<typeof planRecords>[0]): readonly string[] =>
  planRecords(plan).flatMap(({ span }) => span.messageIds);

describe("one session with concurrent calls", () => {
  it("P8 C3 appends during a fold wait for nothing, and their messages stay in the prompt", async () => {
    const store = createMemoryStore();
    const held = heldSummarizer();
    const session = await openSession({ store, config, preset, summarizer: held.summarizer });
    await session.append(talk);
    const preparing = session.prepare();
    await held.reached;
    await session.append([message("a-late", "assistant", "While you fold."), message("u-late", "user", "I go on.")]);
    expect(session.thread.length).toBe(27);
    held.open();
    const prepared = await preparing;
    expect(prepared.outcome?.type).toBe("committed");
    expect(prepared.plan.threadVersion).toBe(25);
    expect(prepared.payloadText).toContain("While you fold.");
    expect(prepared.payloadText).toContain("I go on.");
    expect(prepared.violations).toEqual([]);
    expect((await session.replay()).map(({ equal }) => equal)).toEqual([true]);
    expect(await verifyStore(store, threadId)).toEqual([]);
  });

  it("answers calls of prepare one after the other: one folds, the others find nothing to do", async () => {
    const session = await openSession({ config, preset });
    await session.append(talk);
    const all = await Promise.all([session.prepare(), session.prepare(), session.compact(), session.prepare()]);
    const types = all.map((each) => ("outcome" in each ? each.outcome?.type : (each as { type: string }).type));
    expect(types).toEqual(["committed", "no-op", "no-op", "no-op"]);
    expect(session.plan.version).toBe(1);
  });

  it("makes overlapping appends one after the other", async () => {
    const session = await openSession({ config });
    await Promise.all([
      session.append([message("u0", "user", "One.")]),
      session.pin("Two."),
      session.append([message("u1", "user", "Three.")]),
    ]);
    expect([...session.thread.messages].map(({ id }) => id)).toEqual(["u0", "u1"]);
    expect(session.thread.livePins).toHaveLength(1);
  });
});

describe("a fold that is aborted", () => {
  it("commits nothing, whenever the signal comes, and still renders a request that fits", async () => {
    for (const at of ["before", "plans.commitPlan", "hook"]) {
      const controller = new AbortController();
      const inner = createMemoryStore();
      const store = watchedStore(inner, {
        before: (call) => {
          if (call === "artifacts.store" && at === "plans.commitPlan") controller.abort();
        },
      });
      const preCompact: readonly PreCompactHook[] = [
        {
          name: "h",
          run: () => {
            if (at === "hook") controller.abort();
          },
        },
      ];
      const session = await openSession({ store, config: { maxInputTokens: 14_000 }, hooks: { preCompact } });
      await session.append([message("u0", "user", "Build it."), ...work(0, 5, 2_500)]);
      if (at === "before") controller.abort();
      const prepared = await session.prepare({ signal: controller.signal });
      expect([at, prepared.outcome?.type, prepared.plan.version]).toEqual([at, "aborted", 0]);
      expect((await inner.plans.listPlans(threadId)).length).toBe(0);
      expect((await session.prepare()).outcome?.type).toBe("committed");
    }
  });
});

describe("two sessions on one thread", () => {
  it("C2 when both fold, one wins and the other plans on top: nothing is folded twice and nothing is lost", async () => {
    const inner = createMemoryStore();
    const first = await openSession({ store: inner, config, preset });
    await first.append(talk);
    const commit = gate();
    let held = true;
    const store = watchedStore(inner, {
      before: (call) => {
        if (call !== "plans.commitPlan" || !held) return undefined;
        held = false;
        return commit.pass();
      },
    });
    const second = await openSession({ store, config: { maxInputTokens: 8_000 }, preset });
    const losing = second.prepare();
    await commit.reached;
    const won = await first.prepare();
    await first.append(work(12, 20, 900));
    const more = await first.prepare();
    commit.open();
    const lost = await losing;
    expect([won.plan.version, more.plan.version]).toEqual([1, 2]);
    expect(lost.outcome?.type).not.toBe("failed");
    expect(lost.plan.version).toBeGreaterThanOrEqual(2);
    expect(lost.violations).toEqual([]);
    // It took in what the plan of the other one covers.
    expect(second.thread.version).toBe(first.thread.version);
    const { plan } = await inner.plans.getCurrentPlan(threadId);
    const ids = foldedIds(plan ?? won.plan);
    expect(new Set(ids).size).toBe(ids.length);
    expect((await inner.plans.listPlans(threadId)).map(({ version }) => version)).toEqual(
      Array.from({ length: plan?.version ?? 0 }, (_, index) => index + 1),
    );
    expect(await verifyStore(inner, threadId)).toEqual([]);
  });

  it("R8 an append whose answer was lost is found by refresh and not made twice", async () => {
    let lost = false;
    const store = watchedStore(createMemoryStore(), {
      after: (call) => {
        if (call !== "threads.append" || lost) return;
        lost = true;
        throw new Error("connection reset");
      },
    });
    const session = await openSession({ store, config });
    const messages = [message("u0", "user", "Build it. Never push to main without asking me.")];
    await expect(session.append(messages)).rejects.toThrow("connection reset");
    expect(session.thread.length).toBe(0);
    await session.refresh();
    await session.append(messages);
    await session.append([message("a0", "assistant", "Yes.")]);
    const stored = await store.threads.load(threadId);
    expect([stored?.length, stored?.livePins.length]).toEqual([2, 1]);
  });

  it("C1 the loser of an append refreshes and appends again", async () => {
    const store = createMemoryStore();
    const first = await openSession({ store, config });
    const second = await openSession({ store, config });
    await first.append([message("u0", "user", "Hello.")]);
    const lost = second.append([message("u1", "user", "Me too.")]);
    await expect(lost).rejects.toMatchObject({ code: "VERSION_CONFLICT", retryable: true });
    await second.refresh();
    await second.append([message("u1", "user", "Me too.")]);
    expect([...second.thread.messages].map(({ id }) => id)).toEqual(["u0", "u1"]);
  });
});

describe("refreshing after another session appended", () => {
  const steps = fc.array(
    fc.record({
      messages: fc.nat(4),
      pins: fc.boolean(),
      lifts: fc.boolean(),
      refreshes: fc.boolean(),
    }),
    { maxLength: 8 },
  );
  it.each([
    ["whose store can read parts of a thread, reads no more than what is new", true],
    ["whose store cannot", false],
  ])("C1 refreshing gives the same thread as loading it whole, for a session %s", async (_, readsParts) => {
    await fc.assert(
      fc.asyncProperty(steps, async (plan) => {
        const { ranges, ...store } = createMemoryStore();
        const loads: string[] = [];
        const threads: ThreadStore = {
          append: (...given) => store.threads.append(...given),
          list: (...given) => store.threads.list(...given),
          load: (id, options) => {
            loads.push(id);
            return store.threads.load(id, options);
          },
        };
        const writer = await openSession({ store, config });
        const reader = await openSession({ store: { ...store, threads, ...(readsParts && { ranges }) }, config });
        const atOpen = loads.length;
        let count = 0;
        for (const { messages, pins, lifts, refreshes } of plan) {
          const said = () => message(`u${count++}`, "user", `Never touch file ${count}.`);
          await writer.append(Array.from({ length: messages }, said));
          if (pins) await writer.pin(`Keep ${count++}.`);
          const [pin] = writer.thread.livePins;
          if (lifts && pin !== undefined) await writer.liftPin(pin.id, "system", "done");
          if (refreshes) await reader.refresh();
        }
        await reader.refresh();
        const whole = await openSession({ store, config });
        expect(reader.thread.digest).toBe(whole.thread.digest);
        expect(reader.thread.livePins).toEqual(whole.thread.livePins);
        expect(reader.thread.position).toEqual(whole.thread.position);
        expect(reader.stats().unfoldedTokens).toBe(whole.stats().unfoldedTokens);
        expect(loads.length > atOpen).toBe(!readsParts);
      }),
      { numRuns: 60 },
    );
  });
});

describe("a fold in the background", () => {
  it("L22 C3 a background fold covers only what it started from, one at a time, and delays no request", async () => {
    const store = createMemoryStore();
    const held = heldSummarizer();
    const session = await openSession({ store, config, preset, summarizer: held.summarizer });
    await session.append([message("u0", "user", "Build it."), ...work(0, 8, 900)]);
    const under = session.compactInBackground({ force: true });
    expect(session.compactInBackground({ force: true })).toBe(under);
    await held.reached;
    await session.append([message("u1", "user", "Go on."), ...work(8, 9, 900)]);
    const meanwhile = await session.prepare();
    expect(meanwhile.plan.version).toBe(0);
    expect(meanwhile.violations).toEqual([]);
    held.open();
    const outcome = await under.done;
    expect(outcome.type).toBe("committed");
    const after = await session.prepare();
    expect(after.plan.version).toBe(1);
    expect(after.tokens).toBeLessThan(meanwhile.tokens);
    const folded = foldedIds(after.plan);
    expect(folded).toContain("t0");
    for (const id of ["u1", "a8", "t8"]) expect(folded).not.toContain(id);
    expect(after.payloadText).toContain("Go on.");
    expect(session.compactInBackground({ force: true })).not.toBe(under);
    expect((await session.replay()).every(({ equal }) => equal)).toBe(true);
  });

  it("L22 a request under soft pressure does not fold beside a background fold", async () => {
    const held = heldSummarizer();
    const session = await openSession({ config, preset, summarizer: held.summarizer });
    await session.append([message("u0", "user", "Build it."), ...work(0, 10, 900)]);
    const under = session.compactInBackground();
    await held.reached;
    const soft = await session.prepare();
    expect(soft.outcome).toMatchObject({ type: "postponed", reason: expect.stringContaining("background") });
    held.open();
    expect((await under.done).type).toBe("committed");
    expect(held.calls()).toBeGreaterThan(0);
    expect((await session.prepare()).outcome?.type).toBe("no-op");
  });

  it("S35 a background plan is rejected when a request overflows first and is folded at once", async () => {
    const heard: ContextCompactionEvent[] = [];
    const store = createMemoryStore();
    const held = heldSummarizer();
    const session = await openSession({
      store,
      config,
      preset,
      summarizer: held.summarizer,
      onEvent: (event) => heard.push(event),
    });
    await session.append([message("u0", "user", "Build it."), ...work(0, 8, 900)]);
    const under = session.compactInBackground({ force: true });
    await held.reached;
    await session.append(work(8, 14, 900));
    const hard = await session.prepare();
    expect(hard.outcome?.type).toBe("committed");
    expect(hard.tokens).toBeLessThanOrEqual(config.maxInputTokens);
    held.open();
    expect(await under.done).toMatchObject({ type: "conflict", currentVersion: 1 });
    const next = await session.prepare();
    expect(next.plan.version).toBe(1);
    expect(next.digest).toBe(hard.digest);
    expect((await store.plans.listPlans(threadId)).length).toBe(1);
    const ended = heard.filter(({ type }) => type === "compaction_completed");
    expect(ended.map((event) => (event as { outcome: { type: string } }).outcome.type)).toContain("conflict");
  });

  it("ends when it is aborted, and when the session is closed", async () => {
    const open = async () => {
      const held = heldSummarizer();
      const session = await openSession({ config, preset, summarizer: held.summarizer });
      await session.append(talk);
      return { session, held };
    };
    const aborted = await open();
    const controller = new AbortController();
    const under = aborted.session.compactInBackground({ signal: controller.signal });
    await aborted.held.reached;
    controller.abort();
    aborted.held.open();
    expect((await under.done).type).toBe("aborted");
    expect(aborted.session.plan.version).toBe(0);
    const closed = await open();
    const left = closed.session.compactInBackground();
    await closed.held.reached;
    const closing = closed.session.close();
    closed.held.open();
    await closing;
    expect((await left.done).type).toBe("aborted");
  });
});
