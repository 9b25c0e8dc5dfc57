import {
  type AgentThread,
  asMessageId,
  asPinId,
  type CompactionPlan,
  type DropRecord,
  emptyPlan,
  type LegalityViolation,
  type PlanVerification,
  planRecords,
  renderSummary,
  sealPlan,
  spanOf,
  tokenBudget,
} from "@threadfold/core";
import { agentThreads, countingTokenizer, runs } from "@threadfold/core/laws";
import { scriptMessages, scriptThread, shownIn } from "@threadfold/strategies/laws";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { RequestRenderer } from "../measure/request-renderer.ts";
import { foldedPlan, runFold } from "../testing/run-fold.ts";
import { plansThat, turnOf } from "../testing/turn-case.ts";
import { compactionResult } from "./compaction-result.ts";
import { loggedRecords } from "./logged-compaction.ts";
import { revertPlan } from "./revert-plan.ts";

const thread = scriptThread("u1 a1 u2 a2 u3 a3", 250);
const NOW = Date.parse("2026-01-02T03:04:05.000Z");

function dropOf(of: AgentThread, ids: readonly string[]): DropRecord {
  return {
    ...{ action: "drop", span: spanOf([...of.messages].filter(({ id }) => ids.includes(id))), strategy: "drop" },
    ...{ reason: "to make room", sincePlanVersion: 1, originalTokens: 500, keywords: [] },
  };
}

const planOf = (version: number, ids: readonly string[], fields: Partial<CompactionPlan> = {}): CompactionPlan =>
  sealPlan({
    ...emptyPlan(thread.id, "policy"),
    version,
    drops: ids.length === 0 ? [] : [dropOf(thread, ids)],
    ...fields,
  });

/** Goes back from the newest of these plans. */
async function reverted(
  made: readonly CompactionPlan[],
  to: number,
  options: { conflicts?: boolean; renderer?: unknown } = {},
) {
  const { plans, committed } = plansThat(() => options.conflicts !== true);
  committed.push(...made);
  const { state, renderer } = turnOf(thread);
  const budget = tokenBudget(turnOf(thread).config, { systemPromptTokens: 30, toolSchemaTokens: 12 });
  const grounds = { state, renderer: (options.renderer as RequestRenderer) ?? renderer, budget, now: NOW };
  const outcome = await revertPlan(plans, made.at(-1) as CompactionPlan, to, grounds);
  return { outcome, renderer, added: committed.slice(made.length) };
}

describe("reverting to an earlier plan", () => {
  const [first, second] = [planOf(1, ["u1", "a1"]), planOf(2, ["u1", "a1", "u2", "a2"])];

  it("commits the earlier plan's records as the next version, with tokens measured now", async () => {
    const { outcome, renderer, added } = await reverted([first, second], 1);
    const [plan] = added;
    expect(planRecords(plan as CompactionPlan)).toEqual(planRecords(first));
    expect(plan).toMatchObject({
      ...{ version: 3, threadVersion: thread.version, policyVersion: "policy", createdAt: "2026-01-02T03:04:05.000Z" },
      ...{ originalTokens: 1_500 + 42, compactedTokens: renderer.measure(first) },
    });
    const tokens = { before: renderer.measure(second), after: renderer.measure(first) };
    expect(outcome).toEqual({ type: "committed", plan, tokens, floor: false });
  });

  it("restores the revealed tools and provider item of that plan, and none for version 0", async () => {
    const named = { revealedTools: [{ name: "deploy", schemaDigest: "d1" }], providerItem: asMessageId("a1") };
    const plans = [planOf(1, ["u1"], named), second];
    const back = await reverted(plans, 1);
    expect(back.added[0]).toMatchObject(named);
    for (const [made, to] of [
      [[first, second], 1],
      [[...plans, planOf(3, ["u1"], named)], 0],
    ] as const) {
      const { added } = await reverted(made, to);
      expect(added).toHaveLength(1);
      for (const name of Object.keys(named)) expect(added[0]).not.toHaveProperty(name);
    }
  });

  it("is a no-op if that plan is already in force or neither plan removes anything", async () => {
    for (const [made, to] of [
      [[first, second], 2],
      [[planOf(1, []), planOf(2, [])], 1],
      [[planOf(1, [])], 0],
    ] as const) {
      const { outcome, added } = await reverted(made, to);
      expect([outcome.type, added]).toEqual(["no-op", []]);
    }
    expect((await reverted([planOf(1, []), second], 1)).outcome.type).toBe("committed");
    expect((await reverted([first, planOf(2, [])], 1)).outcome.type).toBe("committed");
  });

  it.each([-1, 0.5, 3, Number.NaN])("throws PLAN_NOT_FOUND for version %d", async (version) => {
    await expect(reverted([first, second], version)).rejects.toThrow(
      expect.objectContaining({ code: "PLAN_NOT_FOUND", hint: expect.stringMatching(/0.*2/) }),
    );
  });

  it("says that there is no plan to go back to when there is none", async () => {
    await expect(reverted([planOf(0, [])], 1)).rejects.toThrow(
      expect.objectContaining({ code: "PLAN_NOT_FOUND", hint: expect.stringMatching(/^The thread has no plan yet/) }),
    );
  });

  it("reports a conflict and commits nothing when another writer was first", async () => {
    const { outcome, renderer, added } = await reverted([first, second], 1, { conflicts: true });
    const before = renderer.measure(second);
    expect(outcome).toEqual({ type: "conflict", currentVersion: 3, tokens: { before, after: before } });
    expect(added).toEqual([]);
  });

  const broken = (...rules: readonly string[]): readonly LegalityViolation[] =>
    rules.map((rule) => ({ rule, problem: "broken", path: "" }) as unknown as LegalityViolation);
  it.each<[string, Partial<PlanVerification>, Partial<PlanVerification>, string]>([
    ["hides a pin", { missingPins: [asPinId("p1")] }, {}, "refused"],
    ["breaks a rule", { violations: broken("order") }, {}, "refused"],
    ["breaks a rule once more", { violations: broken("order", "order") }, { violations: broken("order") }, "refused"],
    ["breaks another rule", { violations: broken("order") }, { violations: broken("pairs") }, "refused"],
    [
      "breaks a rule that is already broken",
      { violations: broken("order") },
      { violations: broken("order", "pairs") },
      "committed",
    ],
    ["breaks none of the rules that are broken now", {}, { violations: broken("order") }, "committed"],
  ])(
    "is refused only if the plan newly hides a pin or breaks more rules: one that %s",
    async (_what, then, now, type) => {
      const sound = { tokens: 9, violations: [], missingPins: [] };
      const renderer = {
        measure: () => 10,
        verify: ({ version }: CompactionPlan) => ({ ...sound, ...(version === 2 ? now : then) }),
      };
      const { outcome, added } = await reverted([first, second], 1, { renderer });
      expect([outcome.type, added.length]).toEqual([type, type === "committed" ? 1 : 0]);
      if (outcome.type === "refused") expect(outcome).toMatchObject({ ...then, tokens: { before: 10, after: 10 } });
    },
  );
});

describe("compactionResult", () => {
  const { countMessage } = countingTokenizer();

  it("lists the messages that only the newer plan removes, and the tokens saved", async () => {
    await fc.assert(
      fc.asyncProperty(
        agentThreads({ malformed: true, maxMessages: 20 }),
        fc.integer({ min: 60, max: 600 }),
        async (any, room) => {
          const plan = emptyPlan(any.id, "test");
          const made = await runFold(any.atVersion(Math.floor(any.version / 2)), { config: { maxInputTokens: room } })
            .result;
          const before = made.type === "ready" ? made.plan : plan;
          const next = await runFold(any, { config: { maxInputTokens: room }, plan: before }).result;
          const after = next.type === "ready" ? next.plan : before;
          const removed = (of: CompactionPlan) =>
            new Set(
              [...of.summarizations, ...of.drops, ...of.externalizations.filter(({ form }) => form !== "body")].flatMap(
                ({ span }) => span.messageIds,
              ),
            );
          const { archivedEvents, eventsRemoved, compactedEvents, tokensEstimatedSaved } = compactionResult(
            any,
            before,
            after,
            countMessage,
          );
          const main = [...any.messages].filter(({ branch }) => branch === undefined);
          expect(archivedEvents).toEqual(main.filter(({ id }) => removed(after).has(id) && !removed(before).has(id)));
          expect(eventsRemoved).toBe(archivedEvents.length);
          const kept = compactedEvents.flatMap((event) => (event.synthetic ? [] : [event.message]));
          expect(kept).toEqual(main.filter(({ id }) => !removed(after).has(id)));
          const told = compactedEvents.slice(0, compactedEvents.length - kept.length);
          expect(told.map((event) => event.synthetic && [event.role, event.record])).toEqual(
            after.summarizations.flatMap((record) => [
              ["user", record],
              ["assistant", record],
            ]),
          );
          const summaries = (of: CompactionPlan) =>
            of.summarizations.reduce((sum, { summaryTokens }) => sum + summaryTokens, 0);
          const freed = archivedEvents.reduce((sum, message) => sum + countMessage(message), 0);
          expect(tokensEstimatedSaved).toBe(Math.max(0, freed - summaries(after) + summaries(before)));
        },
      ),
      runs(40),
    );
  });

  it("shows a summary as an assistant answer to a user question about its turns", async () => {
    const plan = await foldedPlan(thread, {
      config: { maxInputTokens: 1_000, preserveRecentTurns: 1, targetPercent: 0.3 },
    });
    const [record] = plan.summarizations;
    const [asks, answers] = compactionResult(thread, emptyPlan(thread.id, "test"), plan, countMessage).compactedEvents;
    expect(record?.span).toMatchObject({ firstTurn: 1 });
    expect(asks).toMatchObject({ role: "user", text: expect.stringContaining(`1-${record?.span.lastTurn}`) });
    expect(answers).toMatchObject({
      role: "assistant",
      text: record === undefined ? "" : renderSummary(record.summary),
    });
  });
});

describe("a compaction logged by another tool", () => {
  const log = scriptThread("s0 u1 a1 u2 a2 c1 u3 a3 c2 u4", 50);
  const applied = (compactions: Parameters<typeof loggedRecords>[0], of = log) => {
    const { state } = turnOf(of);
    const { shape } = runFold(of);
    const countTokens = (text: string) => state.ledger.tokenizer.countTokens(text);
    return loggedRecords(compactions, { thread: of, shape, planVersion: 7, countTokens });
  };
  const shown = (...input: Parameters<typeof applied>) => {
    const records = applied(...input);
    return records && shownIn(input[1] ?? log, { ...emptyPlan(log.id, "test"), ...records });
  };
  const of = (messageId: string, firstKept?: string) => ({
    messageId: asMessageId(messageId),
    ...(firstKept !== undefined && { firstKeptMessageId: asMessageId(firstKept) }),
  });

  it("shows what the tool showed: system text, the summary, kept messages and later ones", () => {
    expect(shown([of("c1")])).toEqual(["s0", "[summary]", "u3", "a3", "c2", "u4"]);
    expect(shown([of("c1", "u2")])).toEqual(["s0", "[summary]", "u2", "a2", "u3", "a3", "c2", "u4"]);
    // Of several the newest: those before it are part of what it summarized.
    expect(shown([of("c1", "u2"), of("c2", "u3")])).toEqual(["s0", "[summary]", "u3", "a3", "u4"]);
  });

  it("keeps the tool's own words as the narrative of a record over the messages before it", () => {
    const record = applied([of("c1"), of("c2", "u3")])?.summarizations[0];
    expect(record).toMatchObject({
      originalTokens: 5 * 50,
      sincePlanVersion: 7,
      summarizer: "logged@1",
      strategy: "logged-compaction",
    });
    expect(record?.span.messageIds).toEqual(["u1", "a1", "u2", "a2", "c1"]);
    expect(record?.summary).toMatchObject({ round: 2, facts: [], narrative: { sources: ["u1", "c1"] } });
    expect(record?.summary.narrative?.text).toMatch(/^c2\.+$/);
    const text = record === undefined ? "" : renderSummary(record.summary);
    expect(record?.summaryTokens).toBeGreaterThan(Math.ceil(text.length / 4));
  });

  it("gives no record without a compaction, on a side branch, or with nothing before it", () => {
    expect(applied([])).toBeNull();
    expect(applied([of("u1")])).toBeNull();
    expect(applied([of("c1", "u1")])).toBeNull();
    const messages = scriptMessages("u1 a1 c1 u2", 50);
    const branched = scriptThread("").append(
      messages.map((one) => (one.id === "c1" ? { ...one, branch: "side" } : one)),
    );
    expect(applied([of("c1")], branched)).toBeNull();
    expect(shown([of("u2"), of("c1")], branched)).toEqual(["[summary]"]);
  });

  it("throws MESSAGE_NOT_FOUND when it names a message that the thread lacks", () => {
    for (const missing of [of("nobody"), of("c1", "nobody")])
      expect(() => applied([missing])).toThrow(expect.objectContaining({ code: "MESSAGE_NOT_FOUND" }));
  });
});
