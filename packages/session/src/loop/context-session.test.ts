import {
  asMessageId,
  asThreadId,
  type ContextCompactionEvent,
  type MessageInput,
  planRecords,
  type Summarizer,
  visibleText,
} from "@threadfold/core";
import {
  assistant,
  call,
  message,
  messageInputs,
  patience,
  pinnedClock,
  result,
  runs,
  tool,
} from "@threadfold/core/laws";
import { FORMATS, formatById } from "@threadfold/renderer";
import { createMemoryStore, verifyStore } from "@threadfold/stores";
import { ladderPreset, PRESETS } from "@threadfold/strategies";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { SessionOptions } from "../host/session-options.ts";
import { replayThread } from "../replay/replay-thread.ts";
import { tokenizer } from "../testing/agent-work.ts";
import { ContextSession } from "./context-session.ts";

const threadId = asThreadId("session-1");
const open = (options: Partial<SessionOptions> = {}) =>
  ContextSession.open({
    threadId,
    clock: pinnedClock(0),
    preset: ladderPreset,
    tokenizer,
    background: false,
    ...options,
  });

const exchange = (index: number, size = 2_000): readonly MessageInput[] => [
  assistant(`a${index}`, call(`call_${index}`, "bash", { command: `make step-${index}` })),
  tool(`t${index}`, result(`call_${index}`, `step ${index} ${"x".repeat(size)}`, { toolName: "bash" })),
];
const work = (steps: number): readonly MessageInput[] => [
  message("u0", "user", "Build the project. Never push to main without asking me."),
  ...Array.from({ length: steps }, (_, index) => exchange(index)).flat(),
];

it("a session's title is shown in no request and is found by the next session", async () => {
  const store = createMemoryStore();
  const open = () =>
    ContextSession.open({ threadId: asThreadId("titled"), store: { ...store, close: async () => undefined } });
  const session = await open();
  await session.append([
    {
      id: asMessageId("m"),
      role: "user",
      createdAt: "2026-01-01T00:00:00.000Z",
      parts: [{ type: "text", text: "Hello." }],
    },
  ]);
  expect(await session.title()).toBeNull();
  await session.setTitle("A greeting");
  expect(JSON.stringify((await session.prepare()).payload)).not.toContain("A greeting");
  await session.close();
  expect(await (await open()).title()).toBe("A greeting");
  await expect(session.setTitle("")).rejects.toMatchObject({ code: "INVALID_CONFIG" });
});

describe("a session on random transcripts", () => {
  const formats = fc.constantFrom(...FORMATS.filter((format) => format.id !== "neutral"));
  it("R17 R18 P3 P4 P5: every request fits or says why, is legal, holds every pin, and replays to the same bytes", {
    timeout: patience(300_000),
  }, async () => {
    await fc.assert(
      fc.asyncProperty(
        messageInputs({ malformed: true, maxMessages: 40 }),
        fc.integer({ min: 200, max: 4_000 }),
        fc.constantFrom(...PRESETS),
        formats,
        async (messages, maxInputTokens, preset, format) => {
          const store = createMemoryStore();
          const session = await open({ store, preset, format, config: { maxInputTokens } });
          await session.append(messages);
          const prepared = await session.prepare({ onOverBudget: "send" });
          expect(prepared.violations).toEqual([]);
          expect(prepared.missingPins).toEqual([]);
          const { limitTokens } = session.stats().budget;
          expect(prepared.overBudget).toBe(prepared.tokens > limitTokens);
          if (prepared.overBudget) {
            expect(prepared.outcome?.type).toBe("infeasible");
            const { outcome } = prepared;
            if (outcome?.type === "infeasible") expect(outcome.required).toBeGreaterThan(limitTokens);
            await expect(session.prepare()).rejects.toMatchObject({ code: "BUDGET_INFEASIBLE" });
          }
          if (messages.length === 0) return;
          expect((await replayThread(store, threadId)).filter((request) => !request.equal)).toEqual([]);
          expect(await verifyStore(store, threadId)).toEqual([]);
        },
      ),
      runs(120),
    );
  });

  it("P7: between two plans the prompt only grows at its end, byte for byte", {
    timeout: patience(120_000),
  }, async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 4 }),
        fc.integer({ min: 2_500, max: 9_000 }),
        formats,
        async (stride, maxInputTokens, format) => {
          const session = await open({ format, config: { maxInputTokens } });
          await session.append([message("u0", "user", "Build the project.")]);
          let before: { readonly planVersion: number; readonly messages: readonly string[] } | undefined;
          for (let index = 0; index < 24; index += stride) {
            await session.append(Array.from({ length: stride }, (_, offset) => exchange(index + offset, 400)).flat());
            const { payload, plan } = await session.prepare();
            const sent = (payload["messages"] ?? payload["input"] ?? payload["contents"]) as readonly unknown[];
            const messages = sent.map((message) => JSON.stringify(message));
            if (before?.planVersion === plan.version)
              expect(messages.slice(0, before.messages.length)).toEqual(before.messages);
            before = { planVersion: plan.version, messages };
          }
        },
      ),
      runs(25),
    );
  });
});

describe("ContextSession", () => {
  it("folds when the trigger fires, keeps the log whole and explains each message", async () => {
    const session = await open({ config: { maxInputTokens: 6_000 } });
    await session.append(work(20));
    const prepared = await session.prepare();
    expect(prepared.outcome).toMatchObject({ type: "committed", floor: false });
    expect(prepared.tokens).toBeLessThanOrEqual(6_000 * 0.85);
    expect(session.thread.length).toBe(41);
    expect(await session.explain(asMessageId("t0"))).toMatchObject({
      sincePlanVersion: 1,
      action: expect.not.stringMatching("include"),
    });
    expect(await session.explain(asMessageId("t19"))).toMatchObject({ action: "include", strategy: null });
    expect(session.stats()).toMatchObject({ planVersion: 1, tokens: prepared.tokens });
  });

  it("does nothing below the trigger, and folds when it is forced to", async () => {
    const session = await open({ config: { maxInputTokens: 12_000, targetPercent: 0.3 } });
    await session.append(work(14));
    expect((await session.prepare()).outcome).toMatchObject({ type: "no-op" });
    expect(await session.compact({ force: true })).toMatchObject({ type: "committed" });
  });

  it("keeps detected and requested pins in the prompt until they are lifted", async () => {
    const session = await open({ config: { maxInputTokens: 1_200 } });
    await session.append(work(3));
    const pin = await session.pin("Deploys happen on Tuesdays.");
    await session.append([
      message("u1", "user", "Go on."),
      ...Array.from({ length: 9 }, (_, index) => exchange(index + 3)).flat(),
      message("u2", "user", "And now?"),
    ]);
    const text = JSON.stringify((await session.prepare()).payload);
    expect((await session.explain(asMessageId("u0"))).action).toBe("summarize");
    expect(text).toContain("Never push to main without asking me.");
    expect(text).toContain("Deploys happen on Tuesdays.");
    expect(session.thread.livePins).toHaveLength(2);
    await session.liftPin(pin, "user", "they moved to Fridays");
    expect(session.thread.livePins.map((live) => live.origin)).toEqual(["detector"]);
    await expect(session.liftPin(pin, "user", "again")).rejects.toMatchObject({ code: "INVALID_PIN" });
  });

  it("P5 reports the rules left unpinned by the cap on detected pins, once per append that has some", async () => {
    const events: ContextCompactionEvent[] = [];
    const leftOut = () => events.filter(({ type }) => type === "detected_pins_left_out");
    const session = await open({ config: { maxInputTokens: 320 }, onEvent: (event) => events.push(event) });
    await session.append([message("u0", "user", "Never push to main without asking me.")]);
    expect(session.thread.livePins).toHaveLength(1);
    expect(leftOut()).toEqual([]);
    const rule = "Never touch the migrations of the billing database, and always ask before you run them.";
    await session.append([message("u1", "user", rule), message("a1", "assistant", "I will not.")]);
    expect(session.thread.livePins).toHaveLength(1);
    expect(leftOut()).toMatchObject([{ messageIds: ["u1"], count: 1, maxTokens: 20, budgetLimit: 320 }]);
    await session.append([message("u2", "user", "Go on.")]);
    await session.prepare();
    expect(leftOut()).toHaveLength(1);
  });

  it("C1 C2: the second writer on a thread gets a conflict, and nothing is lost", async () => {
    const store = createMemoryStore();
    const first = await open({ store });
    const second = await open({ store });
    await first.append([message("u0", "user", "Hello.")]);
    await expect(second.append([message("u1", "user", "Me too.")])).rejects.toMatchObject({ code: "VERSION_CONFLICT" });
    expect((await store.threads.load(threadId))?.length).toBe(1);
  });

  it("C2: two sessions that fold at once commit one plan each, one on top of the other", async () => {
    const store = createMemoryStore();
    const first = await open({ store, config: { maxInputTokens: 6_000 } });
    await first.append(work(20));
    const second = await open({ store, config: { maxInputTokens: 4_000 } });
    const outcomes = await Promise.all([first.compact(), second.compact()]);
    const plans = await store.plans.listPlans(threadId);
    const committed = outcomes.flatMap((outcome) => (outcome.type === "committed" ? [outcome.plan.planId] : []));
    expect(committed.sort()).toEqual(plans.map((plan) => plan.planId).sort());
    expect(plans.map((plan) => plan.version)).toEqual(plans.map((_, index) => index + 1));
    const { plan } = await store.plans.getCurrentPlan(threadId);
    const ids = planRecords(plan ?? first.plan).flatMap((record) => record.span.messageIds);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it("P6: survives a summarizer that fails", async () => {
    const broken: Summarizer = { id: "broken@1", summarize: () => Promise.reject(new Error("model is down")) };
    const session = await open({ summarizer: broken, config: { maxInputTokens: 2_000 } });
    await session.append(work(30));
    const prepared = await session.prepare();
    expect(prepared.outcome).toMatchObject({
      type: "summarizer-failed-floor-used",
      problem: expect.stringContaining("model is down"),
    });
    expect(prepared.tokens).toBeLessThanOrEqual(2_000);
  });

  it("sends events in order, and survives a listener that throws", async () => {
    const heard: ContextCompactionEvent["type"][] = [];
    const session = await open({
      config: { maxInputTokens: 6_000 },
      onEvent: (event) => {
        heard.push(event.type);
        throw new Error("listener");
      },
    });
    await session.append(work(20));
    await session.prepare();
    expect(heard[0]).toBe("compaction_check_started");
    expect(heard).toContain("compaction_proposal_generated");
    expect(heard.at(-1)).toBe("compaction_completed");
  });

  it("brings back what the agent refers to, until it has answered, within the cap, and replays", async () => {
    const store = createMemoryStore();
    const session = await open({ store, config: { maxInputTokens: 14_000 } });
    await session.append([
      message("u0", "user", "Build the project."),
      ...Array.from({ length: 12 }, (_, index) => exchange(index, 5_000)).flat(),
    ]);
    const folded = await session.prepare();
    const pointer = folded.plan.externalizations[0];
    if (pointer === undefined) throw new Error("nothing was externalized");
    await session.append([
      message("a-ref", "assistant", `I need ${pointer.artifactId} once more.`),
      message("u1", "user", "Go on."),
    ]);
    const again = await session.prepare();
    expect(again.rehydrated).toEqual([pointer.artifactId]);
    expect(again.tokens).toBeLessThanOrEqual(14_000);
    expect(again.tokens).toBeGreaterThan(folded.tokens + 1_000);
    expect(again.violations).toEqual([]);
    expect([...session.thread.messages]).toHaveLength(27);
    expect((await session.prepare()).payloadText).toBe(again.payloadText);
    await session.complete({ messages: [message("a-read", "assistant", `I have read ${pointer.artifactId}.`)] });
    expect((await session.prepare()).rehydrated).toEqual([]);
    expect((await replayThread(store, threadId)).every((request) => request.equal)).toBe(true);
  });

  it("L8: a reopened session continues where the other stopped, with the same request", async () => {
    const store = createMemoryStore();
    const first = await open({ store, config: { maxInputTokens: 6_000 } });
    await first.append(work(20));
    const before = await first.prepare();
    const again = await open({ store, config: { maxInputTokens: 6_000 } });
    expect((await again.prepare()).digest).toBe(before.digest);
    expect([...again.thread.messages].map(visibleText)).toEqual([...first.thread.messages].map(visibleText));
  });

  it("renders for every format, and refuses an unknown format name", async () => {
    for (const format of FORMATS) {
      const session = await open({ format, config: { maxInputTokens: 6_000 } });
      await session.append(work(20));
      expect((await session.prepare()).violations).toEqual([]);
    }
    expect(() => formatById("carrier-pigeon")).toThrow();
  });
});
