import { describe, expect, it } from "vitest";
import { withoutCacheMarks } from "./alignment.ts";

describe("a message without its cache marks", () => {
  it.each([
    ["Anthropic", { type: "text", text: "a", cache_control: { type: "ephemeral" } }, { type: "text", text: "a" }],
    ["the AI SDK", { text: "a", providerOptions: { anthropic: { cacheControl: { type: "x" } } } }, { text: "a" }],
    ["OpenAI", [{ text: "a", prompt_cache_breakpoint: { mode: "x" } }], [{ text: "a" }]],
  ])("equals the %s message that was sent without them", (_, marked, bare) => {
    expect(withoutCacheMarks(marked)).toEqual(bare);
  });

  it("keeps everything else, including originally empty objects and class instances", () => {
    const url = new URL("https://example.com/");
    const value = {
      input: {},
      none: null,
      list: [],
      url,
      options: { anthropic: { signature: "x", cacheControl: {} } },
    };
    expect(withoutCacheMarks({ ...value, gone: undefined })).toEqual({
      ...value,
      options: { anthropic: { signature: "x" } },
    });
    expect((withoutCacheMarks(value) as { readonly url: URL }).url).toBe(url);
  });
});
