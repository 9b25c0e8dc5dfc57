import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { JournalEntry } from "../audit/journal.ts";
import { runs } from "../laws/runs.ts";
import { promptCachePrice } from "../providers/cache-prices.ts";
import { type PrefixUnit, PromptCache } from "../providers/prompt-cache.ts";
import { type CacheCadence, cacheTimeFor, cadenceAfter, cadenceEpoch, cadenceOf, NO_CADENCE } from "./cache-cadence.ts";

const times = { short: promptCachePrice("anthropic"), long: promptCachePrice("anthropic-1h") };

/** Bills of a thread that grows by one piece a request, after such pauses in seconds: by the cadence, and with one time for all. */
function bills(pauses: readonly number[], pieceTokens = 1_000) {
  const caches = { auto: new PromptCache(), short: new PromptCache(), long: new PromptCache() };
  const bill = { auto: 0, short: 0, long: 0 };
  const chosen: string[] = [];
  const units: PrefixUnit[] = [{ digest: "frame", tokens: 20_000, blocks: 1 }];
  let cadence: CacheCadence = NO_CADENCE;
  let at = 0;
  for (const [index, pause] of pauses.entries()) {
    at += 1_000 * pause;
    units.push({ digest: `piece ${index}`, tokens: pieceTokens, blocks: 1 });
    const sent = { at, units: [...units], breakpoints: [units.length - 2, units.length - 1] };
    const request = { at, tokens: 20_000 + pieceTokens * (index + 1), epoch: "0" };
    const price = cacheTimeFor(cadence, request, times);
    cadence = cadenceAfter(cadence, request, times, price);
    chosen.push(price.id);
    bill.auto += caches.auto.take(sent, { price }).bill;
    bill.short += caches.short.take(sent, { price: times.short }).bill;
    bill.long += caches.long.take(sent, { price: times.long }).bill;
  }
  return { ...bill, chosen };
}

describe("the chosen time to live of prefixes", () => {
  it("is the shorter one for the first request and for large requests in quick succession", () => {
    expect(bills([0]).chosen).toEqual(["anthropic"]);
    expect(
      new Set(
        bills(
          Array.from({ length: 20 }, () => 5),
          50_000,
        ).chosen,
      ),
    ).toEqual(new Set(["anthropic"]));
  });

  it("saves rewrites after ten-minute pauses, and the surcharge without pauses", () => {
    const resting = bills(Array.from({ length: 100 }, (_, index) => (index % 10 === 9 ? 600 : 10)));
    expect(resting.auto).toBeLessThan(0.75 * resting.short);
    expect(resting.auto).toBeLessThan(1.05 * resting.long);
    const busy = bills(Array.from({ length: 100 }, () => 10));
    expect(busy.auto).toBeLessThan(1.05 * busy.short);
    expect(busy.auto).toBeLessThan(0.95 * busy.long);
  });

  it("never costs more than 1.1 times the shorter time, whatever the pauses", () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(1, 30, 299, 300, 900, 3_599, 3_600, 90_000), { maxLength: 60 }),
        (pauses) => {
          const { auto, short } = bills(pauses);
          expect(auto).toBeLessThanOrEqual(1.1 * short);
        },
      ),
      runs(50),
    );
  });
});

describe("cadenceAfter and cadenceOf", () => {
  const request = (seconds: number, epoch = "0", tokens = 20_000) => ({ at: 1_000 * seconds, tokens, epoch });
  const after = (...requests: readonly ReturnType<typeof request>[]) =>
    requests.reduce((cadence, one) => cadenceAfter(cadence, one, times, times.long), NO_CADENCE);

  it("count as a pause a gap that only the longer time to live covers", () => {
    const pauses = (seconds: number) => {
      const { requests, pauses: counted } = after(request(0), request(seconds));
      return [requests, counted];
    };
    expect([299.999, 300, 3_599.999, 3_600].map(pauses)).toEqual([
      [1, 0],
      [1, 1],
      [1, 1],
      [1, 0],
    ]);
    expect(after(request(0))).toMatchObject({ requests: 0, pauses: 0, newest: request(0) });
  });

  it("track the tokens kept for the longer time and their expiry within one epoch", () => {
    expect(after(request(10)).long).toEqual({ tokens: 20_000, until: 3_610_000 });
    const then = (next: ReturnType<typeof request>) => cadenceAfter(after(request(10)), next, times, times.short).long;
    expect(then(request(20))).toEqual({ tokens: 20_000, until: 3_620_000 });
    expect(then(request(3_609.999))).toEqual({ tokens: 20_000, until: 7_209_999 });
    expect(then(request(3_610))).toEqual({ tokens: 0, until: 0 });
    expect(then(request(20, "1"))).toEqual({ tokens: 0, until: 0 });
  });

  it("derive the same cadence from a journal", () => {
    const record = (fields: object): JournalEntry["record"] =>
      ({
        ...{ type: "request-rendered", planVersion: 1, tokens: 20_000, options: { model: "m" } },
        ...fields,
      }) as never;
    const entry = (seconds: number, fields: object): JournalEntry =>
      ({ at: new Date(1_000 * seconds).toISOString(), record: record(fields) }) as never;
    const long = { cache: { price: times.long.id } };
    const epoch = cadenceEpoch(1, "m");
    const cadence = cadenceOf([entry(0, long), entry(400, {}), entry(500, { handedOut: false })], times);
    expect(cadence).toEqual({
      ...{ requests: 1, pauses: 1, newest: { at: 400_000, tokens: 20_000, epoch } },
      long: { tokens: 20_000, until: 4_000_000 },
    });
    expect(cadenceOf([entry(0, { options: {} })], times).newest?.epoch).toBe(cadenceEpoch(1, undefined));
    expect(cadenceOf([], times)).toEqual(NO_CADENCE);
    expect(new Set([cadenceEpoch(1, "m"), cadenceEpoch(2, "m"), cadenceEpoch(1, "n")]).size).toBe(3);
  });
});
