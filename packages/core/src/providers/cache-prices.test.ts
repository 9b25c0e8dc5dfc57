import { describe, expect, it } from "vitest";
import {
  minimumCachedTokens,
  PROMPT_CACHE_PRICES,
  type PromptCachePrice,
  promptCachePrice,
  promptCachePriceFor,
  promptCachePriceOfFormat,
  promptCachePriceOfModel,
  promptCachePriceSchema,
} from "./cache-prices.ts";

describe("prompt-cache prices", () => {
  it("have a valid row with a unique id for each provider", () => {
    const ids = PROMPT_CACHE_PRICES.map((price) => price.id);
    expect(new Set(ids).size).toBe(ids.length);
    for (const provider of ["anthropic", "openai", "openai-5.6", "gemini", "deepseek", "mistral"]) {
      expect(ids).toContain(provider);
    }
    for (const price of PROMPT_CACHE_PRICES) {
      expect(promptCachePriceSchema.parse(price)).toEqual(price);
      expect(promptCachePriceSchema.parse(price)).toEqual(price);
      expect(price.read).toBeLessThan(price.write);
    }
  });

  it("match the published prices that bills depend on", () => {
    expect(promptCachePrice("anthropic")).toMatchObject({ read: 0.1, write: 1.25, ttlSeconds: 300 });
    expect(promptCachePrice("anthropic-1h")).toMatchObject({ read: 0.1, write: 2, ttlSeconds: 3_600 });
    expect(promptCachePrice("openai-5.6")).toMatchObject({ read: 0.1, write: 1.25, ttlSeconds: 1_800 });
    expect(promptCachePrice("openai")).toMatchObject({ write: 1, minimumPrefixTokens: 1_024 });
  });

  it("are found by format and by the longest prefix of a model's name", () => {
    expect(promptCachePriceOfFormat("anthropic-messages")?.id).toBe("anthropic");
    expect(promptCachePriceOfFormat("openai-responses")?.id).toBe("openai");
    expect(promptCachePriceOfFormat("carrier-pigeon")).toBeUndefined();
    expect(promptCachePriceOfModel("gpt-5.6-codex")?.id).toBe("openai-5.6");
    expect(promptCachePriceOfModel("gpt-5.1")?.id).toBe("openai");
    expect(promptCachePriceOfModel("gpt-4o-mini")?.id).toBe("openai-4o");
    expect(promptCachePriceOfModel("llama")).toBeUndefined();
  });

  it("include each model's minimum cacheable prompt", () => {
    const anthropic = promptCachePrice("anthropic");
    expect(minimumCachedTokens(anthropic)).toBe(1_024);
    expect(minimumCachedTokens(anthropic, "claude-opus-5-20261001")).toBe(512);
    expect(minimumCachedTokens(anthropic, "claude-haiku-4-5")).toBe(4_096);
  });

  it("include a model's own prices: cheaper reads of Claude 5.5, for either time to live", () => {
    for (const id of ["anthropic", "anthropic-1h"]) {
      expect(promptCachePriceFor(promptCachePrice(id), "claude-opus-5-5")).toMatchObject({ id, read: 0.05 });
      expect(promptCachePriceFor(promptCachePrice(id), "claude-opus-5-20260724")).toMatchObject({
        ...{ read: 0.1, minimumPrefixTokens: 512, minimumPrefixByModel: {} },
      });
    }
  });

  it("can be extended by custom rows, which take precedence", () => {
    const own: PromptCachePrice = { ...promptCachePrice("openai"), id: "house", models: ["gpt-5.6-house"] };
    expect(promptCachePrice("house", [own])).toBe(own);
    expect(promptCachePriceOfModel("gpt-5.6-house-1", [own])).toBe(own);
    expect(promptCachePrice("anthropic", [{ ...own, id: "anthropic" }]).models).toEqual(["gpt-5.6-house"]);
  });

  it("refuse an unknown id", () => {
    expect(() => promptCachePrice("nope")).toThrow(
      expect.objectContaining({ code: "INVALID_CONFIG", hint: expect.stringContaining("anthropic") }),
    );
    expect(promptCachePriceSchema.safeParse({ ...promptCachePrice("openai"), read: 2 }).success).toBe(false);
  });
});
