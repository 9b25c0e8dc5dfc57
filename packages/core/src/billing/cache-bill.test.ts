import { describe, expect, it } from "vitest";
import { type JournalEntry, type JournalRecord, nextJournalEntry } from "../audit/journal.ts";
import type { RequestCacheRecord } from "../audit/request-cache-record.ts";
import { asArtifactId, asThreadId } from "../model/ids.ts";
import type { Usage } from "../model/message.ts";
import { promptCachePrice } from "../providers/cache-prices.ts";
import { cacheBill } from "./cache-bill.ts";

const START = Date.parse("2026-03-02T09:00:00.000Z");
const MODEL = "claude-sonnet-5";
/** Prices of the model: dollars a token of input and of output, and what its cache takes for writing and reading. */
const [INPUT, OUTPUT, WRITE, READ] = [2 / 1_000_000, 10 / 1_000_000, 1.25, 0.1];

/** A journal of these records, one a minute. */
const journalOf = (...records: readonly JournalRecord[]): readonly JournalEntry[] =>
  records.reduce<JournalEntry[]>((entries, record, index) => {
    const at = new Date(START + 60_000 * index).toISOString();
    return [...entries, nextJournalEntry(entries.at(-1) ?? null, asThreadId("bill"), record, at)];
  }, []);

interface CallFields {
  readonly planVersion?: number;
  readonly cache?: Partial<RequestCacheRecord> | null;
  readonly model?: string;
}

/** A call that is one marked prefix of so many tokens, all of it written or read. */
const call = (tokens: number, { planVersion = 0, cache = {}, model = MODEL }: CallFields = {}): JournalRecord => ({
  ...{ type: "request-rendered", threadVersion: 1, planVersion, renderVersion: "1", tokenizer: "heuristic", tokens },
  ...{ format: "anthropic-messages", options: { model }, frame: asArtifactId("artifact_0") },
  ...{ rehydrated: [], payloadDigest: "" },
  ...(cache !== null && {
    cache: {
      price: "anthropic",
      ends: "marks",
      prefixes: [{ digest: `d${tokens}`, tokens, blocks: 1, messages: 1, marked: true }],
      unfoldedTokens: tokens,
      ...cache,
    },
  }),
});

const usage = (requestSequence: number, fields: Usage): JournalRecord => ({
  type: "usage-reported",
  requestSequence,
  usage: fields,
});

const summaries = (fields: Partial<Extract<JournalRecord, { type: "summaries-asked" }>> = {}): JournalRecord => ({
  ...{ type: "summaries-asked", summarizer: "test@1", model: MODEL, calls: 1, inputTokens: 1_000, outputTokens: 100 },
  ...fields,
});

describe("the totals of a bill", () => {
  it("are zero for a journal without calls", () => {
    const { calls, totals, misses, folds, recall, keepAlive } = cacheBill([]);
    expect([calls, misses, folds, keepAlive]).toEqual([[], [], [], null]);
    expect(totals).toEqual({
      ...{ calls: 0, reported: 0, notRecorded: 0, inputTokens: 0, outputTokens: 0, readTokens: 0, writtenTokens: 0 },
      ...{ uncachedTokens: 0, bill: 0, dollars: 0, summaryDollars: 0 },
    });
    expect(recall).toEqual({ answers: 0, tokens: 0, bill: 0, dollars: 0 });
  });

  it("add up reported calls, and estimate unreported ones by the provider's rules", () => {
    const { totals } = cacheBill(
      journalOf(
        call(4_000),
        call(4_000),
        usage(2, { inputTokens: 5_000, outputTokens: 200, cacheReadTokens: 3_000, cacheWriteTokens: 500 }),
        call(2_000, { cache: null }),
      ),
    );
    expect(totals).toMatchObject({ calls: 3, reported: 1, notRecorded: 1, inputTokens: 11_000, outputTokens: 200 });
    expect(totals).toMatchObject({ readTokens: 3_000, writtenTokens: 4_500, uncachedTokens: 1_500 + 2_000 });
    expect(totals.bill).toBeCloseTo(4_500 * WRITE + 3_000 * READ + 1_500 + 2_000);
    // A call whose cache nobody recorded has no price.
    expect(totals.dollars).toBeNull();
  });

  it("have dollars, including summaries and answers, only if all prices are known", () => {
    const { totals } = cacheBill(
      journalOf(call(4_000), usage(1, { inputTokens: 4_000, outputTokens: 300 }), summaries()),
    );
    expect(totals.summaryDollars).toBeCloseTo(1_000 * INPUT + 100 * OUTPUT, 9);
    expect(totals.dollars).toBeCloseTo(4_000 * WRITE * INPUT + 300 * OUTPUT + 1_000 * INPUT + 100 * OUTPUT, 9);
    expect(cacheBill(journalOf(call(4_000, { model: "nobody-knows" }))).totals.dollars).toBeNull();
  });
});

describe("summary calls", () => {
  const dollarsOf = (fields: Parameters<typeof summaries>[0], model?: string) =>
    cacheBill(journalOf(summaries(fields)), model === undefined ? {} : { model }).summaries[0]?.dollars;

  it("are billed by their own model, and provider compactions by the answering model", () => {
    expect(dollarsOf({})).toBeCloseTo(1_000 * INPUT + 100 * OUTPUT, 9);
    const { model: _, ...unnamed } = summaries() as Extract<JournalRecord, { type: "summaries-asked" }>;
    const unnamedDollars = (fields: object, model?: string) =>
      cacheBill(journalOf({ ...unnamed, ...fields }), model === undefined ? {} : { model }).summaries[0]?.dollars;
    expect(unnamedDollars({})).toBeNull();
    expect(unnamedDollars({}, MODEL)).toBeNull();
    expect(unnamedDollars({ by: "provider" })).toBeNull();
    expect(unnamedDollars({ by: "provider" }, MODEL)).toBeCloseTo(1_000 * INPUT + 100 * OUTPUT, 9);
    expect(dollarsOf({ model: "nobody-knows" })).toBeNull();
  });

  it("bill cache reads and writes at their own prices", () => {
    expect(dollarsOf({ cacheReadTokens: 600, cacheWriteTokens: 300 })).toBeCloseTo(
      (600 * READ + 300 * WRITE + 100) * INPUT + 100 * OUTPUT,
      9,
    );
    // More than there was is not taken off the rest.
    expect(dollarsOf({ cacheReadTokens: 1_000, cacheWriteTokens: 300 })).toBeCloseTo(
      (1_000 * READ + 300 * WRITE) * INPUT + 100 * OUTPUT,
      9,
    );
  });

  it("are listed as recorded, with their journal sequence", () => {
    expect(cacheBill(journalOf(call(4_000), summaries({ calls: 2, planVersion: 1 }))).summaries).toMatchObject([
      { sequence: 2, calls: 2, planVersion: 1, summarizer: "test@1", inputTokens: 1_000, outputTokens: 100 },
    ]);
  });
});

describe("misses and folds", () => {
  const changed = (by: "fold" | "tools") => ({ change: { by, message: 0, byte: 0, reason: "it changed" } });
  const entries = journalOf(
    call(4_000),
    summaries({ planVersion: 1 }),
    call(2_000, { planVersion: 1, cache: { ...changed("fold"), unfoldedTokens: 5_000 } }),
    call(2_100, { planVersion: 1, cache: { ...changed("tools"), unfoldedTokens: 5_100 } }),
    call(1_500, { planVersion: 2, cache: { ...changed("fold"), unfoldedTokens: 1_400 } }),
    call(1_600, { planVersion: 2, cache: { ...changed("tools"), unfoldedTokens: 1_600 } }),
  );

  it("are grouped by cause, most expensive first", () => {
    const { misses } = cacheBill(entries);
    expect(misses.map(({ cause, misses, tokens }) => [cause, misses, tokens])).toEqual([
      ["first-call", 1, 4_000],
      ["changed by fold", 2, 3_500],
      ["changed by tools", 2, 3_500],
    ]);
    for (const { tokens, dollars } of misses) expect(dollars).toBeCloseTo(tokens * (WRITE - READ) * INPUT, 9);
  });

  it("show for each plan what its first call missed, what it saved and its summary", () => {
    const { folds } = cacheBill(entries);
    expect(folds).toMatchObject([
      { planVersion: 1, calls: 2, missedTokens: 2_000, sparedTokens: 6_000, summary: { sequence: 2, planVersion: 1 } },
      // Where a plan made a request longer, it spared nothing.
      { planVersion: 2, calls: 2, missedTokens: 1_500, sparedTokens: 0, summary: null },
    ]);
    expect(folds[0]?.missedDollars).toBeCloseTo(2_000 * (WRITE - READ) * INPUT, 9);
  });
});

describe("recall", () => {
  it("is billed in the call that first reads its answers, at the cache write price", () => {
    const { recall } = cacheBill(
      journalOf(
        call(4_000, { cache: { recall: { answers: 2, tokens: 700 } } }),
        call(4_100),
        call(4_200, { cache: { recall: { answers: 1, tokens: 50 } } }),
      ),
    );
    expect(recall).toMatchObject({ answers: 3, tokens: 750 });
    expect(recall.bill).toBeCloseTo(750 * WRITE);
    expect(recall.dollars).toBeCloseTo(750 * WRITE * INPUT, 9);
  });
});

describe("a line of the ledger", () => {
  it("shows reported and possible cache reads, in the provider's tokens", () => {
    const [first, second] = cacheBill(
      journalOf(
        call(4_000),
        usage(1, { inputTokens: 5_000, outputTokens: 7 }),
        call(4_000),
        usage(3, { inputTokens: 5_000, outputTokens: 7, cacheReadTokens: 5_000 }),
      ),
    ).calls;
    expect(first).toMatchObject({ sequence: 1, model: MODEL, format: "anthropic-messages", idleSeconds: null });
    expect(first).toMatchObject({ inputTokens: 5_000, outputTokens: 7, limitTokens: null });
    expect(first?.input).toMatchObject({ readTokens: 0, writtenTokens: 5_000, uncachedTokens: 0 });
    expect(first?.cache).toMatchObject({
      price: "anthropic",
      ttlSeconds: 300,
      possibleTokens: 0,
      claimedTokens: null,
    });
    expect(second).toMatchObject({
      idleSeconds: 120,
      cache: { possibleTokens: 5_000, claimedTokens: 5_000, change: null },
    });
    expect(second?.input).toMatchObject({ readTokens: 5_000, writtenTokens: 0, uncachedTokens: 0 });
    expect(second?.misses).toEqual([]);
    expect(second?.dollars).toBeCloseTo(5_000 * READ * INPUT + 7 * OUTPUT, 9);
  });

  it("reports a provider that claims fewer or more cache reads than possible", () => {
    const claims = (cacheReadTokens: number, inputTokens = 4_000) =>
      cacheBill(
        journalOf(call(4_000), call(4_000), usage(2, { inputTokens, outputTokens: 0, cacheReadTokens })),
      ).calls[1]?.misses.map(({ cause, tokens, dollars }) => [cause, tokens, dollars?.toFixed(9)]);
    const dollars = (tokens: number) => (tokens * (WRITE - READ) * INPUT).toFixed(9);
    expect(claims(4_000)).toEqual([]);
    expect(claims(3_999)).toEqual([["not-claimed", 1, dollars(1)]]);
    expect(claims(4_001)).toEqual([["claimed-more", 1, dollars(-1)]]);
    // Ten tokens more than were counted: what is claimed may be as much off.
    expect(claims(4_000, 4_010)).toEqual([]);
    expect(claims(3_999, 4_010)).toEqual([["not-claimed", 11, dollars(11)]]);
  });

  it("bills a too short call's miss only as the difference to the cache read price", () => {
    const short = { prefixes: [{ digest: "a", tokens: 600, blocks: 1, messages: 0, marked: true as const }] };
    const { calls } = cacheBill(journalOf(call(900, { cache: short }), call(1_000, { cache: short })));
    expect(calls[1]?.misses).toMatchObject([{ cause: "below-minimum", tokens: 600, minimumTokens: 1_024 }]);
    expect(calls[1]?.misses[0]?.dollars).toBeCloseTo(600 * (1 - READ) * INPUT, 9);
  });

  it("exists only for requests that were sent, priced by request, model or format", () => {
    const refused = { ...call(4_000), handedOut: false } as JournalRecord;
    expect(cacheBill(journalOf(refused, call(4_000))).calls.map(({ sequence }) => sequence)).toEqual([2]);
    const priceOf = (record: JournalRecord, options = {}) =>
      cacheBill(journalOf(record), options).calls[0]?.cache?.price;
    expect(priceOf(call(4_000, { cache: { price: "anthropic-1h" } }))).toBe("anthropic-1h");
    expect(priceOf(call(4_000, { cache: { price: "nobody-knows" } }))).toBe("anthropic");
    expect(priceOf(call(4_000, { cache: { price: "nobody-knows" }, model: "nobody-knows" }))).toBe("anthropic");
    const own = { ...promptCachePrice("anthropic"), id: "own" };
    expect(priceOf(call(4_000, { cache: { price: "own" } }), { prices: [own] })).toBe("own");
    const unnamed = { ...call(4_000), options: {} } as JournalRecord;
    expect(cacheBill(journalOf(unnamed)).calls[0]).toMatchObject({ model: null, dollars: null });
    expect(cacheBill(journalOf(unnamed), { model: MODEL }).calls[0]?.dollars).toBeCloseTo(4_000 * WRITE * INPUT, 9);
  });
});
