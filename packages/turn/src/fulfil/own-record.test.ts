import { actionOf, asArtifactId, asMessageId, planRecords } from "@threadfold/core";
import { message } from "@threadfold/core/laws";
import type { CompactionProposal, CompactionStrategy, OwnRecord, StrategyExecution } from "@threadfold/strategies";
import { describe, expect, it } from "vitest";
import { answers, artifactsThat, calls, fold, threadOf } from "../testing/fold-case.ts";

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
  it("spec-105 spec-112 stores a text of its own and points to it from a span", async () => {
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

  it("says what a placeholder shows, and cannot take away what a tool declared", async () => {
    const { records } = await foldedBy(
      making("clear", ["r"], async () => ({ action: "clear", preservedFields: { price: 12, order_id: "other" } })),
    );
    expect(records).toMatchObject([{ action: "clear", preservedFields: { price: 12, order_id: "ORD-7" } }]);
  });

  it("spec-112 writes a summary by its changes, in which stands what code owes", async () => {
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

  it("notes keywords of a drop, and leaves alone what it gives no record of", async () => {
    const dropped = await foldedBy(making("drop", ["a0"], async () => ({ action: "drop", keywords: ["greeting"] })));
    expect(dropped.records).toMatchObject([{ action: "drop", keywords: ["greeting"] }]);
    const { result } = await foldedBy(making("drop", ["a0"], async () => null));
    expect(result.type === "ready" && actionOf(result.plan, asMessageId("a0")).record?.strategy === "own").toBe(false);
  });

  it("has the first words of a drop as keywords where it makes no record, each once and twelve at the most", async () => {
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
    ["makes another record than it proposed", async (): Promise<OwnRecord> => ({ action: "drop", keywords: [] })],
    [
      "points to what nobody stored",
      async (): Promise<OwnRecord> => ({
        action: "externalize",
        artifactId: asArtifactId(`artifact_${"0".repeat(24)}`),
      }),
    ],
  ])("one that %s gets the record of code, and that is told", async (_what, execute) => {
    const { result, records } = await foldedBy(making("externalize", ["r"], execute));
    expect(records).toMatchObject([{ action: "externalize", form: "body", strategy: "own" }]);
    expect(result.type === "ready" && result.changes).toMatchObject([
      { rule: "own-record", problem: expect.stringContaining("strategy own made no record"), messageIds: ["r"] },
    ]);
  });

  it("is ended by the signal and by nothing else", async () => {
    const controller = new AbortController();
    const strategy = making("externalize", ["r"], async ({ signal }) => {
      controller.abort();
      throw signal?.aborted === true ? signal.reason : new Error("no");
    });
    expect((await fold(thread, { ladder: [strategy] }, {}, controller.signal)).type).toBe("aborted");
  });
});
