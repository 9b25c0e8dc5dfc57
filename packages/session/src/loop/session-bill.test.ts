import {
  asThreadId,
  type JsonObject,
  modelRow,
  PROMPT_CACHE_PRICES,
  type PromptCachePrice,
  type Usage,
} from "@threadfold/core";
import { user } from "@threadfold/core/laws";
import { formatById } from "@threadfold/renderer";
import { createMemoryStore } from "@threadfold/stores";
import { threadfoldPreset } from "@threadfold/strategies";
import { describe, expect, it } from "vitest";
import type { SessionOptions } from "../host/session-options.ts";
import { callOf, handClock, resultOf } from "../testing/agent-work.ts";
import {
  ANTHROPIC_RULES,
  CachedProvider,
  type CacheRules,
  GEMINI_RULES,
  OPENAI_MARKED_RULES,
  OPENAI_RULES,
  providerTokenizer,
} from "../testing/cached-provider.ts";
import { ContextSession } from "./context-session.ts";

const threadId = asThreadId("billed");
const tool = { name: "bash", inputSchema: { type: "object", properties: { command: { type: "string" } } } };
const frame = { system: ["You are careful. ".repeat(300)], tools: [tool] };

/** An agent at work on a session, one step a call, and a provider that bills it. */
async function agent(format: string, model: string, rules: CacheRules, options: Partial<SessionOptions> = {}) {
  const clock = handClock();
  const store = createMemoryStore();
  const open = () =>
    ContextSession.open({
      ...{ threadId, store, clock, model, frame, preset: threadfoldPreset },
      ...{ format: formatById(format), tokenizer: providerTokenizer, cacheBreakpoints: true },
      config: { maxInputTokens: 20_000 },
      ...options,
    });
  const provider = new CachedProvider(rules);
  const reported: Usage[] = [];
  const sent: { readonly payload: JsonObject; readonly at: number; readonly planVersion: number }[] = [];
  let session = await open();
  let steps = 0;
  await session.append([user("ask", "Build it step by step.")]);
  return {
    get session() {
      return session;
    },
    clock,
    reported,
    sent,
    /** Goes on in another process. */
    async reopen() {
      session = await open();
    },
    /** Waits, makes the next call, and works on. */
    async call({ after = 1, tokens = 500, results = 1, claim = (usage: Usage): Usage => usage } = {}) {
      clock.pass(after);
      const { payload, plan } = await session.prepare();
      sent.push({ payload, at: clock.now(), planVersion: plan.version });
      const usage = claim(provider.answer(payload, model, clock.now()));
      reported.push(usage);
      await session.complete({ messages: [callOf(steps)], usage });
      await session.append([resultOf(steps++, tokens)]);
      for (let extra = 1; extra < results; extra++) await session.append([callOf(steps), resultOf(steps++, tokens)]);
    },
  };
}

const PROVIDERS = [
  ["anthropic", "claude-sonnet-5", ANTHROPIC_RULES],
  ["openai-chat", "gpt-5", OPENAI_RULES],
  ["openai-chat", "gpt-5.6", OPENAI_MARKED_RULES],
  ["gemini", "gemini-2.5-pro", GEMINI_RULES],
] as const;

describe.each(PROVIDERS)("the ledger of %s with %s", (format, model, rules) => {
  it("matches what the provider itself bills, to the token, over pauses and folds", async () => {
    const { session, call, reported } = await agent(format, model, rules);
    for (let step = 0; step < 60; step++) await call({ after: pauseBefore(step) });
    const { calls } = await session.bill();
    expect(calls.map(({ inputTokens }) => inputTokens)).toEqual(reported.map(({ inputTokens }) => inputTokens));
    expect(calls.map(({ cache }) => cache?.byRules.readTokens)).toEqual(
      reported.map(({ cacheReadTokens }) => cacheReadTokens),
    );
    if (rules.mark !== null)
      expect(calls.map(({ cache }) => cache?.byRules.writtenTokens)).toEqual(
        reported.map(({ cacheWriteTokens }) => cacheWriteTokens),
      );
    const causes = calls.flatMap(({ misses }) => misses.map(({ cause }) => cause));
    expect(causes).not.toContain("not-claimed");
    expect(causes).not.toContain("claimed-more");
    expect(session.plan.version).toBeGreaterThan(0);
  });

  it("has a cause for each miss: first call, short prompt, pause or fold, and nothing else", async () => {
    const { session, call, sent, reported } = await agent(format, model, rules);
    for (let step = 0; step < 60; step++) await call({ after: pauseBefore(step) });
    const { calls } = await session.bill();
    const expected = sent.map(({ at, planVersion }, index) => {
      const before = sent[index - 1];
      if (before === undefined) return ["first-call"];
      const isShort = (at: number) => (reported[at]?.inputTokens ?? 0) < rules.minimumTokens;
      if (isShort(index)) return ["below-minimum"];
      // The one before it left nothing there.
      if (isShort(index - 1)) return [];
      if (at - before.at >= 1_000 * rules.ttlSeconds["5m"]) return ["expired"];
      return planVersion === before.planVersion ? [] : ["changed by fold"];
    });
    const found = calls.map(({ misses }) =>
      misses.map((miss) => (miss.cause === "changed" ? `changed by ${miss.by}` : miss.cause)),
    );
    expect(found).toEqual(expected);
  });

  it("says what the calls cost, and would have cost unfolded or with other cache times, in tokens and dollars", async () => {
    const work = async (options: Partial<SessionOptions>) => {
      const worked = await agent(format, model, rules, options);
      for (let step = 0; step < 60; step++) await worked.call({ after: pauseBefore(step) });
      return worked;
    };
    const folded = await work({});
    const whole = await work({ compaction: false, config: { maxInputTokens: 200_000 } });
    const { instead } = await folded.session.bill();
    const dollars = modelRow(model)?.inputPrice;
    const row = (price: string) => PROMPT_CACHE_PRICES.find(({ id }) => id === price) as PromptCachePrice;
    for (const { as, price, bill, dollars: told } of instead) {
      const again = new CachedProvider({ ...rules, ttlSeconds: { "5m": row(price).ttlSeconds } });
      const usages =
        as === "unfolded" ? whole.reported : folded.sent.map(({ payload, at }) => again.answer(payload, model, at));
      const expected = usages.reduce((sum, { inputTokens, cacheReadTokens = 0, cacheWriteTokens }) => {
        const { read, write } = row(price);
        const written = cacheWriteTokens ?? 0;
        return sum + cacheReadTokens * read + written * write + (inputTokens - cacheReadTokens - written);
      }, 0);
      expect({ as, price, bill: Math.round(bill) }).toEqual({ as, price, bill: Math.round(expected) });
      if (dollars === undefined) expect(told).toBeNull();
      else expect(told).toBeCloseTo((bill * dollars) / 1e6, 9);
    }
    const times = instead.filter(({ as }) => as === "one-time").map(({ ttlSeconds }) => ttlSeconds);
    expect(times).toEqual(format === "anthropic" ? [300, 3_600] : []);
  });
});

/** The pauses of somebody who works, is called away, and goes to lunch. */
const pauseBefore = (step: number): number => (step % 13 === 12 ? 4_000 : step % 7 === 6 ? 400 : 20);

describe("the session option cachePolicy", () => {
  const pauses = (step: number) => (step % 10 === 9 ? 600 : 10);

  it("writes for an hour what returns after pauses, matches the provider's figures and costs less", async () => {
    const auto = await agent("anthropic", "claude-sonnet-5", ANTHROPIC_RULES, {
      ...{ cacheBreakpoints: undefined, cachePolicy: "auto", config: { maxInputTokens: 200_000 } },
    } as Partial<SessionOptions>);
    for (let step = 0; step < 30; step++) {
      if (step === 15) await auto.reopen();
      await auto.call({ after: pauses(step) });
    }
    const { calls, instead } = await auto.session.bill();
    expect(calls.map(({ cache }) => cache?.byRules.readTokens)).toEqual(
      auto.reported.map(({ cacheReadTokens }) => cacheReadTokens),
    );
    expect(new Set(calls.map(({ cache }) => cache?.price))).toEqual(new Set(["anthropic", "anthropic-1h"]));
    const [sent, , five] = instead.map(({ bill }) => bill);
    expect(sent).toBeLessThan(five ?? 0);
  });

  it("is refused together with cacheBreakpoints", async () => {
    await expect(ContextSession.open({ cachePolicy: "auto", cacheBreakpoints: true })).rejects.toThrow(
      "cacheBreakpoints",
    );
  });

  it("folds first when a thread comes back to a cold cache", async () => {
    const { session, call, reported } = await agent("anthropic", "claude-sonnet-5", ANTHROPIC_RULES);
    for (let step = 0; step < 22; step++) await call();
    expect(session.plan.version).toBe(0);
    await call({ after: 7_200 });
    expect(session.plan.version).toBe(1);
    expect(reported.at(-1)?.inputTokens).toBeLessThan(reported.at(-2)?.inputTokens ?? 0);
  });
});

const anthropic = (options: Partial<SessionOptions> = {}) =>
  agent("anthropic", "claude-sonnet-5", ANTHROPIC_RULES, options);

describe("the cause of a cache miss", () => {
  const causes = async ({ session }: Awaited<ReturnType<typeof agent>>) =>
    (await session.bill()).calls.map(({ misses }) =>
      misses.map((miss) => (miss.cause === "changed" ? miss.by : miss.cause)),
    );

  it("is the first call, and there is no miss while a thread only grows", async () => {
    const growing = await anthropic();
    for (let step = 0; step < 5; step++) await growing.call();
    expect(await causes(growing)).toEqual([["first-call"], [], [], [], []]);
  });

  it("is a pause longer than the provider keeps a prefix", async () => {
    const resting = await anthropic();
    for (const after of [0, 299, 300, 1]) await resting.call({ after });
    expect(await causes(resting)).toEqual([["first-call"], [], ["expired"], []]);
    const [, , late] = (await resting.session.bill()).calls;
    expect(late?.misses[0]).toMatchObject({
      idleSeconds: 300,
      ttlSeconds: 300,
      tokens: resting.reported[1]?.inputTokens,
    });
  });

  it("is the fold or the model switch that changed the prefix, with its place", async () => {
    const changing = await anthropic();
    await changing.call();
    await changing.call();
    await changing.session.compact({ force: true });
    await changing.call();
    changing.session.switchModel({ model: "claude-opus-5" });
    await changing.call();
    const found = (await changing.session.bill()).calls.flatMap(({ misses }) =>
      misses.filter(({ cause }) => cause === "changed"),
    );
    expect(found).toMatchObject([
      { by: "fold", message: 1 },
      { by: "model", message: -1 },
    ]);
  });

  it("is the tools, the system text or the host's fields when those changed", async () => {
    const { session, clock } = await anthropic();
    const other = { ...tool, name: "shell" };
    for (const fields of [{}, { tools: [other] }, { tools: [other], system: ["Other words. ".repeat(500)] }]) {
      clock.pass(1);
      await session.prepare({ frame: fields });
    }
    await session.prepare({
      frame: { tools: [other], system: ["Other words. ".repeat(500)], host: { toolChoice: "any" } },
    });
    const found = (await session.bill()).calls.flatMap(({ misses }) =>
      misses.map((miss) => (miss.cause === "changed" ? miss.by : miss.cause)),
    );
    expect(found).toEqual(["first-call", "tools", "system", "host"]);
  });

  it("is the model's minimum when requests are shorter", async () => {
    const short = await agent("anthropic", "claude-haiku-4-5", { ...ANTHROPIC_RULES, minimumTokens: 4_096 });
    await short.call();
    await short.call();
    expect((await short.session.bill()).calls[1]?.misses).toMatchObject([
      { cause: "below-minimum", minimumTokens: 4_096 },
    ]);
  });

  it("is the reach of a mark when more blocks were added than the provider looks back", async () => {
    const far = await anthropic({ frame: { system: [], tools: [] } });
    await far.call({ tokens: 2_000 });
    await far.call({ tokens: 10, results: 30 });
    await far.reopen();
    await far.call();
    expect(await causes(far)).toEqual([["first-call"], [], ["out-of-reach"]]);
    expect((await far.session.bill()).calls[2]?.cache?.claimedTokens).toBe(0);
  });

  it("does not arise when a session continues in another process", async () => {
    const moving = await anthropic();
    await moving.call();
    await moving.reopen();
    await moving.call();
    expect(await causes(moving)).toEqual([["first-call"], []]);
  });

  it("is the provider's claim when it is less than it has or more than it can have", async () => {
    const lying = await anthropic();
    await lying.call();
    await lying.call({ claim: (usage) => ({ ...usage, cacheReadTokens: 0 }) });
    await lying.call({ after: 400, claim: (usage) => ({ ...usage, cacheReadTokens: usage.inputTokens - 100 }) });
    expect(await causes(lying)).toEqual([["first-call"], ["not-claimed"], ["expired", "claimed-more"]]);
    const { calls } = await lying.session.bill();
    expect(calls[1]?.misses).toMatchObject([{ tokens: lying.reported[0]?.inputTokens }]);
  });
});
