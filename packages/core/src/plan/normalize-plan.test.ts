import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { TokenLedger } from "../budget/token-ledger.ts";
import { agentThreads, countingTokenizer, planRecordsFor } from "../laws/index.ts";
import { assistant, call, result, threadOf, tool, user } from "../laws/messages.ts";
import { asArtifactId, asMessageId, asThreadId, type MessageId } from "../model/ids.ts";
import type { MessageInput } from "../model/message.ts";
import { applySummaryChanges } from "../summary/summary-change.ts";
import { AgentThread } from "../thread/agent-thread.ts";
import { spanOf } from "../thread/span-reference.ts";
import { actionOf, groupRecords, planRecords } from "./compaction-plan.ts";
import type { SummarizationRecord } from "./kinds/summarize.ts";
import { groupMessages } from "./message-group.ts";
import { normalizePlan, normalizePlanInSteps } from "./normalize-plan.ts";
import { COMPACTION_PRECEDENCE, type PlanRecord, type PlanRecords, removesMessages } from "./plan-record.ts";
import { type ThreadShape, threadShape } from "./thread-shape.ts";

function shapeOf(thread: AgentThread): ThreadShape {
  const ledger = TokenLedger.empty(countingTokenizer(), () => "anchoring").extend(thread);
  return threadShape(thread, ledger, groupMessages(ledger.headers));
}

const threadsWithRecords = agentThreads({ malformed: true })
  .filter((thread) => thread.length > 0)
  .chain((thread) => fc.tuple(fc.constant(thread), planRecordsFor(thread)));

const runs = { numRuns: 300 };

describe("normalizePlan on random overlapping records", () => {
  it("spec-29 puts each message into at most one record", () => {
    fc.assert(
      fc.property(threadsWithRecords, ([thread, records]) => {
        const normalized = planRecords(normalizePlan(groupRecords(records), shapeOf(thread)).records);
        const ids = normalized.flatMap((record) => record.span.messageIds);
        expect(new Set(ids).size).toBe(ids.length);
      }),
      runs,
    );
  });

  it("is idempotent", () => {
    fc.assert(
      fc.property(threadsWithRecords, ([thread, records]) => {
        const shape = shapeOf(thread);
        const once = normalizePlan(groupRecords(records), shape).records;
        const twice = normalizePlan(once, shape);
        expect(twice.records).toEqual(once);
        expect(twice.changes).toEqual([]);
      }),
      runs,
    );
  });

  it("does not depend on the order of the records", () => {
    const shuffled = threadsWithRecords.chain(([thread, records]) =>
      fc.tuple(
        fc.constant(thread),
        fc.constant(records),
        fc.shuffledSubarray([...records], { minLength: records.length }),
      ),
    );
    fc.assert(
      fc.property(shuffled, ([thread, records, other]) => {
        const shape = shapeOf(thread);
        expect(normalizePlan(groupRecords(other), shape).records).toEqual(
          normalizePlan(groupRecords(records), shape).records,
        );
      }),
      runs,
    );
  });

  it("removes whole groups or none of their messages", () => {
    fc.assert(
      fc.property(threadsWithRecords, ([thread, records]) => {
        const shape = shapeOf(thread);
        const normalized = normalizePlan(groupRecords(records), shape).records;
        for (let ordinal = 0; ordinal < shape.length; ordinal++) {
          const group = shape.groupOf(ordinal);
          const removed = group.ordinals.filter((member) => {
            const { record } = actionOf(normalized, shape.header(member).id);
            return record !== null && removesMessages(record);
          });
          expect([0, group.ordinals.length]).toContain(removed.length);
        }
      }),
      runs,
    );
  });

  it("never weakens the action on a message that is alone in its group", () => {
    fc.assert(
      fc.property(threadsWithRecords, ([thread, records]) => {
        const shape = shapeOf(thread);
        const normalized = normalizePlan(groupRecords(records), shape).records;
        for (let ordinal = 0; ordinal < shape.length; ordinal++) {
          const header = shape.header(ordinal);
          if (header.role === "system" || header.opaque || shape.groupOf(ordinal).ordinals.length > 1) continue;
          const claimed = records.filter((record) => record.span.messageIds.includes(header.id));
          const strongest = Math.max(0, ...claimed.map((record) => COMPACTION_PRECEDENCE[record.action]));
          expect(COMPACTION_PRECEDENCE[actionOf(normalized, header.id).action]).toBe(strongest);
        }
      }),
      runs,
    );
  });

  it("keeps every removing span contiguous on the main branch", () => {
    fc.assert(
      fc.property(threadsWithRecords, ([thread, records]) => {
        const shape = shapeOf(thread);
        for (const record of planRecords(normalizePlan(groupRecords(records), shape).records).filter(removesMessages)) {
          const ordinals = record.span.messageIds.map((id) => shape.headerOf(id)?.ordinal ?? -1);
          for (let ordinal = ordinals[0] as number; ordinal <= (ordinals.at(-1) as number); ordinal++) {
            if (shape.header(ordinal).branch === undefined) expect(ordinals).toContain(ordinal);
          }
        }
      }),
      runs,
    );
  });

  it("loses no item of a summary when its span is split", () => {
    fc.assert(
      fc.property(threadsWithRecords, ([thread, records]) => {
        const shape = shapeOf(thread);
        const only = records.filter((record) => record.action === "summarize").slice(0, 1);
        const drops = records.filter((record) => record.action === "drop");
        const normalized = normalizePlan(groupRecords([...only, ...drops]), shape).records;
        const kept = normalized.summarizations.flatMap((record) => record.summary.facts.map((fact) => fact.id));
        if (normalized.summarizations.length === 0) return;
        expect(kept.sort()).toEqual(only.flatMap((record) => record.summary.facts.map((fact) => fact.id)).sort());
      }),
      runs,
    );
  });

  it("says of each item that a fold removed from a summary once that it did, however the span is split", () => {
    let divided = 0;
    fc.assert(
      fc.property(threadsWithRecords, ([thread, records]) => {
        const record = records.find(({ action }) => action === "summarize") as SummarizationRecord | undefined;
        if (record === undefined) return;
        const resolved = record.span.messageIds.map((id) => ({
          section: "facts" as const,
          item: { id, sources: [id] },
          reason: "It was read.",
        }));
        const drops = records.filter(({ action }) => action === "drop");
        const { summarizations } = normalizePlan(
          groupRecords([{ ...record, resolved }, ...drops]),
          shapeOf(thread),
        ).records;
        const [first, ...later] = summarizations;
        if (first === undefined) return;
        divided += later.length > 0 ? 1 : 0;
        const from = (ids: readonly MessageId[]) => resolved.filter(({ item }) => ids.includes(item.id));
        for (const part of later) expect(part.resolved).toEqual(from(part.span.messageIds));
        const told = from(later.flatMap(({ span }) => span.messageIds));
        expect(first.resolved).toEqual(resolved.filter((item) => !told.includes(item)));
      }),
      runs,
    );
    expect(divided).toBeGreaterThan(0);
  });
});

const calling = (id: string, callId: string): MessageInput => assistant(id, call(callId, "bash", { command: "ls" }));
const answering = (id: string, callId: string): MessageInput => tool(id, result(callId, "a.ts", { toolName: "bash" }));

const thread = threadOf(
  user("u1", "u1"),
  calling("a1", "c1"),
  answering("r1", "c1"),
  user("u2", "u2"),
  calling("a2", "c2"),
  answering("r2", "c2"),
  user("u3", "u3"),
);
const shape = shapeOf(thread);
const span = (...ids: string[]) =>
  spanOf(ids.map((id) => thread.message(asMessageId(id)) as NonNullable<ReturnType<typeof thread.message>>));
const base = { strategy: "test", reason: "test", sincePlanVersion: 1, originalTokens: 10 };

function summarize(...ids: string[]): PlanRecord {
  const reference = span(...ids);
  const changes = reference.messageIds.map((id) => ({
    op: "add" as const,
    section: "facts" as const,
    item: { text: `fact of ${id}`, sources: [id] },
  }));
  const { summary } = applySummaryChanges(null, reference, changes);
  return {
    ...base,
    action: "summarize",
    span: reference,
    summary,
    summaryTokens: 5,
    summarizer: "test@1",
    resolved: [],
  };
}
const drop = (...ids: string[]): PlanRecord => ({ ...base, action: "drop", span: span(...ids), keywords: [] });
const clear = (...ids: string[]): PlanRecord => ({
  ...base,
  action: "clear",
  span: span(...ids),
  targets: ["tool-result"],
  preservedFields: {},
});
const externalizeBody = (id: string): PlanRecord => ({
  ...base,
  action: "externalize",
  form: "body",
  span: span(id),
  artifactId: asArtifactId("artifact_0123456789abcdef"),
  summary: applySummaryChanges(null, span(id), []).summary,
  rehydrateHint: "",
});
const normalize = (...records: PlanRecord[]): PlanRecords => normalizePlan(groupRecords(records), shape).records;
const idsOf = (records: readonly PlanRecord[]): readonly string[][] =>
  records.map((record) => [...record.span.messageIds]);

describe("normalizePlan", () => {
  it("spec-28 spec-30 splits a summary around a drop, with each run at its own first message", () => {
    const records = normalize(summarize("u1", "a1", "r1", "u2", "a2", "r2"), drop("a1", "r1"));
    expect(idsOf(records.summarizations)).toEqual([["u1"], ["u2", "a2", "r2"]]);
    expect(records.summarizations.map((record) => record.summary.facts.map((fact) => fact.text))).toEqual([
      ["fact of u1", "fact of a1", "fact of r1"],
      ["fact of u2", "fact of a2", "fact of r2"],
    ]);
    expect(idsOf(records.drops)).toEqual([["a1", "r1"]]);
  });

  it("leaves what a divided summary gathered from elsewhere to its first part, which gets the items", () => {
    const { summary } = summarize("u1", "u2", "a2", "r2", "u3") as SummarizationRecord;
    const gathered = { ...(summarize("u2", "a2", "r2", "u3") as SummarizationRecord), summary };
    const { summarizations } = normalize(gathered, drop("a2", "r2"));
    expect(summarizations.map(({ span, summary }) => [span.messageIds, summary.span.messageIds])).toEqual([
      [["u2"], ["u1", "u2"]],
      [["u3"], ["u3"]],
    ]);
    expect(summarizations.map(({ summary }) => summary.facts.some(({ text }) => text === "fact of u1"))).toEqual([
      true,
      false,
    ]);
  });

  it("keeps a summary whose first message went to another record", () => {
    const records = normalize(summarize("u1", "u2"), drop("u1"));
    expect(idsOf(records.summarizations)).toEqual([["u2"]]);
  });

  it("A4 A5 extends a record to both call and result if it names only one", () => {
    expect(idsOf(normalize(drop("r1")).drops)).toEqual([["a1", "r1"]]);
    expect(idsOf(normalize(drop("a2")).drops)).toEqual([["a2", "r2"]]);
  });

  it("includes a cleared result in the summary of its call", () => {
    const records = normalize(clear("r1"), summarize("u1", "a1"));
    expect(idsOf(records.summarizations)).toEqual([["u1", "a1", "r1"]]);
    expect(records.clearings).toEqual([]);
  });

  it("keeps an externalized result and its call out of a weaker summary", () => {
    const records = normalize(externalizeBody("r1"), summarize("u1", "a1", "r1", "u2"));
    expect(idsOf(records.externalizations)).toEqual([["r1"]]);
    expect(idsOf(records.summarizations)).toEqual([["u1"], ["u2"]]);
  });

  it("V6 drops unknown ids, and a record that has only unknown ids", () => {
    const ghost = { ...drop("u1"), span: { messageIds: [asMessageId("ghost")], firstTurn: 0, lastTurn: 0 } };
    const { records, changes } = normalizePlan(groupRecords([ghost]), shape);
    expect(planRecords(records)).toEqual([]);
    expect(changes.map((change) => change.rule)).toEqual(["known-messages"]);
  });

  it("A11 spec-32 reports the name of each rule that changed something", () => {
    const { changes } = normalizePlan(groupRecords([summarize("u1", "a1"), drop("u1")]), shape);
    expect(changes.map((change) => change.rule)).toEqual(["precedence", "whole-groups"]);
  });

  it("lets a summary replace a group with a provider item, which is then not sent", () => {
    const hosted = { type: "opaque", provider: "openai", value: { type: "web_search_call" } } as const;
    const asked = calling("a1", "c1");
    const held = AgentThread.empty(asThreadId("held")).append([
      user("u1", "u1"),
      { ...asked, parts: [hosted, ...asked.parts] },
      answering("r1", "c1"),
      user("u2", "u2"),
    ]);
    const { records } = normalizePlan(groupRecords([summarize("a1", "r1")]), shapeOf(held));
    expect(idsOf(records.summarizations)).toEqual([["a1", "r1"]]);
  });

  it("releases a group from a summary if it holds a provider compaction", () => {
    const hosted = { type: "opaque", provider: "anthropic", value: { type: "compaction" } } as const;
    const asked = calling("a1", "c1");
    const held = AgentThread.empty(asThreadId("held")).append([
      user("u1", "u1"),
      { ...asked, parts: [hosted, ...asked.parts] },
      answering("r1", "c1"),
      user("u2", "u2"),
    ]);
    const { records, changes } = normalizePlan(groupRecords([summarize("r1")]), shapeOf(held));
    expect(planRecords(records)).toEqual([]);
    expect(changes.map(({ rule }) => rule)).toEqual(["whole-groups", "keep-opaque"]);
  });

  it("prefers the record that starts earlier in a tie", () => {
    const records = normalize(summarize("u2", "a2", "r2"), summarize("u1", "a1", "r1", "u2"));
    expect(idsOf(records.summarizations)).toEqual([
      ["u1", "a1", "r1", "u2"],
      ["a2", "r2"],
    ]);
  });

  it("describes each change and its messages in words", () => {
    const held = AgentThread.empty(asThreadId("held")).append([
      { ...user("s1", "be kind"), role: "system" },
      user("u1", "u1"),
      calling("a1", "c1"),
      answering("r1", "c1"),
      { ...user("o1", "o1"), parts: [{ type: "opaque", provider: "anthropic", value: {} }] },
      user("u2", "u2"),
    ]);
    const over = (record: PlanRecord, ...ids: string[]): PlanRecord => ({
      ...record,
      span: spanOf(ids.map((id) => held.message(asMessageId(id)) as NonNullable<ReturnType<typeof held.message>>)),
    });
    const changesOf = (...records: PlanRecord[]) =>
      normalizePlan(groupRecords(records), shapeOf(held)).changes.map(({ rule, problem, messageIds }) => [
        rule,
        problem,
        messageIds.join(),
      ]);
    expect(changesOf(over(drop("u1"), "s1", "u1"))).toEqual([
      ["keep-system", "a system message cannot be folded; it is included", "s1"],
    ]);
    expect(changesOf(over(clear("r1"), "o1"))).toEqual([
      ["keep-opaque", "an opaque provider item cannot be rewritten; its group is included", "o1"],
    ]);
    expect(changesOf(over(drop("u1"), "o1"))).toEqual([]);
    expect(changesOf(over(drop("r1"), "r1"))).toEqual([
      ["whole-groups", "a record of action drop held half a group; it now holds the whole", "a1"],
    ]);
    expect(changesOf(over(externalizeBody("r1"), "r1"), over(summarize("a1"), "u1", "a1"))).toEqual([
      ["whole-groups", "a record held half a group whose other half is under externalize; it let go of it", "a1"],
    ]);
    expect(changesOf(over(drop("a1"), "a1", "r1"))).toEqual([]);
  });

  it("prefers the alphabetically first of tied records over the same messages", () => {
    const [first, second] = ["a", "b"].map((reason) => ({ ...drop("u1"), reason }) as PlanRecord);
    for (const records of [
      [first, second],
      [second, first],
    ] as PlanRecord[][])
      expect(planRecords(normalize(...records)).map(({ reason }) => reason)).toEqual(["a"]);
  });

  it("prefers the shorter of tied records with the same start", () => {
    expect(idsOf(normalize(drop("u1", "a1", "r1"), drop("u1")).drops)).toEqual([["u1"], ["a1", "r1"]]);
    expect(idsOf(normalize(drop("u1"), drop("u1", "a1", "r1")).drops)).toEqual([["u1"], ["a1", "r1"]]);
  });
});

describe("normalizing records of a long thread", () => {
  const long = AgentThread.empty(asThreadId("long")).append(
    Array.from({ length: 20_000 }, (_, at) => user(`m${at}`, "go on")),
  );
  const spanned = (from: number, to: number) => spanOf(long.messagesBetween(from, to));

  it.each([
    ["one for all of it", [{ ...drop("u1"), span: spanned(0, 20_000) }]],
    [
      "one that another splits",
      [drop("u1"), clear("u1")].map((one, at) => ({ ...one, span: spanned(at * 9_000, 20_000 - at * 9_000) })),
    ],
    ["many", Array.from({ length: 10_000 }, (_, at) => ({ ...clear("u1"), span: spanned(at, at + 1) }))],
  ] as readonly [string, PlanRecord[]][])("takes a few thousand messages in a step: %s", (_what, records) => {
    let asked = 0;
    const shape = new Proxy(shapeOf(long), {
      get(target, name: keyof ThreadShape) {
        const value: unknown = target[name];
        if (typeof value !== "function") return value;
        return (...given: readonly unknown[]): unknown => {
          asked++;
          return value.apply(target, given);
        };
      },
    });
    const counts: number[] = [];
    for (const _ of normalizePlanInSteps(groupRecords(records), shape)) counts.push(asked);
    expect(Math.max(...counts.map((count, step) => count - (counts[step - 1] ?? 0)))).toBeLessThan(10_000);
  });
});
