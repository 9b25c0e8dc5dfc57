import assert from "node:assert/strict";
import { asArtifactId, asMessageId, type MessageId, type SpanReference } from "@threadfold/core";
import { brokenLaws } from "@threadfold/core/laws";
import { describe, expect, it } from "vitest";
import { dropStrategy } from "../ladder/drop-strategy.ts";
import { externalizeStrategy } from "../ladder/externalize-strategy.ts";
import { summarizeStrategy } from "../ladder/summarize-strategy.ts";
import type { CompactionProposal, CompactionStrategy, StrategyContext } from "../strategy/compaction-strategy.ts";
import { pruneStrategy } from "../windows/prune-strategy.ts";
import { strategyLaws } from "./strategy-laws.ts";

/** The laws that a strategy breaks. */
const broken = async (strategy: CompactionStrategy, times = 150): Promise<readonly string[]> =>
  (await brokenLaws(strategyLaws(strategy, { times }))).map(({ name }) => name);

const like = (analyze: CompactionStrategy["analyze"]): CompactionStrategy => ({ ...dropStrategy, analyze });

describe("the laws of strategies", () => {
  it("hold for one that comes with the house", async () => {
    expect(await broken(dropStrategy)).toEqual([]);
  });

  it("are broken by one that does nothing", async () => {
    expect(await broken(like(() => []))).toEqual(["folds something, somewhere"]);
  });

  it("are broken by one that promises what is not there", async () => {
    const boasts = like((context) =>
      dropStrategy.analyze(context).map((proposal) => ({ ...proposal, estimatedTokensFreed: 1e9 })),
    );
    expect(await broken(boasts)).toEqual(["frees no more than its messages take, by its own account"]);
  });

  it("are broken by one that drops what is gone already", async () => {
    const again = like(({ foldable }) =>
      foldable.slice(0, 1).map(({ ordinals }) => ({
        ...({ action: "drop", strategy: "drop", ordinals, reason: "once more" } as const),
        estimatedTokensFreed: 1,
      })),
    );
    expect(await broken(again)).toEqual(["frees no more than its messages take, by its own account"]);
  });

  it("are broken by one that writes into what it was given", async () => {
    const takes = like((context) => {
      const proposals = dropStrategy.analyze(context);
      (context.foldable as unknown[]).pop();
      return proposals;
    });
    expect(await broken(takes)).toContain("changes nothing of what it is given");
  });

  it("are broken by one that tears groups apart, and by one that is not the same twice", async () => {
    const torn = like((context) =>
      dropStrategy.analyze(context).map((proposal) => ({ ...proposal, ordinals: proposal.ordinals.slice(0, 1) })),
    );
    expect(await broken(torn)).toContain("takes out whole groups or keeps every message in its place");
    let calls = 0;
    const moody = like((context) => dropStrategy.analyze(context).slice(0, ++calls % 2 === 0 ? 1 : 0));
    expect(await broken(moody)).toContain("is deterministic");
  });

  it.each<[string, Partial<CompactionStrategy>, string]>([
    [
      "empties again what an earlier fold emptied",
      { name: "again", keepsMessages: true, analyze: againEmptied },
      "frees no more than its messages take, by its own account",
    ],
    [
      "counts its own share of what is needed, which may be everything",
      like((context) =>
        dropStrategy.analyze(context).map((one) => {
          const share = Math.min(1, context.needed / (context.needed + one.estimatedTokensFreed));
          return { ...one, estimatedTokensFreed: share * one.estimatedTokensFreed };
        }),
      ),
      "proposes no message twice, ascending within a proposal, and says why",
    ],
    [
      "takes it that there are always characters to truncate to",
      like((context) =>
        dropStrategy.analyze(context).map((one) => ({
          ...one,
          estimatedTokensFreed: one.estimatedTokensFreed - 0 * (context.truncateTo as number),
        })),
      ),
      "proposes no message twice, ascending within a proposal, and says why",
    ],
    [
      "empties messages beside the ones that it was given of a group",
      { name: "beside", keepsMessages: true, analyze: besideTheGiven },
      "proposes only messages that may be folded",
    ],
  ])("are broken by one that %s", async (_, wrong, law) => {
    expect(await broken({ ...dropStrategy, ...wrong }, 300)).toContain(law);
  });

  it.each<[string, CompactionStrategy["execute"] & object, RegExp]>([
    ["of another action", async () => ({ action: "summarize", changes: [] }), /^its record says summarize/],
    ["that is none", async () => "done" as never, /^its record says undefined/],
    [
      "with words that are none",
      async () => ({ action: "drop", keywords: [7] as never }),
      /^its record names no keywords/,
    ],
    ["by throwing", () => Promise.reject(new RangeError("no")), /^RangeError: no/],
  ])("are broken by one that makes a record %s", async (_, execute, problem) => {
    const found = await brokenLaws(strategyLaws({ ...dropStrategy, execute }, { times: 40 }));
    expect(found).toEqual([{ name: MAKES_RECORDS, problem: expect.stringMatching(problem) }]);
  });

  it.each<[string, CompactionStrategy, CompactionStrategy["execute"] & object, RegExp]>([
    [
      "points to what it did not store",
      externalizeStrategy,
      async () => ({ action: "externalize", artifactId: asArtifactId("artifact_0123456789abcdef01234567") }),
      /^its record points to an artifact that was not stored for it/,
    ],
    [
      "stands for a span without an artifact",
      externalizeStrategy,
      async () => ({ action: "externalize", form: "span" }),
      /^its record points to an artifact that was not stored for it/,
    ],
    [
      "takes it that its proposal is as it made it",
      pruning,
      async ({ action }) => (action === "clear" ? { action, preservedFields: {} } : assert.fail(`asked to ${action}`)),
      /^asked to externalize/,
    ],
  ])("are broken by one that moves bodies and %s", async (_, strategy, execute, problem) => {
    const found = await brokenLaws(strategyLaws({ ...strategy, execute }));
    expect(found).toEqual([{ name: MAKES_RECORDS, problem: expect.stringMatching(problem) }]);
  });

  it("are broken by one whose summary cites messages that it does not stand for, and hold for one that does", async () => {
    const summing = (sourceOf: (span: SpanReference) => MessageId): CompactionStrategy => ({
      ...summarizeStrategy,
      execute: async ({ action }, { span }) =>
        action === "summarize"
          ? {
              action,
              changes: [{ op: "add", section: "facts", item: { text: "It is so.", sources: [sourceOf(span)] } }],
            }
          : null,
    });
    expect(
      await broken(
        summing(({ messageIds }) => messageIds[0] as MessageId),
        60,
      ),
    ).toEqual([]);
    expect(
      await broken(
        summing(() => asMessageId("elsewhere")),
        60,
      ),
    ).toEqual([MAKES_RECORDS]);
  });

  it("hold for one that makes sound records, or none", async () => {
    const execute: CompactionStrategy["execute"] = async ({ action }, { messages, store }) => {
      if (messages.length > 3) return null;
      switch (action) {
        case "externalize":
          return { action, artifactId: await store(messages.map(({ id }) => id).join()) };
        case "clear":
          return { action, preservedFields: { messages: messages.length } };
        case "summarize":
          return { action, changes: [] };
        case "drop":
          return { action, keywords: messages.map(({ role }) => role) };
      }
    };
    for (const strategy of [dropStrategy, pruning, externalizeStrategy])
      expect(await broken({ ...strategy, execute }, 60)).toEqual([]);
  });

  it.each<[string, Partial<CompactionStrategy>, RegExp]>([
    ["a name", { name: "" }, /^it has no name/],
    ["a name that is text", { name: undefined as never }, /^it has no name/],
    [
      "a reason that is text",
      like((context) => proposing(context, { reason: undefined })),
      /^a proposal has no reason/,
    ],
    [
      "lengths for what it keeps",
      like((context) =>
        proposing(context, { action: "clear", targets: ["text"], keep: { headCharacters: -1, tailCharacters: 0 } }),
      ),
      /^it keeps -1 and 0 characters/,
    ],
    [
      "an order of what a summary gathers",
      like((context) =>
        context.shape.length < 2 ? [] : summarizing(context, { absorbs: [], gathers: [1, 0] }).slice(0, 1),
      ),
      /^gathers names 1, 0 in this order/,
    ],
    [
      "other messages to read than those that it stands for",
      like((context) =>
        dropStrategy
          .analyze(context)
          .map((one) => ({ ...one, action: "summarize", absorbs: [], overlap: one.ordinals.slice(0, 1) }) as const),
      ),
      /^overlap names message \d+, which the summary stands for/,
    ],
    [
      "summaries that are there to absorb",
      like((context) => summarizing(context, { absorbs: [{ action: "summarize", reason: "from elsewhere" }] })),
      /^it absorbs a summary that holds none of its messages/,
    ],
    ["a place in a ladder", { aggressiveness: Number.NaN }, /^its aggressiveness is NaN/],
    [
      "an action that there is",
      like((context) => dropStrategy.analyze(context).map((one) => ({ ...one, action: "hide" }) as never)),
      /^there is no action hide/,
    ],
    [
      "its own name",
      like((context) => dropStrategy.analyze(context).map((one) => ({ ...one, strategy: "somebody's" }))),
      /^a proposal of drop says that it is somebody's/,
    ],
    ["what to clear", like((context) => clearing(context, [])), /^it clears nothing of a message/],
    ["what can be cleared", like((context) => clearing(context, ["all"])), /^there is no target all/],
    ["what a summary absorbs", like((context) => summarizing(context, {})), /^a summary does not say what it absorbs/],
    [
      "messages that a summary may read",
      like((context) => summarizing(context, { absorbs: [], overlap: [99_999] })),
      /^overlap names message 99999, which the thread does not have/,
    ],
    [
      "messages that a summary gathers",
      like((context) => summarizing(context, { absorbs: [], gathers: [99_998, -1] })),
      /^gathers names message 99998, which the thread does not have/,
    ],
  ])("are broken by one without %s", async (_, wrong, problem) => {
    const found = await brokenLaws(strategyLaws({ ...dropStrategy, ...wrong }, { times: 40 }));
    expect(found.map((one) => one.problem)).toContainEqual(expect.stringMatching(problem));
  });
});

const MAKES_RECORDS = "makes records of its proposals, or none";
const pruning = pruneStrategy({ protectTokens: 0, minimumTokens: 0 });

/** Empties every large result, whatever holds it. */
const againEmptied: CompactionStrategy["analyze"] = ({ foldable, shape, heldBy }) =>
  foldable
    .flatMap(({ ordinals }) => ordinals)
    .filter((ordinal) => heldBy(ordinal)?.action !== "drop" && shape.header(ordinal).shares.toolResult > 100)
    .map((ordinal) => ({
      ...({ action: "clear", strategy: "again", targets: ["tool-result"], reason: "It is long." } as const),
      ordinals: [ordinal],
      estimatedTokensFreed: shape.header(ordinal).shares.toolResult - 40,
    }));

/** Empties what is large in the groups that it was given a message of. */
const besideTheGiven: CompactionStrategy["analyze"] = ({ foldable, shape, heldBy }) =>
  foldable
    .flatMap(({ ordinals: [first] }) => shape.groupOf(first as number).ordinals)
    .filter((ordinal) => heldBy(ordinal) === undefined && shape.header(ordinal).tokens > 1)
    .map((ordinal) => ({
      ...({ action: "clear", strategy: "beside", targets: ["tool-result"], reason: "It is long." } as const),
      ordinals: [ordinal],
      estimatedTokensFreed: 1,
    }));

/** What the drop strategy proposes, as something else and without what that needs. */
const proposing = (context: StrategyContext, fields: object): readonly CompactionProposal[] =>
  dropStrategy.analyze(context).map((one) => ({ ...one, ...fields }) as CompactionProposal);
const clearing = (context: StrategyContext, targets: readonly string[]) =>
  proposing(context, { action: "clear", targets });
const summarizing = (context: StrategyContext, fields: object) =>
  proposing(context, { action: "summarize", ...fields });
