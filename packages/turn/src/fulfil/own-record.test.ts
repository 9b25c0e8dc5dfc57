import { actionOf, asArtifactId, asMessageId, planRecords } from "@threadfold/core";
import { message } from "@threadfold/core/laws";
import type { CompactionProposal, CompactionStrategy, OwnRecord, StrategyExecution } from "@threadfold/strategies";
import { describe, expect, it } from "vitest";
import { answers, artifactsThat, calls, fold, threadOf } from "../testing/fold-case.ts";
import { runFold } from "../testing/run-fold.ts";

const thread = threadOf(
  message("a0", "assistant", "Let us see."),
  calls("c", "x", "order"),
  answers("r", "x", "order", `price 12 ${"x".repeat(4_000)}`, { keyFields: { order_id: "ORD-7" } }),
);

/** A strategy that proposes one action for one message or a run of them, and makes the record itself. */
const making = (
  action: CompactionProposal["action"],
  ids: readonly string[],
  execute: (execution: StrategyExecution) => Promise<OwnRecord | null>,
): CompactionStrategy => ({
  name: "own",
  aggressiveness: 0,
  analyze: ({ shape }) => {
    const ordinals = ids.map((id) => shape.headerOf(asMessageId(id))?.ordinal ?? -1);
    const base = { strategy: "own", ordinals, estimatedTokensFreed: 1_000, reason: "a test" };
    if (action === "clear") return [{ ...base, action, targets: ["tool-result"] }];
    return [action === "summarize" ? { ...base, action, absorbs: [] } : { ...base, action }];
  },
  execute: (_proposal, execution) => execute(execution),
});

async function foldedBy(strategy: CompactionStrategy, artifacts = artifactsThat()) {
  const result = await fold(thread, { ladder: [strategy], artifacts });
  return { result, records: result.type === "ready" ? planRecords(result.plan) : [], artifacts };
}

describe("a strategy that makes its own records", () => {
  it("spec-105 spec-112 can store its own text and point to it from a span", async () => {
    const strategy = making("externalize", ["c", "r"], async ({ messages, store }) => ({
      action: "externalize",
      form: "span",
      artifactId: await store(`Orders: ${messages.length} messages`),
      rehydrateHint: "the orders",
    }));
    const { records, artifacts } = await foldedBy(strategy);
    expect(records).toMatchObject([
      { action: "externalize", form: "span", rehydrateHint: "the orders", span: { messageIds: ["c", "r"] } },
    ]);
    const [record] = records;
    expect(record?.action === "externalize" && artifacts.contents.get(record.artifactId)).toBe("Orders: 2 messages");
  });

  it("can set a placeholder's fields, but cannot override those that a tool declared", async () => {
    const { records } = await foldedBy(
      making("clear", ["r"], async () => ({ action: "clear", preservedFields: { price: 12, order_id: "other" } })),
    );
    expect(records).toMatchObject([{ action: "clear", preservedFields: { price: 12, order_id: "ORD-7" } }]);
  });

  it("spec-112 can write a summary by changes, which also holds the tool's declared fields", async () => {
    const { records } = await foldedBy(
      making("summarize", ["a0", "c", "r"], async ({ span }) => ({
        action: "summarize",
        changes: [{ op: "add", section: "facts", item: { text: "The price is 12.", sources: span.messageIds } }],
      })),
    );
    const [record] = records;
    if (record?.action !== "summarize") throw new Error("no summary");
    expect(record.summarizer).toBe("own");
    expect(record.summary.facts.map(({ text }) => text)).toEqual(["The price is 12."]);
    expect(record.summary.toolOutcomes).toMatchObject([{ keyFields: { order_id: "ORD-7" }, declared: true }]);
  });

  it("can set the keywords of a drop, and drops nothing if it returns null", async () => {
    const dropped = await foldedBy(making("drop", ["a0"], async () => ({ action: "drop", keywords: ["greeting"] })));
    expect(dropped.records).toMatchObject([{ action: "drop", keywords: ["greeting"] }]);
    const { result } = await foldedBy(making("drop", ["a0"], async () => null));
    expect(result.type === "ready" && actionOf(result.plan, asMessageId("a0")).record?.strategy === "own").toBe(false);
  });

  it("gets up to twelve distinct first words as keywords of a drop without execute", async () => {
    const { execute: _execute, ...dropping } = making("drop", ["a0", "a1"], async () => null);
    const keywords = async (first: string, second = "Done.") => {
      const [one, other] = [first, second].map((text) => `${text}${" a".repeat(400)}`) as [string, string];
      const said = threadOf(message("a0", "assistant", one), message("a1", "assistant", other));
      const result = await fold(said, { ladder: [dropping] });
      return result.type === "ready" ? result.plan.drops.flatMap((drop) => drop.keywords) : result.type;
    };
    expect(await keywords("A short word, longer ones: branch src/io.ts x_1234 branch.")).toEqual([
      ...["longer", "branch", "src/io.ts", "x_1234", "branch."],
    ]);
    expect(await keywords("hello world", "another message")).toEqual(["another", "message"]);
    const many = Array.from({ length: 14 }, (_, index) => `number${index}x`);
    expect(await keywords(many.join(" "))).toEqual(many.slice(0, 12));
    // No more of a message than its beginning is looked at.
    expect(await keywords(`${"a ".repeat(297)}abcdef behind`)).toEqual(["abcdef"]);
    expect(await keywords(`${"a ".repeat(298)}abcdef behind`, "another")).toEqual(["another"]);
  });

  it.each([
    ["throws", async () => Promise.reject(new Error("no"))],
    ["returns a record of another action", async (): Promise<OwnRecord> => ({ action: "drop", keywords: [] })],
    [
      "points to an artifact that was never stored",
      async (): Promise<OwnRecord> => ({
        action: "externalize",
        artifactId: asArtifactId(`artifact_${"0".repeat(24)}`),
      }),
    ],
  ])("gets the standard record, with a reported change, if it %s", async (_what, execute) => {
    const { result, records } = await foldedBy(making("externalize", ["r"], execute));
    expect(records).toMatchObject([{ action: "externalize", form: "body", strategy: "own" }]);
    expect(result.type === "ready" && result.changes).toMatchObject([
      { rule: "own-record", problem: expect.stringContaining("strategy own made no record"), messageIds: ["r"] },
    ]);
  });

  it("is given up after the time limit, hears that by its signal, and is asked no more in the fold", async () => {
    const signals: (AbortSignal | undefined)[] = [];
    const silent = making("externalize", ["c", "r"], ({ signal }) => {
      signals.push(signal);
      return new Promise(() => undefined);
    });
    const eachAlone: CompactionStrategy = {
      ...silent,
      analyze: (context) =>
        silent.analyze(context).flatMap((made) => made.ordinals.map((ordinal) => ({ ...made, ordinals: [ordinal] }))),
    };
    const result = await runFold(thread, {
      config: { maxInputTokens: 2_000, targetPercent: 0.02, preserveRecentTurns: 0 },
      input: { summaryTimeLimitMs: 20 },
      ports: { ladder: [eachAlone], artifacts: artifactsThat() },
    }).result;
    expect(signals.map((signal) => signal?.aborted)).toEqual([true]);
    expect(result.type === "ready" && planRecords(result.plan).map(({ strategy }) => strategy)).toContain("own");
    const problem = expect.stringMatching(/^strategy own made no record \(TIMED_OUT: .*the strategy own within 20 ms/);
    expect(result.type === "ready" && result.changes).toContainEqual(
      expect.objectContaining({ rule: "own-record", problem }),
    );
  });

  it("ends as aborted when the signal fires while it never answers", async () => {
    const controller = new AbortController();
    const strategy = making("externalize", ["r"], () => {
      controller.abort();
      return new Promise(() => undefined);
    });
    expect((await fold(thread, { ladder: [strategy] }, {}, controller.signal)).type).toBe("aborted");
  });

  it("ends as aborted when the signal fires while it makes a record", async () => {
    const controller = new AbortController();
    const strategy = making("externalize", ["r"], async ({ signal }) => {
      controller.abort();
      throw signal?.aborted === true ? signal.reason : new Error("no");
    });
    expect((await fold(thread, { ladder: [strategy] }, {}, controller.signal)).type).toBe("aborted");
  });
});
