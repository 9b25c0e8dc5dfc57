import type { JsonValue } from "@threadfold/core";
import { message, threadOf } from "@threadfold/core/laws";
import { describe, expect, it } from "vitest";
import { FoldedThread } from "../testing/folded-thread.ts";
import { GuardedStore } from "../testing/guarded-store.ts";
import { countTokens, dropping, exchange } from "../testing/recall-thread.ts";
import { MemoryRecallIndex } from "./memory-index.ts";
import { type SearchThreadSources, searchThreadTool } from "./search-thread-tool.ts";

const thread = threadOf(
  message("u", "user", "Find the needle."),
  ...exchange("a", "read", "hay.txt", `the needle is in barn_7\n${"x".repeat(30_000)}`),
  message("s", "assistant", "needle of the sibling", { branch: "left" }),
  message("c", "assistant", "needle of the child", { branch: "right/deep" }),
  message("o", "assistant", "needle of my own", { branch: "right" }),
);
const sources = (more: Partial<SearchThreadSources> = {}): SearchThreadSources => ({
  index: new MemoryRecallIndex(),
  thread,
  plan: dropping(thread, "a", "a-result"),
  countTokens,
  maxTokens: 1_000,
  artifacts: new GuardedStore(),
  ...more,
});
const call = (input: JsonValue, more: Partial<SearchThreadSources> = {}) =>
  searchThreadTool(() => sources(more)).execute(input);

describe("search_thread", () => {
  it("is defined for the model by name and JSON schema", () => {
    const { definition } = searchThreadTool(() => sources());
    expect(definition).toMatchObject({
      name: "search_thread",
      inputSchema: { type: "object", additionalProperties: false },
    });
  });

  it("finds folded messages that match the query", async () => {
    const { outcome, text, problem } = await call({ query: "needle" });
    expect({ outcome, problem }).toEqual({ outcome: "success", problem: null });
    expect(text).toContain("the needle is in barn_7");
    expect(text).not.toMatch(/sibling|child|my own/);
  });

  it("C7 finds messages of its own branch and the root, but not of sibling or child branches", async () => {
    const { text } = await call({ query: "needle" }, { branch: "right" });
    expect(text).toContain("needle of my own");
    expect(text).toContain("barn_7");
    expect(text).not.toMatch(/sibling|child/);
    expect(await call({ message_id: "s" }, { branch: "right" })).toMatchObject({ problem: "not-found" });
  });

  it("reads a whole message by id or number, page by page within the token limit", async () => {
    expect((await call({ message_id: "#1" })).text).toBe((await call({ message_id: "a" })).text);
    const whole = thread.messageAt(2);
    let read = "";
    for (let offset = 0; offset >= 0; ) {
      const { text, problem } = await call({ message_id: "a-result", offset });
      expect(problem).toBeNull();
      expect(countTokens(text)).toBeLessThanOrEqual(1_000);
      const [, next, more] = /\n\[a-result: characters \d+ to (\d+) of \d+; (call|this)/.exec(text) ?? [];
      read += text.slice(0, text.lastIndexOf("\n["));
      offset = more === "call" ? Number(next) : -1;
    }
    expect(whole?.parts[0]).toMatchObject({ result: { content: { text: read } } });
  });

  it("respects the artifact store's access control", async () => {
    const externalized = new FoldedThread();
    await externalized.externalize("of tenant a", { tenantId: "a" });
    const own = threadOf(message("m0", "user", "the needle of tenant a"), message("m1", "user", "and now?"));
    const as = (tenantId: string): Partial<SearchThreadSources> => ({
      thread: own,
      plan: externalized.plan,
      artifacts: externalized.store,
      requester: { requesterId: "agent", tenantId, permissions: [] },
    });
    expect((await call({ query: "needle" }, as("b"))).problem).toBe("no-match");
    expect((await call({ message_id: "m0" }, as("b"))).problem).toBe("not-found");
    expect((await call({ query: "needle" }, as("a"))).text).toContain("the needle of tenant a");
  });

  it.each<[string, JsonValue]>([
    ["no object", "needle"],
    ["neither query nor message", {}],
    ["a blank query", { query: "  " }],
    ["a page of nothing", { query: "needle", page: 0 }],
    ["a page in words", { query: "needle", page: "two" }],
    ["a negative offset", { message_id: "a", offset: -1 }],
    ["a number as message", { message_id: 3 }],
  ])("answers %s with the problem invalid-input", async (_, input) => {
    expect(await call(input)).toMatchObject({ outcome: "failure", problem: "invalid-input" });
  });

  it.each([
    ["a lone surrogate", "\ud800", "\ufffd"],
    ["a pair that would be split", `${"m".repeat(99)}\u{1f600}`, `${"m".repeat(99)}\ufffd …`],
    ["a megabyte", "m".repeat(1_000_000), `${"m".repeat(100)} …`],
  ])("names a message it does not find in short, well-formed text: %s", async (_, message_id, named) => {
    expect(await call({ message_id })).toEqual({
      outcome: "failure",
      problem: "not-found",
      text: `There is no message ${named} that you may read.`,
    });
  });

  it("C6 answers a huge page, an unknown message or an offset beyond the end with a typed problem", async () => {
    expect(await call({ query: "needle", page: Number.MAX_SAFE_INTEGER })).toMatchObject({ problem: "no-match" });
    expect(await call({ message_id: "nobody" })).toMatchObject({ problem: "not-found" });
    expect(await call({ message_id: "#999999999999999" })).toMatchObject({ problem: "not-found" });
    expect(await call({ message_id: "u", offset: 10_000 })).toMatchObject({ problem: "not-found" });
  });
});
