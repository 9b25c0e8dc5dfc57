import {
  AgentThread,
  applySummaryChanges,
  asMessageId,
  asThreadId,
  canonicalJson,
  type StructuredSummary,
  type SummarizeRequest,
  type SummarizeResult,
  type Summarizer,
  spanOf,
} from "@threadfold/core";
import { agentThreads, brokenLaws, structuredSummaries } from "@threadfold/core/laws";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ExtractiveSummarizer } from "../extractive/extractive-summarizer.ts";
import { summarizerLaws } from "../laws/summarizer-laws.ts";
import { type CachedSummarizer, cachedSummarizer } from "./cached-summarizer.ts";
import { summaryCacheKey } from "./summary-cache-key.ts";

const SCOPE = { tenantId: "tenant", policyVersion: "v1" };
const countTokens = (text: string): number => Math.ceil(text.length / 4);
const extractive = new ExtractiveSummarizer();

/** Counts how often it is asked. */
class Counting implements Summarizer {
  readonly id = "counting-v1";
  calls = 0;
  async summarize(request: SummarizeRequest): Promise<SummarizeResult> {
    this.calls++;
    return extractive.summarize(request);
  }
}

/** The same conversation in a thread of its own: other ids, later turns. */
function conversation(prefix: string, turnsBefore = 0): SummarizeRequest {
  const filler = Array.from({ length: turnsBefore }, (_, index) =>
    text(`${prefix}-before-${index}`, "user", "earlier talk"),
  );
  const thread = AgentThread.empty(asThreadId(prefix)).append([
    ...filler,
    text(`${prefix}-1`, "user", "Fix src/parser.ts. Never touch config/production.yaml."),
    text(`${prefix}-2`, "assistant", "I decided to use a table instead of a switch in parseHeader_v2."),
    text(`${prefix}-3`, "user", "Now update the README."),
  ]);
  const messages = thread.messagesBetween(turnsBefore);
  return { span: spanOf(messages), messages, previous: null, pins: [], maxTokens: 800, countTokens };
}

/** A summary that holds a rule, of an earlier part of another conversation. */
async function summaryOfOther(): Promise<StructuredSummary> {
  const { span } = conversation("earlier");
  const item = { text: "Never push to main.", sources: span.messageIds.slice(0, 1) };
  return applySummaryChanges(null, span, [{ op: "add", section: "constraints", item }]).summary;
}

const text = (id: string, role: "user" | "assistant", content: string) =>
  ({
    id: asMessageId(id),
    role,
    parts: [{ type: "text", text: content }],
    createdAt: "2025-01-01T00:00:00.000Z",
  }) as const;

describe("the summary cache", () => {
  it("summarizes the same content once, and a hit carries the ids and turns of the requesting thread", async () => {
    const inner = new Counting();
    const cached = cachedSummarizer(inner, SCOPE);
    await cached.summarize(conversation("a", 3));
    const there = conversation("b", 7);
    const hit = await cached.summarize(there);
    expect(inner.calls).toBe(1);
    expect(hit.changes).toEqual((await extractive.summarize(there)).changes);
    const { summary } = applySummaryChanges(null, there.span, hit.changes);
    expect(summary.decisions[0]?.turn).toBe(8);
    expect(JSON.stringify(hit)).not.toContain('"a-');
  });

  it("returns on a hit what the summarizer itself would return, for any span and previous summary", async () => {
    const requests = agentThreads({ malformed: true, maxMessages: 10 })
      .filter((thread) => thread.length > 0)
      .chain((thread) => {
        const messages = [...thread.messages];
        return fc.record({
          messages: fc.constant(messages),
          previous: fc.option(structuredSummaries(spanOf(messages))),
        });
      })
      .map(
        (request): SummarizeRequest => ({
          ...request,
          span: spanOf(request.messages),
          pins: [],
          maxTokens: 600,
          countTokens,
        }),
      );
    await fc.assert(
      fc.asyncProperty(requests, async (request) => {
        const cached = cachedSummarizer(extractive, SCOPE);
        const fresh = await cached.summarize(request);
        const hit = await cached.summarize(request);
        expect(canonicalJson(hit.changes)).toBe(canonicalJson(fresh.changes));
        const isKept = fresh.changes.length > 0 || fresh.nothingToSay === true;
        expect(cached.statistics).toEqual(
          isKept ? { hits: 1, misses: 1, rejected: 0 } : { hits: 0, misses: 2, rejected: 0 },
        );
      }),
      { numRuns: 100 },
    );
  });

  it("keeps the summarizer laws", async () => {
    const laws = summarizerLaws(cachedSummarizer(extractive, SCOPE));
    expect(await brokenLaws(laws)).toEqual([]);
  });

  it("runs the summarizer once for concurrent identical requests", async () => {
    const inner = new Counting();
    const cached = cachedSummarizer(inner, SCOPE);
    await Promise.all(Array.from({ length: 20 }, () => cached.summarize(conversation("same"))));
    expect(inner.calls).toBe(1);
  });

  it("lets one caller abort without affecting the others", async () => {
    const release = Promise.withResolvers<void>();
    const slow: Summarizer = {
      id: "slow",
      summarize: async (request) => (await release.promise, extractive.summarize(request)),
    };
    const cached = cachedSummarizer(slow, SCOPE);
    const controller = new AbortController();
    const first = cached.summarize({ ...conversation("c"), signal: controller.signal });
    const second = cached.summarize(conversation("c"));
    controller.abort();
    await expect(first).rejects.toMatchObject({ code: "ABORTED" });
    release.resolve();
    expect((await second).changes.length).toBeGreaterThan(0);
  });

  it("aborts the work when the last caller has aborted", async () => {
    let aborted = 0;
    const begun = Promise.withResolvers<void>();
    const patient: Summarizer = {
      id: "patient",
      summarize: ({ signal }) => {
        begun.resolve();
        return new Promise((_, reject) =>
          signal?.addEventListener("abort", () => (aborted++, reject(new Error("stopped")))),
        );
      },
    };
    const cached = cachedSummarizer(patient, SCOPE);
    const controller = new AbortController();
    const asked = cached.summarize({ ...conversation("d"), signal: controller.signal });
    await begun.promise;
    controller.abort();
    await expect(asked).rejects.toMatchObject({ code: "ABORTED" });
    expect(aborted).toBe(1);
  });

  it("passes a failure on and does not cache it", async () => {
    let calls = 0;
    const flaky: Summarizer = {
      id: "flaky",
      summarize: async (request) => (calls++ === 0 ? Promise.reject(new Error("down")) : extractive.summarize(request)),
    };
    const cached = cachedSummarizer(flaky, SCOPE);
    await expect(cached.summarize(conversation("e"))).rejects.toThrow("down");
    expect((await cached.summarize(conversation("e"))).changes.length).toBeGreaterThan(0);
  });

  it.each([
    ["tenants", { tenantId: "other" }, {}],
    ["policies", { policyVersion: "v2" }, {}],
    ["summarizers", { summarizer: "other" }, {}],
    ["models", { identity: { model: "other", promptVersion: "1" } }, {}],
    ["prompt versions", { identity: { model: "m", promptVersion: "2" } }, {}],
    ["limits", {}, { maxTokens: 801 }],
    ["instructions", {}, { instructions: "look at dates" }],
    ["overlaps", {}, { overlap: conversation("z").messages.slice(0, 1) }],
    ["token counters", {}, { countTokens: (value: string) => value.length }],
  ])("spec-97 uses different keys for different %s", (_, scope, change) => {
    const own = { ...SCOPE, summarizer: "s", identity: { model: "m", promptVersion: "1" } };
    expect(summaryCacheKey({ ...conversation("a"), ...change }, { ...own, ...scope })).not.toBe(
      summaryCacheKey(conversation("a"), own),
    );
  });

  it("spec-98 uses different keys for values that look alike when joined", () => {
    const key = (tenantId: string, policyVersion: string): string =>
      summaryCacheKey(conversation("a"), { tenantId, policyVersion, summarizer: "s" });
    expect(key("a:b", "c")).not.toBe(key("a", "b:c"));
  });
});

describe("a summary cache with a store", () => {
  const stored = async (): Promise<{
    readonly entries: Map<string, string>;
    readonly key: string;
    readonly entry: string;
  }> => {
    const entries = new Map<string, string>();
    await cachedSummarizer(new Counting(), { ...SCOPE, store: storeOf(entries) }).summarize(conversation("a"));
    const [key, entry] = [...entries][0] as [string, string];
    return { entries, key, entry };
  };
  const storeOf = (entries: Map<string, string>) => ({
    get: async (key: string) => entries.get(key) ?? null,
    set: async (key: string, entry: string) => void entries.set(key, entry),
  });

  it("reuses an entry that another instance stored", async () => {
    const { entries } = await stored();
    const inner = new Counting();
    await cachedSummarizer(inner, { ...SCOPE, store: storeOf(entries) }).summarize(conversation("b"));
    expect(inner.calls).toBe(0);
  });

  it.each([
    ["is cut off", (entry: string) => entry.slice(0, -5)],
    ["is empty", () => ""],
    ["has a changed word", (entry: string) => entry.replace("production", "staging")],
    ["has another shape under a right digest", () => "not an entry"],
  ])("rejects and rewrites an entry that %s", async (_, garble) => {
    const { entries, key, entry } = await stored();
    entries.set(key, garble(entry));
    const inner = new Counting();
    const cached: CachedSummarizer = cachedSummarizer(inner, { ...SCOPE, store: storeOf(entries) });
    const result = await cached.summarize(conversation("b"));
    expect(inner.calls).toBe(1);
    expect(cached.statistics.rejected).toBe(1);
    expect(result.changes).toEqual((await extractive.summarize(conversation("b"))).changes);
    expect(entries.get(key)).toBe(entry);
  });

  it("rejects and rewrites an entry that was moved to another key", async () => {
    const { entries, entry } = await stored();
    const other = { ...conversation("b"), maxTokens: 700 };
    const inner = new Counting();
    entries.set(summaryCacheKey(other, { ...SCOPE, summarizer: inner.id }), entry);
    await cachedSummarizer(inner, { ...SCOPE, store: storeOf(entries) }).summarize(other);
    expect(inner.calls).toBe(1);
  });

  it("rejects and rewrites an entry written without the secret", async () => {
    const entries = new Map<string, string>();
    const options = { ...SCOPE, store: storeOf(entries), secret: "s3cret" };
    const forged = await stored();
    entries.set(forged.key, forged.entry);
    const inner = new Counting();
    const cached = cachedSummarizer(inner, options);
    await cached.summarize(conversation("b"));
    expect(cached.statistics).toEqual({ hits: 0, misses: 0, rejected: 1 });
    const again = cachedSummarizer(inner, options);
    await again.summarize(conversation("c"));
    expect(again.statistics.hits).toBe(1);
    expect(inner.calls).toBe(1);
  });

  it("rejects a well-formed, sealed entry that would remove a rule", async () => {
    const entries = new Map<string, string>();
    const request = { ...conversation("b"), previous: await summaryOfOther() };
    expect(request.previous.constraints).not.toEqual([]);
    const poison: Summarizer = {
      id: "counting-v1",
      summarize: async () => ({
        changes: [
          { op: "resolve", section: "constraints", itemId: request.previous.constraints[0]?.id ?? "", reason: "" },
        ],
      }),
    };
    await cachedSummarizer(poison, { ...SCOPE, store: storeOf(entries) }).summarize(request);
    const inner = new Counting();
    const cached = cachedSummarizer(inner, { ...SCOPE, store: storeOf(entries) });
    await cached.summarize(request);
    expect(inner.calls).toBe(1);
    expect(cached.statistics.rejected).toBe(1);
  });

  it.each([Buffer.from("entry"), 7, true, { entry: "x" }, ["entry"], Symbol("entry")])(
    "rejects and rewrites what a store returns that is not text: %s",
    async (found) => {
      const inner = new Counting();
      const written: string[] = [];
      const store = {
        get: async () => found as never,
        set: async (_: string, entry: string) => void written.push(entry),
      };
      const cache = cachedSummarizer(inner, { ...SCOPE, store });
      const { changes } = await cache.summarize(conversation("a"));
      expect(changes).not.toEqual([]);
      expect(cache.statistics).toEqual({ hits: 0, misses: 0, rejected: 1 });
      expect([inner.calls, written.length]).toEqual([1, 1]);
      await cache.summarize(conversation("b"));
      expect(cache.statistics.hits).toBe(1);
    },
  );

  it("still summarizes when its store fails", async () => {
    const broken = {
      get: async () => Promise.reject(new Error("down")),
      set: async () => Promise.reject(new Error("down")),
    };
    const result = await cachedSummarizer(extractive, { ...SCOPE, store: broken }).summarize(conversation("a"));
    expect(result.changes.length).toBeGreaterThan(0);
  });

  it("treats a store that does not answer within storeTimeLimitMs as empty", async () => {
    const never = (): Promise<never> => new Promise(() => undefined);
    const store = { get: never, set: never };
    const cached = cachedSummarizer(new Counting(), { ...SCOPE, store, storeTimeLimitMs: 20 });
    const { changes } = await cached.summarize(conversation("a"));
    expect([changes.length > 0, cached.statistics.misses]).toEqual([true, 1]);
    expect(() => cachedSummarizer(new Counting(), { ...SCOPE, store, storeTimeLimitMs: 0 })).toThrow(
      /storeTimeLimitMs/,
    );
  });
});
