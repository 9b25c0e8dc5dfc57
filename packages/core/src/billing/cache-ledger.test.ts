import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type JournalEntry, type JournalRecord, nextJournalEntry } from "../audit/journal.ts";
import { asArtifactId, asThreadId } from "../model/ids.ts";
import { type PromptCachePrice, promptCachePrice } from "../providers/cache-prices.ts";
import { PromptCache } from "../providers/prompt-cache.ts";
import { cacheBill } from "./cache-bill.ts";
import { CacheLedger, cacheLedger } from "./cache-ledger.ts";
import { missByClaim, missByRules } from "./cache-misses.ts";
import { insteadBills } from "./instead-bills.ts";
import { keepAliveAdvice } from "./keep-alive.ts";
import { keepShared, playCall, type RecordedCall } from "./recorded-call.ts";

const START = Date.parse("2026-03-02T09:00:00.000Z");

/** A call after a pause, how much of the call before it begins with, and what the provider reports of which call later. */
const step = fc.record({
  pauseSeconds: fc.constantFrom(1, 200, 400),
  grows: fc.boolean(),
  isHandedOut: fc.boolean(),
  reports: fc.array(fc.record({ back: fc.nat(2), inputTokens: fc.integer({ min: 1, max: 9_000 }) }), { maxLength: 2 }),
});

function journalOf(steps: readonly (typeof step extends fc.Arbitrary<infer Step> ? Step : never)[]) {
  const entries: JournalEntry[] = [];
  const calls: number[] = [];
  let now = START;
  const add = (record: JournalRecord): number => {
    const at = new Date(now).toISOString();
    entries.push(nextJournalEntry(entries.at(-1) ?? null, asThreadId("ledger"), record, at));
    return entries.length;
  };
  let prefixes: {
    readonly digest: string;
    readonly tokens: number;
    readonly blocks: number;
    readonly messages: number;
    readonly marked: true;
  }[] = [];
  for (const [place, { pauseSeconds, grows, isHandedOut, reports }] of steps.entries()) {
    now += 1_000 * pauseSeconds;
    const tokens = 3_000 + 500 * place;
    const whole = { digest: `d${place}`, tokens, blocks: place + 1, messages: place, marked: true as const };
    prefixes = [...(grows ? prefixes.slice(-1) : []), whole];
    const sequence = add({
      ...{ type: "request-rendered", threadVersion: place, planVersion: 0, renderVersion: "1", tokenizer: "heuristic" },
      ...{ format: "anthropic-messages", options: { model: "claude-sonnet-5" }, frame: asArtifactId("artifact_0") },
      ...{ rehydrated: [], payloadDigest: "", tokens },
      cache: { price: "anthropic-5m", ends: "marks", prefixes, unfoldedTokens: tokens },
      ...(!isHandedOut && { handedOut: false as const }),
    });
    calls.push(sequence);
    for (const { back, inputTokens } of reports)
      add({
        type: "usage-reported",
        requestSequence: calls.at(-1 - back) ?? sequence,
        usage: { inputTokens, outputTokens: 10, cacheReadTokens: Math.floor(inputTokens / 2) },
      });
  }
  return entries;
}

it("a cache ledger is the same however the journal is split, and reports the changed lines", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 8 }), fc.array(fc.nat(24), { maxLength: 4 }), (steps, cuts) => {
      const entries = journalOf(steps);
      const ledger = new CacheLedger();
      const ends = [...cuts.sort((a, b) => a - b), entries.length];
      for (const [at, end] of ends.entries()) {
        const before = [...ledger.calls];
        const changed = ledger.take(entries.slice(ends[at - 1] ?? 0, end));
        expect(ledger.calls).toEqual(cacheLedger(entries.slice(0, Math.max(end, ends[at - 1] ?? 0))));
        for (const [place, call] of ledger.calls.entries())
          if (!changed.includes(place)) expect(call).toBe(before[place]);
      }
      expect(ledger.calls.map(({ sequence }) => sequence)).toEqual(
        entries.flatMap(({ sequence, record }) =>
          record.type === "request-rendered" && record.handedOut !== false ? [sequence] : [],
        ),
      );
    }),
  );
});

/** A journal of one call whose prompt is as long as the provider reports, none of it cached. */
function callOf(model: string, format: string, inputTokens: number): readonly JournalEntry[] {
  const whole = { digest: "d", tokens: inputTokens, blocks: 1, messages: 1, marked: true as const };
  const records: readonly JournalRecord[] = [
    {
      ...{ type: "request-rendered", threadVersion: 0, planVersion: 0, renderVersion: "1", tokenizer: "heuristic" },
      ...{ format, options: { model }, frame: asArtifactId("artifact_0"), rehydrated: [], payloadDigest: "" },
      tokens: inputTokens,
      cache: { price: "", ends: "marks", prefixes: [whole], unfoldedTokens: 2 * inputTokens },
    },
    {
      type: "usage-reported",
      requestSequence: 1,
      usage: { inputTokens, outputTokens: 1_000, cacheReadTokens: 0, cacheWriteTokens: 0 },
    },
  ];
  const at = new Date(START).toISOString();
  return records.reduce<JournalEntry[]>(
    (entries, record) => [...entries, nextJournalEntry(entries.at(-1) ?? null, asThreadId("ledger"), record, at)],
    [],
  );
}

it.each([
  ["gpt-5.6-terra", "openai-responses", 272_000, 0.272 * 2 + 0.012],
  ["gpt-5.6-terra", "openai-responses", 272_001, 0.272001 * 4 + 0.018],
  ["claude-haiku-5-5", "anthropic-messages", 100_000, 0.1 * 0.1 + 0.0005],
  ["claude-haiku-5-5", "anthropic-messages", 200_000, 0.2 * 0.5 + 0.0025],
  ["gemini-2.5-pro", "gemini", 300_000, 0.3 * 2.5 + 0.015],
  ["claude-opus-5-5", "anthropic-messages", 300_000, 0.3 * 4 + 0.02],
])("bills a prompt of %s (%s) with %i tokens at the price for its length", (model, format, inputTokens, dollars) => {
  expect(cacheBill(callOf(model, format, inputTokens)).totals.dollars).toBeCloseTo(dollars, 9);
});

it("bills the unfolded alternative at the price for its own length", () => {
  const { instead } = cacheBill(callOf("gpt-5.6-terra", "openai-responses", 200_000));
  const dollarsAs = (wanted: string) => instead.find(({ as }) => as === wanted)?.dollars;
  // Both would be written to the cache: 400,000 tokens are above the length at which input costs twice as much.
  expect([dollarsAs("sent"), dollarsAs("unfolded")]).toEqual([0.2 * 2 * 1.25, 0.4 * 4 * 1.25]);
});

it("limits the miss of a short request after a long one to the tokens that it sent", () => {
  const whole = (digest: string, tokens: number) => ({ digest, tokens, blocks: 1, messages: 1, marked: true as const });
  const request = (tokens: number, planVersion: number): JournalRecord => ({
    ...{ type: "request-rendered", threadVersion: 1, planVersion, renderVersion: "1", tokenizer: "heuristic", tokens },
    ...{ format: "anthropic-messages", options: { model: "claude-sonnet-5" }, frame: asArtifactId("artifact_0") },
    ...{ rehydrated: [], payloadDigest: "" },
    cache: {
      price: "anthropic-5m",
      ends: "marks",
      prefixes: [whole(`d${planVersion}`, tokens)],
      unfoldedTokens: 50_000,
    },
  });
  const entries = [request(50_000, 0), request(4_000, 1)].reduce<JournalEntry[]>(
    (before, record, place) => [
      ...before,
      nextJournalEntry(
        before.at(-1) ?? null,
        asThreadId("ledger"),
        record,
        new Date(START + 1_000 * place).toISOString(),
      ),
    ],
    [],
  );
  const { calls, folds } = cacheBill(entries);
  expect(calls[1]?.misses).toMatchObject([{ cause: "changed", by: "fold", tokens: 4_000 }]);
  expect(folds).toMatchObject([{ planVersion: 1, calls: 1, missedTokens: 4_000, sparedTokens: 46_000, summary: null }]);
  expect(folds[0]?.missedDollars).toBeLessThan(calls[1]?.dollars ?? 0);
});

/** Writing costs a fifth more than an uncached token, reading a tenth; kept for five minutes, from a thousand tokens on. */
const PRICE: PromptCachePrice = {
  ...{ id: "own", formats: [], models: [], read: 0.1, write: 1.2, ttlSeconds: 300 },
  ...{ minimumPrefixTokens: 1_000, minimumPrefixByModel: {} },
};
type CallFields = {
  tokens?: number;
  idle?: number | null;
  cache?: object;
  model?: string;
  record?: object;
  price?: PromptCachePrice;
};
const called = ({
  tokens = 5_000,
  idle = 10,
  cache = {},
  model = "m",
  record = {},
  price = PRICE,
}: CallFields = {}): RecordedCall =>
  ({
    ...{ sequence: 1, at: START, usage: undefined, model, idleSeconds: idle, price, row: undefined },
    record: {
      ...{ tokens, planVersion: 0, format: "anthropic-messages" },
      cache: { price: "own", ends: "marks", prefixes: [], unfoldedTokens: tokens, ...cache },
      ...record,
    },
  }) as unknown as RecordedCall;

describe("missByRules", () => {
  const whole = (digest: string, tokens: number) => ({ digest, tokens, blocks: 1, messages: 1 });
  const miss = (now: RecordedCall, fields: object = {}, before: RecordedCall | null = called()) =>
    missByRules({
      ...{ now, before, price: PRICE, outcome: { readTokens: 1_000 }, leftTokens: 4_000, expiredTokens: 0, ...fields },
    } as unknown as Parameters<typeof missByRules>[0]);

  it("reports the first call with all its cacheable tokens", () => {
    expect(miss(called(), {}, null)).toEqual({ cause: "first-call", tokens: 4_000 });
  });

  it("reports a request below the minimum, for the prefix that it shares with the previous one", () => {
    const shared = { prefixes: [whole("a", 600), whole("b", 900)] };
    const short = called({ tokens: 999, cache: shared });
    expect(miss(short, {}, called({ cache: { prefixes: [whole("a", 600)] } }))).toEqual({
      ...{ cause: "below-minimum", minimumTokens: 1_000, tokens: 600 },
    });
    expect(miss(short, {}, called({ cache: { prefixes: [whole("c", 600)] } }))).toBeNull();
    expect(miss(called({ tokens: 1_000 }), { outcome: { readTokens: 1_000 } })).toBeNull();
  });

  it("reports no miss if everything cached was read, and never more than the tokens sent", () => {
    expect(miss(called(), { outcome: { readTokens: 4_000 } })).toBeNull();
    expect(miss(called(), { outcome: { readTokens: 3_999 } })).toMatchObject({ tokens: 1 });
    expect(miss(called({ tokens: 2_000 }))).toMatchObject({ tokens: 1_000 });
  });

  it("reports expiry if nothing was read after the time to live, or a longer prefix expired", () => {
    const none = { outcome: { readTokens: 0 } };
    expect(miss(called({ idle: 300 }), none)).toEqual({
      cause: "expired",
      idleSeconds: 300,
      ttlSeconds: 300,
      tokens: 4_000,
    });
    expect(miss(called({ idle: 299 }), none)).toMatchObject({ cause: "changed" });
    expect(miss(called({ idle: 300 }))).toMatchObject({ cause: "changed" });
    expect(miss(called({ idle: null }), { expiredTokens: 1_001 })).toMatchObject({ cause: "expired", idleSeconds: 0 });
    expect(miss(called(), { expiredTokens: 1_000 })).toMatchObject({ cause: "changed" });
    const hour = called({ price: { ...PRICE, ttlSeconds: 3_600 } });
    expect(miss(called({ idle: 300 }), none, hour)).toMatchObject({ cause: "changed" });
    expect(miss(called({ idle: 3_600 }), none, hour)).toMatchObject({ cause: "expired", ttlSeconds: 3_600 });
  });

  it("reports an out-of-reach breakpoint if the whole prefix is still cached", () => {
    const prefixes = [whole("a", 4_000)];
    const before = called({ cache: { prefixes } });
    expect(miss(called({ cache: { prefixes } }), {}, before)).toMatchObject({ cause: "out-of-reach", tokens: 3_000 });
    expect(miss(called({ cache: { prefixes } }), { leftTokens: 4_001 }, before)).toMatchObject({ cause: "changed" });
  });

  it("reports a change by the recorded cause, or else by comparing both records", () => {
    const change = { by: "tools", message: null, byte: 7, reason: "a tool is new" };
    expect(miss(called({ cache: { change } }))).toEqual({ cause: "changed", ...change, tokens: 3_000 });
    const by = (now: CallFields) => {
      const found = miss(called(now));
      return found?.cause === "changed" ? [found.by, found.message, found.byte] : null;
    };
    expect(by({ model: "other" })).toEqual(["model", null, null]);
    expect(by({ record: { format: "gemini" } })).toEqual(["host", null, null]);
    expect(by({ record: { planVersion: 1 } })).toEqual(["fold", null, null]);
    expect(by({})).toEqual(["host", null, null]);
  });
});

it.each([
  [4_000, { cause: "not-claimed", tokens: 1_000 }],
  [4_899, { cause: "not-claimed", tokens: 101 }],
  [4_900, null],
  [5_600, null],
  [5_601, { cause: "claimed-more", tokens: 601 }],
])("missByClaim judges a provider that claims to have read %i of 5,000 tokens", (claimed, miss) => {
  expect(missByClaim({ claimed, possible: 5_000, margin: 100, believed: 5_500 })).toEqual(miss);
  expect(missByClaim({ claimed: 5_101, possible: 5_000, margin: 100, believed: 0 })).toMatchObject({ tokens: 101 });
});

describe("keeping a prefix warm", () => {
  const advice = (...idle: readonly (number | null)[]) =>
    keepAliveAdvice(idle.map((seconds) => called({ idle: seconds, tokens: 2_000 })));

  it("pays for pauses between the time to live and the break-even", () => {
    // Each costs a tenth of what it keeps, and eleven tenths are spared: eleven requests every 270 seconds at the most.
    const breakEvenSeconds = 10 * 270 + 300;
    expect(advice(null, 299)).toEqual({
      everySeconds: 270,
      breakEvenSeconds,
      pauses: 0,
      spared: { bill: 0, dollars: 0 },
    });
    const one = advice(null, 300);
    expect(one?.pauses).toBe(1);
    expect(one?.spared.bill).toBeCloseTo(2_000 * (1.1 - 0.1));
    expect(advice(null, 569)?.spared.bill).toBeCloseTo(2_000 * (1.1 - 0.1));
    expect(advice(null, 570)?.spared.bill).toBeCloseTo(2_000 * (1.1 - 0.2));
    expect(advice(null, breakEvenSeconds + 1)?.pauses).toBe(0);
    expect(advice(null, 300, 10, 300)).toMatchObject({ pauses: 2 });
    // What stood there before the pause is kept, when it can be cached at all.
    expect(keepAliveAdvice([called({ tokens: 999, idle: null }), called({ idle: 300 })])?.pauses).toBe(0);
    expect(keepAliveAdvice([called({ tokens: 1_000, idle: null }), called({ idle: 300 })])?.pauses).toBe(1);
  });

  it("gives no advice if no price is known or nothing can be saved", () => {
    expect(keepAliveAdvice([])).toBeNull();
    for (const price of [
      { ...PRICE, read: 0 },
      { ...PRICE, read: 1.2, write: 1.2 },
    ])
      expect(keepAliveAdvice([called({ idle: null }), called({ idle: 300, price })])).toBeNull();
    expect(keepAliveAdvice([{ ...called(), price: undefined }])).toBeNull();
  });
});

describe("insteadBills", () => {
  const unfolded = (unfoldedTokens: number, fields: CallFields = {}) =>
    called({ ...fields, cache: { ...fields.cache, unfoldedTokens } });
  const bill = (...calls: readonly RecordedCall[]) =>
    insteadBills(calls, { prices: [PRICE] }).find(({ as }) => as === "unfolded")?.bill;

  it("bills an unfolded call as a read of the call before and a write of the new tokens", () => {
    expect(bill(unfolded(10_000))).toBeCloseTo(12_000);
    expect(bill(unfolded(10_000), unfolded(11_000))).toBeCloseTo(12_000 + 1_000 + 1_200);
    expect(bill(unfolded(10_000), unfolded(11_000, { cache: { change: { by: "fold" } } }))).toBeCloseTo(14_200);
    expect(bill(unfolded(10_000), unfolded(11_000, { cache: { change: { by: "recall" } } }))).toBeCloseTo(14_200);
    // Changed by the host, or gone by then: written anew.
    expect(bill(unfolded(10_000), unfolded(11_000, { cache: { change: { by: "host" } } }))).toBeCloseTo(
      12_000 + 13_200,
    );
    expect(bill(unfolded(10_000), unfolded(11_000, { idle: 300 }))).toBeCloseTo(12_000 + 13_200);
    expect(bill(unfolded(10_000), unfolded(11_000, { idle: 299 }))).toBeCloseTo(14_200);
    // Too short to be cached: paid for as it is.
    expect(bill(unfolded(999))).toBeCloseTo(999);
    expect(bill(unfolded(999), unfolded(1_500))).toBeCloseTo(999 + 1_800);
  });

  it("is empty if no call has a price and a cache record", () => {
    expect(insteadBills([], {})).toEqual([]);
    expect(insteadBills([{ ...called(), price: undefined }], {})).toEqual([]);
    const [sent, other, ...rest] = insteadBills([called()], {});
    expect([sent?.as, other?.as, rest]).toEqual(["sent", "unfolded", []]);
    expect(sent).toMatchObject({ price: "own", ttlSeconds: 300, tooLarge: 0, dollars: null });
  });

  it("lists every time to live that a request may choose, and counts calls too large for the window", () => {
    const hour = { ...PRICE, id: "hour", ttlSeconds: 3_600, write: 2 };
    const calls = [called({ price: { ...PRICE, otherTimes: ["hour"] } })];
    const times = insteadBills(calls, { prices: [hour] }).filter(({ as }) => as === "one-time");
    expect(times.map(({ price, ttlSeconds }) => [price, ttlSeconds])).toEqual([
      ["own", 300],
      ["hour", 3_600],
    ]);
    const row = { windowTokens: 7_000 } as unknown as NonNullable<RecordedCall["row"]>;
    const large = [5_000, 7_000, 7_001].map((tokens) => ({ ...unfolded(tokens), row }));
    expect(insteadBills(large, {}).map(({ tooLarge }) => tooLarge)).toEqual([0, 1]);
  });
});

it("a prompt cache matches unmarked prefixes only for providers that cache without marks", () => {
  const openai = promptCachePrice("openai");
  const whole = (digest: string, tokens: number, blocks: number) => ({ digest, tokens, blocks, messages: blocks });
  const before = {
    ...called({ price: openai, cache: { ends: "anywhere", prefixes: [whole("a", 2_000, 1), whole("c", 5_000, 2)] } }),
    at: START,
  };
  const now = {
    ...called({ price: openai, cache: { ends: "anywhere", prefixes: [whole("a", 2_000, 1), whole("b", 5_000, 2)] } }),
    at: START + 10_000,
  };
  const read = (earlier: RecordedCall | null, price = openai, call: RecordedCall = now) => {
    const cache = new PromptCache();
    keepShared(cache, call, earlier, price);
    return playCall(cache, call, price).readTokens;
  };
  expect(read(before)).toBeGreaterThan(1_800);
  expect(read(before)).toBeLessThanOrEqual(2_000);
  expect(read(null)).toBe(0);
  expect(read({ ...before, record: { ...before.record, tokens: openai.minimumPrefixTokens - 1 } })).toBe(0);
  const marked = {
    ...now,
    record: { ...now.record, cache: { ...now.record.cache, ends: "marks" } },
  } as unknown as RecordedCall;
  expect(read(before, promptCachePrice("anthropic"), marked)).toBe(0);
});
