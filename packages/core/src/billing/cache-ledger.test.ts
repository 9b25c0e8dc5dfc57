import fc from "fast-check";
import { expect, it } from "vitest";
import { type JournalEntry, type JournalRecord, nextJournalEntry } from "../audit/journal.ts";
import { asArtifactId, asThreadId } from "../model/ids.ts";
import { cacheBill } from "./cache-bill.ts";
import { CacheLedger, cacheLedger } from "./cache-ledger.ts";

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

it("is the same ledger however a journal is cut, and says which of its lines are other ones", () => {
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
])("bills a prompt of %s (%s) of %i tokens at the price of its length", (model, format, inputTokens, dollars) => {
  expect(cacheBill(callOf(model, format, inputTokens)).totals.dollars).toBeCloseTo(dollars, 9);
});

it("bills what was not folded at the price of its own length", () => {
  const { instead } = cacheBill(callOf("gpt-5.6-terra", "openai-responses", 200_000));
  const dollarsAs = (wanted: string) => instead.find(({ as }) => as === wanted)?.dollars;
  // Both would be written to the cache: 400,000 tokens are above the length at which input costs twice as much.
  expect([dollarsAs("sent"), dollarsAs("unfolded")]).toEqual([0.2 * 2 * 1.25, 0.4 * 4 * 1.25]);
});

it("blames a short request behind a long one for no more than what it sent", () => {
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
  expect(folds).toMatchObject([{ planVersion: 1, missedTokens: 4_000 }]);
  expect(folds[0]?.missedDollars).toBeLessThan(calls[1]?.dollars ?? 0);
});
