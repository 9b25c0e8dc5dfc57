import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { TokenLedger } from "../budget/token-ledger.ts";
import { canonicalJson } from "../json/canonical-json.ts";
import { assistant, call, result, threadOf, tool } from "../laws/messages.ts";
import { planRecordsFor } from "../laws/plan-record-arbitrary.ts";
import { runs } from "../laws/runs.ts";
import { countingTokenizer, sampleMessage } from "../laws/samples.ts";
import { agentThreads } from "../laws/thread-arbitrary.ts";
import { asArtifactId, asMessageId, asThreadId } from "../model/ids.ts";
import type { MessageInput } from "../model/message.ts";
import { applySummaryChanges } from "../summary/summary-change.ts";
import { AgentThread } from "../thread/agent-thread.ts";
import { spanOf } from "../thread/span-reference.ts";
import {
  actionOf,
  groupRecords,
  NO_RECORDS,
  parsePlan,
  planRecords,
  sealPlan,
  serializePlan,
} from "./compaction-plan.ts";
import { groupMessages } from "./message-group.ts";
import { normalizePlan } from "./normalize-plan.ts";
import { COMPACTION_PRECEDENCE, type PlanRecord, removesMessages } from "./plan-record.ts";
import { type ThreadShape, threadShape } from "./thread-shape.ts";

function shapeOf(thread: AgentThread): ThreadShape {
  const ledger = TokenLedger.empty(countingTokenizer(), () => "anchoring").extend(thread);
  return threadShape(thread, ledger, groupMessages(ledger.headers));
}

const batch = (id: string, ...callIds: readonly string[]): MessageInput =>
  assistant(
    id,
    callIds.map((callId) => call(callId)),
  );
const answer = (id: string, callId: string): MessageInput => tool(id, result(callId, "ok"));

/** u0, a batch of three with its results, u1, another batch, u2. */
const thread = threadOf(
  sampleMessage("u0"),
  batch("a", "x", "y", "z"),
  answer("rx", "x"),
  answer("ry", "y"),
  answer("rz", "z"),
  sampleMessage("u1"),
  batch("b", "v", "w"),
  answer("rv", "v"),
  answer("rw", "w"),
  sampleMessage("u2"),
);
const BATCH = ["a", "rx", "ry", "rz"];
const shape = shapeOf(thread);

const base = (ids: readonly string[]) => ({
  span: spanOf(ids.map((id) => ({ id: asMessageId(id), turn: thread.message(asMessageId(id))?.turn ?? 0 }))),
  strategy: "test",
  reason: "test",
  sincePlanVersion: 1,
  originalTokens: 10,
});
const drop = (...ids: readonly string[]): PlanRecord => ({ ...base(ids), action: "drop", keywords: [] });
const clear = (...ids: readonly string[]): PlanRecord => ({
  ...base(ids),
  action: "clear",
  targets: ["tool-result"],
  preservedFields: {},
});
const summarize = (...ids: readonly string[]): PlanRecord => ({
  ...base(ids),
  action: "summarize",
  summary: applySummaryChanges(null, base(ids).span, [
    { op: "add", section: "facts", item: { text: `of ${ids.join(" ")}`, sources: base(ids).span.messageIds } },
  ]).summary,
  summaryTokens: 1,
  summarizer: "s",
  resolved: [],
});
const pointer = (id: string): PlanRecord => ({
  ...base([id]),
  action: "externalize",
  form: "body",
  artifactId: asArtifactId(`artifact_${"0".repeat(24)}`),
  summary: applySummaryChanges(null, base([id]).span, []).summary,
  rehydrateHint: "",
});

const normalize = (...records: readonly PlanRecord[]) => normalizePlan(groupRecords(records), shape);
const idsOf = (...records: readonly PlanRecord[]): readonly (readonly string[])[] =>
  planRecords(normalize(...records).records).map(({ span }) => span.messageIds);

describe("whole groups", () => {
  it.each(BATCH)("A4, A5: folding only %s of a batch of three folds the whole batch and nothing else", (id) => {
    expect(idsOf(drop(id))).toEqual([BATCH]);
    expect(idsOf(summarize(id))).toEqual([BATCH]);
  });

  it("A4: parallel calls are parts of one message and cannot be folded separately", () => {
    expect(thread.message(asMessageId("a"))?.parts).toHaveLength(3);
    expect(idsOf(drop("a"), drop("rw"))).toEqual([BATCH, ["b", "rv", "rw"]]);
  });

  it("A10: an unpaired call or result is a group of its own", () => {
    const odd = AgentThread.empty(asThreadId("t")).append([
      sampleMessage("u0"),
      batch("open", "never"),
      answer("stray", "nobody"),
      sampleMessage("u1"),
    ]);
    for (const id of ["open", "stray"]) {
      const { records, changes } = normalizePlan(groupRecords([drop(id)]), shapeOf(odd));
      expect(planRecords(records).map(({ span }) => span.messageIds)).toEqual([[id]]);
      expect(changes).toEqual([]);
    }
  });

  it("A11: rules are applied until nothing changes", () => {
    // The pointer is the strongest record in the batch and keeps it in place: the summary lets go of it, the clearing stays.
    const { records, changes } = normalize(summarize("u0", "a"), clear("rx"), pointer("ry"));
    expect(planRecords(records).map(({ action, span }) => [action, ...span.messageIds])).toEqual([
      ["externalize", "ry"],
      ["summarize", "u0"],
      ["clear", "rx"],
    ]);
    expect(changes.map(({ rule }) => rule)).toEqual(["whole-groups"]);
    expect(normalizePlan(records, shape).changes).toEqual([]);
  });

  it("A11: normalizing random records a second time changes nothing", () => {
    fc.assert(
      fc.property(
        agentThreads({ malformed: true }).chain((made) => fc.tuple(fc.constant(made), planRecordsFor(made))),
        ([made, records]) => {
          const once = normalizePlan(groupRecords(records), shapeOf(made)).records;
          expect(normalizePlan(once, shapeOf(made))).toEqual({ records: once, changes: [] });
        },
      ),
      runs(100),
    );
  });

  it("A12: a span that ends inside a unit is extended to the unit's end", () => {
    expect(idsOf(summarize("u0", "a", "rx"))).toEqual([["u0", ...BATCH]]);
    expect(normalize(summarize("u0", "a", "rx")).changes).toMatchObject([
      { rule: "whole-groups", messageIds: ["ry", "rz"] },
    ]);
  });
});

describe("precedence", () => {
  const withRecords = agentThreads({ malformed: true })
    .filter((made) => made.length > 0)
    .chain((made) => fc.tuple(fc.constant(made), planRecordsFor(made)));

  /** What a group comes to, worked out without normalization: the strongest record over any member decides. */
  it("applies the strongest action on any member to a group, and a removing one to all members", () => {
    fc.assert(
      fc.property(withRecords, ([made, all]) => {
        const records = all.filter((record) => record.action !== "externalize" || record.form === "span");
        const madeShape = shapeOf(made);
        const normalized = normalizePlan(groupRecords(records), madeShape).records;
        const claims = (id: string) => records.filter(({ span }) => span.messageIds.includes(id as never));
        for (let ordinal = 0; ordinal < madeShape.length; ordinal++) {
          const group = madeShape.groupOf(ordinal);
          const members = group.ordinals.map((at) => madeShape.header(at));
          if (members.some(({ role, opaque }) => role === "system" || opaque)) continue;
          const inGroup = members.flatMap(({ id }) => claims(id));
          const { id } = madeShape.header(ordinal);
          const decisive = inGroup.some(removesMessages) ? inGroup : claims(id);
          const expected = Math.max(0, ...decisive.map(({ action }) => COMPACTION_PRECEDENCE[action]));
          expect(COMPACTION_PRECEDENCE[actionOf(normalized, id).action]).toBe(expected);
        }
      }),
      runs(200),
    );
  });

  it("starts no two removing spans at the same message, and names no message twice", () => {
    fc.assert(
      fc.property(withRecords, ([made, records]) => {
        const normalized = planRecords(normalizePlan(groupRecords(records), shapeOf(made)).records);
        const starts = normalized.filter(removesMessages).map(({ span }) => span.messageIds[0]);
        expect(new Set(starts).size).toBe(starts.length);
        const named = normalized.flatMap(({ span }) => span.messageIds);
        expect(new Set(named).size).toBe(named.length);
      }),
      runs(100),
    );
  });

  it("V9: keeps two summaries that start at the same message, whatever the order of records", () => {
    const short = summarize("u0");
    const long = summarize("u0", ...BATCH, "u1");
    const either = [normalize(short, long), normalize(long, short)].map(({ records }) => canonicalJson(records));
    expect(either[0]).toBe(either[1]);
    expect(idsOf(short, long)).toEqual([["u0"], [...BATCH, "u1"]]);
    expect(
      normalize(short, long).records.summarizations.map(({ summary }) => summary.facts.map((fact) => fact.text)),
    ).toEqual([["of u0"], ["of u0 a rx ry rz u1"]]);
  });
});

describe("plans that do not match the thread", () => {
  const plan = sealPlan({
    ...NO_RECORDS,
    drops: [drop("u0") as never],
    threadId: thread.id,
    threadVersion: thread.version,
    version: 1,
    policyVersion: "p",
    createdAt: "",
    originalTokens: 0,
    compactedTokens: 0,
  });

  it("S39: a malformed stored plan is refused as a whole", () => {
    const stored = JSON.parse(serializePlan(plan));
    for (const broken of [
      { ...stored, drops: undefined },
      { ...stored, threadVersion: "7" },
      { ...stored, version: -1 },
      { ...stored, drops: [{ ...stored.drops[0], span: { messageIds: [], firstTurn: 0, lastTurn: 0 } }] },
    ]) {
      expect(() => parsePlan(canonicalJson(JSON.parse(JSON.stringify(broken))))).toThrow(
        expect.objectContaining({ code: "INVALID_PLAN" }),
      );
    }
  });

  it("S39: a span that reaches beyond the thread folds only existing messages", () => {
    const beyond = drop("u2", "never-written");
    expect(idsOf(beyond)).toEqual([["u2"]]);
    expect(normalize(beyond).changes).toMatchObject([{ rule: "known-messages", messageIds: ["never-written"] }]);
  });
});
