import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { sha256 } from "../json/sha256.ts";
import { runs } from "../laws/runs.ts";
import { promptCachePrice } from "./cache-prices.ts";
import { type CachedRequest, PromptCache, simulatePrefixCache } from "./prompt-cache.ts";

/** A request of pieces, each named by a word; equal words in a row are an equal prefix. */
function request(at: number, words: string, breakpoints: readonly number[] = [], tokens = 1_000): CachedRequest {
  const pieces = words.split(" ");
  const units = pieces.map((_, index) => ({
    digest: sha256(pieces.slice(0, index + 1).join(" ")),
    tokens,
    blocks: 1,
  }));
  return { at, units, breakpoints };
}

const anthropic = { price: promptCachePrice("anthropic") };
const openai = { price: promptCachePrice("openai") };
const minutes = (count: number): number => count * 60_000;

describe("simulatePrefixCache", () => {
  it("reads prefixes that breakpoints wrote, writes new ones, and bills the rest in full", () => {
    const [first, second] = simulatePrefixCache([request(0, "a b c", [1]), request(1, "a b c d e", [1, 3])], anthropic);
    expect(first).toEqual({ readTokens: 0, writtenTokens: 2_000, uncachedTokens: 1_000, bill: 3_500 });
    expect(second).toEqual({
      readTokens: 2_000,
      writtenTokens: 2_000,
      uncachedTokens: 1_000,
      bill: 200 + 2_500 + 1_000,
    });
  });

  it("looks at most twenty blocks back from a breakpoint", () => {
    const words = (count: number) => Array.from({ length: count }, (_, index) => `w${index}`).join(" ");
    const reads = (grown: number, breakpoints: readonly number[]) =>
      simulatePrefixCache([request(0, words(5), [4]), request(1, words(grown), breakpoints)], anthropic)[1]?.readTokens;
    expect(reads(25, [24])).toBe(5_000);
    expect(reads(26, [25])).toBe(0);
    expect(reads(26, [4, 25])).toBe(5_000);
  });

  it("expires a prefix after five minutes without use", () => {
    const reads = (...times: readonly number[]) =>
      simulatePrefixCache(
        times.map((time) => request(minutes(time), "a b", [1])),
        anthropic,
      ).map(({ readTokens }) => readTokens);
    expect(reads(0, 4, 8)).toEqual([0, 2_000, 2_000]);
    expect(reads(0, 6)).toEqual([0, 0]);
    const hour = { price: promptCachePrice("anthropic-1h") };
    expect(simulatePrefixCache([request(0, "a b", [1]), request(minutes(50), "a b", [1])], hour)).toMatchObject([
      { writtenTokens: 2_000, bill: 4_000 },
      { readTokens: 2_000, bill: 200 },
    ]);
  });

  it("reports a prefix as held or expired to the millisecond, without refreshing it", () => {
    const cache = new PromptCache();
    const sent = request(0, "a b", [1]);
    cache.take(sent, anthropic);
    const { digest } = sent.units[1] as (typeof sent.units)[number];
    const until = minutes(5);
    expect([cache.state("other", 0), cache.state(digest, until - 1)]).toEqual(["unknown", "held"]);
    expect([cache.state(digest, until), cache.state(digest, until + 1)]).toEqual(["expired", "expired"]);
    cache.keep(digest, until - 1, 1);
    expect(cache.state(digest, 2 * until - 2)).toBe("held");
    expect(cache.state(digest, 2 * until - 1)).toBe("expired");
    cache.keep(digest, 2 * until, 10);
    expect([cache.state(digest, 2 * until + 9), cache.state(digest, 2 * until + 10)]).toEqual(["held", "expired"]);
  });

  it("caches a prompt or breakpoint of exactly the minimum size", () => {
    const least = anthropic.price.minimumPrefixTokens;
    const written = (tokens: number) =>
      simulatePrefixCache([request(0, "a", [0], tokens)], anthropic).map(({ writtenTokens }) => writtenTokens);
    expect([written(least), written(least - 1)]).toEqual([[least], [0]]);
    const implicit = (tokens: number) =>
      simulatePrefixCache([request(0, "a", [], tokens), request(1, "a", [], tokens)], openai).map(
        ({ readTokens, writtenTokens }) => [readTokens, writtenTokens],
      );
    expect(implicit(1_024)).toEqual([
      [0, 1_024],
      [1_024, 0],
    ]);
    expect(implicit(1_023)).toEqual([
      [0, 0],
      [0, 0],
    ]);
  });

  it("uses only the last four breakpoints", () => {
    const kept = (breakpoints: readonly number[]) => {
      const cache = new PromptCache();
      const sent = request(0, "a b c d e", breakpoints, 2_000);
      cache.take(sent, anthropic);
      return sent.units.flatMap(({ digest }, index) => (cache.state(digest, 1) === "held" ? [index] : []));
    };
    expect(kept([0, 1, 2, 3, 4])).toEqual([1, 2, 3, 4]);
    expect(kept([0, 2])).toEqual([0, 2]);
    expect(kept([])).toEqual([]);
  });

  it("matches in the provider's own steps, and in whole tokens for an unknown provider", () => {
    const price = { ...openai.price, minimumPrefixTokens: 0 };
    const read = (id: string) =>
      simulatePrefixCache([request(0, "a", [], 1_000), request(1, "a", [], 1_000)], { price: { ...price, id } })[1]
        ?.readTokens;
    expect(["openai", "openai-4.1", "deepseek", "nobody-knows"].map(read)).toEqual([896, 896, 960, 1_000]);
  });

  it("caches nothing below the model's minimum", () => {
    const twice = [request(0, "a b", [1]), request(1, "a b", [1])];
    expect(simulatePrefixCache(twice, { ...anthropic, model: "claude-haiku-4-5" })[1]).toEqual({
      readTokens: 0,
      writtenTokens: 0,
      uncachedTokens: 2_000,
      bill: 2_000,
    });
  });

  it("matches any prefix in steps, without breakpoints, for a provider with automatic caching", () => {
    const [, second, third] = simulatePrefixCache(
      [request(0, "a b c"), request(1, "a b c d"), request(2, "a x c d")],
      openai,
    );
    expect(second).toEqual({ readTokens: 2_944, writtenTokens: 1_056, uncachedTokens: 0, bill: 294.4 + 1_056 });
    // One piece of 1 000 tokens is shorter than what is cached at all.
    expect(third?.readTokens).toBe(0);
  });

  it("accounts for every token, and never bills more than a full write", () => {
    const requests = fc.array(
      fc.tuple(fc.nat(600_000), fc.array(fc.constantFrom("a", "b"), { minLength: 1, maxLength: 30 }), fc.nat(29)),
      { maxLength: 8 },
    );
    fc.assert(
      fc.property(requests, fc.constantFrom(anthropic, openai), (drawn, simulation) => {
        let clock = 0;
        const sent = drawn.map(([wait, words, place]) =>
          request((clock += wait), words.join(" "), [Math.min(place, words.length - 1)]),
        );
        simulatePrefixCache(sent, simulation).forEach(({ readTokens, writtenTokens, uncachedTokens, bill }, index) => {
          const total = (sent[index] as CachedRequest).units.length * 1_000;
          expect(readTokens + writtenTokens + uncachedTokens).toBe(total);
          expect(Math.min(readTokens, writtenTokens, uncachedTokens)).toBeGreaterThanOrEqual(0);
          expect(bill).toBeLessThanOrEqual(total * simulation.price.write);
          expect(bill).toBeGreaterThanOrEqual(total * simulation.price.read);
        });
      }),
      runs(200),
    );
  });
});
