import {
  AgentThread,
  abridgePlan,
  afterReported,
  asPlanId,
  asThreadId,
  compactionConfig,
  type DropRecord,
  emptyPlan,
  finishSteps,
  hiddenRuns,
  type MessageInput,
  parseAbridgedPlan,
  planRecords,
  requestTokens,
  scaledTokens,
  spanOf,
  spanStart,
  type TokenBreakdown,
  tokenBudget,
  unreported,
} from "@threadfold/core";
import {
  assistant,
  call,
  countingTokenizer,
  message,
  messageInputs,
  result,
  runs,
  text,
  tool,
} from "@threadfold/core/laws";
import { FORMAT_NAMES, formatById, GrowingRendering } from "@threadfold/renderer";
import { renderInputs } from "@threadfold/renderer/laws";
import { durabilityPolicy } from "@threadfold/strategies";
import { scriptThread } from "@threadfold/strategies/laws";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { foldedPlan } from "../testing/run-fold.ts";
import { AS_COUNTED, providerTokens, requestBudget } from "./provider-count.ts";
import { EMPTY_FRAME, isSameFrame, parseFrame, type RequestFrame, serializeFrame } from "./request-frame.ts";
import { type RenderSources, RequestRenderer } from "./request-renderer.ts";
import { extendState, extendStateInSteps, inProviderTokens, threadState } from "./thread-state.ts";

const work = (from: number, count: number): readonly MessageInput[] =>
  Array.from({ length: count }, (_, index) => from + index).flatMap((at) => [
    ...(at % 100 === 0 ? [message(`u${at}`, "user", `Question ${at}?`)] : []),
    assistant(`a${at}`, [text(`Looking at ${at}.`), call(`c${at}`, "bash", { command: `cat ${at}` })]),
    tool(`r${at}`, [result(`c${at}`, `Line ${at}`, { toolName: "bash" })]),
  ]);

const durability = durabilityPolicy(compactionConfig({}));
const sumOf = (breakdown: TokenBreakdown): number => Object.values(breakdown).reduce((sum, share) => sum + share, 0);
const formats = FORMAT_NAMES.map((name) => formatById(name));

describe("a rendering that catches up with a long thread in steps", () => {
  it("P9: equals the rendering made at once, even with malformed messages", () => {
    fc.assert(
      fc.property(
        messageInputs({ malformed: true, maxMessages: 12 }),
        fc.constantFrom(...formats),
        fc.boolean(),
        (strange, format, lowers) => {
          const thread = AgentThread.empty(asThreadId("long")).append([...work(0, 700), ...strange, ...work(700, 700)]);
          const state = threadState(thread, countingTokenizer(), durability);
          const sources = { state, frame: EMPTY_FRAME, format, summaryRole: "user" as const };
          const plan = emptyPlan(thread.id, "test");
          const [atOnce, inSteps] = [new RequestRenderer(sources), new RequestRenderer(sources)];
          expect([...inSteps.catchUp(plan, lowers)].length).toBeGreaterThan(1);
          const [a, b] = [atOnce.render(plan), inSteps.render(plan)];
          expect(b.payload).toEqual(a.payload);
          expect(b.digest).toEqual(a.digest);
          expect(b.rendering).toEqual(a.rendering);
          expect(b.verification).toEqual(a.verification);
        },
      ),
      runs(6),
    );
  });

  it("lowers only part of the messages per step, and hardly any of them twice", () => {
    const thread = AgentThread.empty(asThreadId("long")).append(work(0, 2_000));
    const state = threadState(thread, countingTokenizer(), durability);
    const neutral = formatById("neutral");
    const lowered: number[] = [];
    const format: typeof neutral = {
      ...neutral,
      lower(request, options) {
        lowered.push(request.messages.length);
        return neutral.lower(request, options);
      },
    };
    const renderer = new RequestRenderer({ state, frame: EMPTY_FRAME, format, summaryRole: "user" });
    const plan = emptyPlan(thread.id, "test");
    finishSteps(renderer.catchUp(plan, true));
    expect(Math.max(...lowered)).toBeLessThan(thread.length / 2);
    const sum = lowered.reduce((all, one) => all + one, 0);
    expect(sum).toBeGreaterThanOrEqual(thread.length);
    expect(sum).toBeLessThan(thread.length * 1.1);
    expect(renderer.render(plan).digest.bytes).toBeGreaterThan(0);
    expect(lowered.reduce((all, one) => all + one, 0)).toBe(sum);
  });

  it("takes no step for the few messages that a turn adds", () => {
    const thread = AgentThread.empty(asThreadId("long")).append(work(0, 700));
    const state = threadState(thread, countingTokenizer(), durability);
    const sources = { state, frame: EMPTY_FRAME, format: formatById("neutral"), summaryRole: "user" as const };
    const before = new RequestRenderer(sources);
    const plan = emptyPlan(thread.id, "test");
    expect([...before.catchUp(plan)]).not.toEqual([]);
    const grown = { ...sources, state: threadState(thread.append(work(700, 2)), countingTokenizer(), durability) };
    expect([...new RequestRenderer(grown, before).catchUp(plan)]).toEqual([]);
    expect(finishSteps(before.catchUp(plan))).toBeUndefined();
    const short = { ...sources, state: threadState(thread.atVersion(900), countingTokenizer(), durability) };
    expect([...new RequestRenderer(short).catchUp(plan)]).toEqual([]);
    // What a plan has seen is rendered at once with it.
    expect([...new RequestRenderer(sources).catchUp({ ...plan, threadVersion: 500 })]).toEqual([]);
  });
});

describe("a renderer", () => {
  const thread = AgentThread.empty(asThreadId("short")).append(work(0, 3));
  const plan = emptyPlan(thread.id, "test");
  const state = threadState(thread, countingTokenizer(), durability);
  const sources: RenderSources = { state, frame: EMPTY_FRAME, format: formatById("neutral"), summaryRole: "user" };

  it("renders a plan anew if its records differ; another plan id changes only the manifest", () => {
    const renderer = new RequestRenderer(sources);
    const [first, next] = [renderer.render(plan), renderer.render({ ...plan, planId: asPlanId("next") })];
    expect(next.payload).toEqual(first.payload);
    expect([first, next].map(({ rendering }) => rendering.manifest.planId)).toEqual([plan.planId, "next"]);
    expect(next.rendering.manifest).toEqual({ ...first.rendering.manifest, planId: "next" });
    const drop: DropRecord = {
      ...{ action: "drop", span: spanOf([...thread.messages].slice(1, 3)), strategy: "drop", reason: "to make room" },
      ...{ sincePlanVersion: 1, originalTokens: 1, keywords: [] },
    };
    const folded = renderer.render({ ...plan, drops: [drop] });
    expect(folded.verification.tokens).toBeLessThan(first.verification.tokens);
    // What is kept of earlier renderings changes nothing, nor what a renderer takes over of another format.
    expect(renderer.render(plan)).toEqual(first);
    const followed = new RequestRenderer(sources, renderer);
    expect(followed.render(plan).digest.digest).toBe(first.digest.digest);
    const other = new RequestRenderer({ ...sources, format: formatById("anthropic") }, renderer);
    expect(other.render(plan).payload).toEqual(
      new RequestRenderer({ ...sources, format: formatById("anthropic") }).render(plan).payload,
    );
  });

  it("gives all figures in the provider's tokens, and they add up to the request's", () => {
    const counted = new RequestRenderer(sources).render(plan).verification;
    expect(sumOf(counted.breakdown)).toBe(counted.tokens);
    for (const reported of [1_500, 3_000, 20_000]) {
      const estimate = afterReported(unreported(), { counted: 1_000, reported });
      const count = { estimate, measured: null };
      const { tokens, breakdown } = new RequestRenderer({ ...sources, count }).render(plan).verification;
      expect(tokens).toBe(providerTokens(count, plan, counted.tokens));
      expect(tokens).not.toBe(counted.tokens);
      expect(sumOf(breakdown)).toBe(tokens);
      expect(breakdown.kept).toBe(scaledTokens(estimate, counted.breakdown.kept));
      // A report of less than that leaves less for what is kept, and nothing for what nobody sees.
      const measured = { planVersion: 0, inputTokens: 5, counted: counted.tokens, unshown: 0, resent: 0 };
      const little = new RequestRenderer({ ...sources, count: { estimate, measured } }).render(plan).verification;
      expect([little.tokens, sumOf(little.breakdown), little.breakdown.overhead]).toEqual([5, 5, 0]);
    }
  });

  it("renders frame, wording, model, host options and rehydrated content as a one-off rendering does", () => {
    const told = fc.record(
      { model: fc.constantFrom("claude-opus-4-1", "claude-haiku-4-5"), host: fc.constant({ store: false }) },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(renderInputs, told, fc.constantFrom(...formats), (input, { model, host }, format) => {
        const { continuation: _, system, tools, summaryRole = "user", plan, ...given } = input;
        const state = threadState(input.thread, countingTokenizer(), () => "anchoring");
        const frame = { system, tools, ...(host !== undefined && { host }) };
        const named = model === undefined ? {} : { model };
        const renderer = new RequestRenderer({ ...given, ...named, state, frame, format, summaryRole });
        const { ledger } = state;
        const whole = { ...given, ...frame, ...named, plan, ledger, summaryRole };
        expect(renderer.rendering(plan)).toEqual(GrowingRendering.of(whole, format).rendering);
        expect(renderer.tools).toBe(tools);
      }),
      runs(60),
    );
  });
});

describe("the budget of a request", () => {
  const config = compactionConfig({ maxInputTokens: 9_000 });
  const ledger = (script: string) => threadState(scriptThread(script, 50), countingTokenizer(), durability).ledger;
  const tools = [{ name: "bash", inputSchema: { type: "object" } }];
  const frame = { system: ["x".repeat(400), "y".repeat(40)], tools };

  it("is the configured one, less system text and tools in the provider's tokens", () => {
    const tool = countingTokenizer().countToolSchemas(tools);
    expect(requestBudget(config, frame, ledger("s0 u1"), AS_COUNTED)).toEqual({
      ...tokenBudget(config),
      ...{ systemPromptTokens: 110 + 50, toolSchemaTokens: tool },
    });
    const estimate = afterReported(unreported(), { counted: 1_000, reported: 3_000 });
    expect(requestBudget(config, frame, ledger("s0 u1"), { estimate, measured: null })).toMatchObject({
      systemPromptTokens: requestTokens(estimate, 160),
      toolSchemaTokens: scaledTokens(estimate, tool),
    });
    expect(requestBudget(config, EMPTY_FRAME, ledger("u1"), AS_COUNTED)).toEqual(tokenBudget(config));
  });

  it("counts a frame once per tokenizer", () => {
    let counted = 0;
    const counting = (factor: number) => {
      const plain = countingTokenizer();
      const countTokens = (text: string) => (counted++, factor * plain.countTokens(text));
      return threadState(scriptThread("u1"), { ...plain, countTokens }, durability).ledger;
    };
    const [once, twice] = [counting(1), counting(2)];
    const systemOf = (by: typeof once) => requestBudget(config, frame, by, AS_COUNTED).systemPromptTokens;
    expect(systemOf(once)).toBe(110);
    const before = counted;
    expect([systemOf(once), counted]).toEqual([110, before]);
    expect(systemOf(twice)).toBe(220);
  });
});

describe("a frame", () => {
  const tools = [{ name: "bash", inputSchema: { type: "object" } }];
  const frame: RequestFrame = { system: ["a"], tools, host: { store: true, toolChoice: "auto" } };

  it("survives serialization unchanged, and rejects malformed text with STORE_CORRUPT", () => {
    for (const kept of [frame, EMPTY_FRAME, { system: frame.system, tools }]) {
      expect(parseFrame(serializeFrame(kept))).toEqual(kept);
      expect(isSameFrame(kept, parseFrame(serializeFrame(kept)))).toBe(true);
    }
    for (const text of ["", "{", "{}", '{"system":[],"tools":7}', '{"system":[],"tools":[],"host":{"store":1}}'])
      expect(() => parseFrame(text)).toThrow(expect.objectContaining({ code: "STORE_CORRUPT" }));
  });

  it("differs from a frame with any other system text, tools or host options", () => {
    for (const other of [{ system: ["b"] }, { tools: [] }, { host: { store: false } }, { host: { store: true } }])
      expect(isSameFrame(frame, { ...frame, ...other })).toBe(false);
    expect(isSameFrame(frame, { system: frame.system, tools })).toBe(false);
    expect(isSameFrame(frame, { ...frame })).toBe(true);
    // What is one object is not read: a turn asks at every call.
    const unreadable = {
      name: "bash",
      get inputSchema(): never {
        throw new Error("read");
      },
    };
    const large = { system: [], tools: [unreadable] };
    expect(isSameFrame(large, { ...large })).toBe(true);
  });
});

describe("the state of a thread", () => {
  const tokenizer = countingTokenizer();
  const thread = scriptThread("u1 a1 t1 u2", 50);

  it("grows with the thread, and equals a freshly counted state", () => {
    const state = threadState(thread.atVersion(2), tokenizer, durability);
    expect(extendState(state, state.thread)).toBe(state);
    for (const grown of [extendState(state, thread), finishSteps(extendStateInSteps(state, thread))]) {
      expect(grown.thread).toBe(thread);
      expect(grown.ledger.headers).toEqual(threadState(thread, tokenizer, durability).ledger.headers);
      expect(Array.from(grown.grouped.groups, ({ ordinals }) => ordinals)).toEqual([[0], [1, 2], [3]]);
    }
    expect(finishSteps(extendStateInSteps(state, state.thread))).toBe(state);
  });

  it("has the same total tokens if the folded messages are not loaded", async () => {
    const script = `u1 ${Array.from({ length: 20 }, (_, at) => `a${at} t${at}`).join(" ")} u2 a90 u3`;
    const whole = scriptThread(script, (label) => 40 + label.length);
    const { totalTokens } = threadState(whole, tokenizer, durability).ledger;
    const plan = await foldedPlan(whole, { config: { maxInputTokens: 1_200 } });
    const places = new Map([...whole.messages].map(({ id, ordinal }) => [id, { ordinal, version: ordinal + 1 }]));
    const abridged = parseAbridgedPlan(abridgePlan(plan, (id) => places.get(id)));
    const hiddenAt = (ordinal: number) =>
      hiddenRuns(abridged).some(({ fromOrdinal, toOrdinal }) => fromOrdinal <= ordinal && ordinal <= toOrdinal);
    expect(hiddenRuns(abridged).length).toBeGreaterThan(0);
    for (const isHeld of [false, true]) {
      const firsts = new Set(planRecords(abridged).map(({ span }) => spanStart(span)));
      const held = whole.entriesBetween(0).flatMap((entry, index) => {
        const isIn = entry.type !== "message" || !hiddenAt(index) || (isHeld && firsts.has(entry.message.id));
        return isIn ? [{ version: index + 1, entry }] : [];
      });
      const { version, length, position, digest } = whole;
      const resumed = AgentThread.resume(whole.id, { version, length, position, digest, held }, []);
      expect(threadState(resumed, tokenizer, durability, abridged).ledger.totalTokens).toBe(totalTokens);
      const { ledger } = threadState(resumed, tokenizer, durability);
      expect(() => ledger.totalTokens).toThrow(expect.objectContaining({ code: "HISTORY_NOT_LOADED" }));
    }
    expect(threadState(whole, tokenizer, durability, plan).ledger.totalTokens).toBe(totalTokens);
  });

  it("converts to the provider's tokens if the estimate differs", () => {
    const state = threadState(thread, tokenizer, durability);
    expect(inProviderTokens(state, unreported())).toBe(state);
    const estimate = { ...unreported(), slope: 2 };
    expect(inProviderTokens(state, estimate).ledger.totalTokens).toBe(2 * state.ledger.totalTokens);
    expect(inProviderTokens(state, estimate).thread).toBe(thread);
  });
});
