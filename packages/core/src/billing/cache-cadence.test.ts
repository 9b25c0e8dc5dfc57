import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { runs } from "../laws/runs.ts";
import { promptCachePrice } from "../providers/cache-prices.ts";
import { type PrefixUnit, PromptCache } from "../providers/prompt-cache.ts";
import { type CacheCadence, cacheTimeFor, cadenceAfter, NO_CADENCE } from "./cache-cadence.ts";

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

describe("the time that prefixes are written for", () => {
  it("is the shorter one for a first request, and for all that comes at once and is large", () => {
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

  it("spares what returns after ten minutes cost, and the surcharge where nobody pauses", () => {
    const resting = bills(Array.from({ length: 100 }, (_, index) => (index % 10 === 9 ? 600 : 10)));
    expect(resting.auto).toBeLessThan(0.75 * resting.short);
    expect(resting.auto).toBeLessThan(1.05 * resting.long);
    const busy = bills(Array.from({ length: 100 }, () => 10));
    expect(busy.auto).toBeLessThan(1.05 * busy.short);
    expect(busy.auto).toBeLessThan(0.95 * busy.long);
  });

  it("never costs much more than the shorter time for all, whatever the pauses", () => {
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
