import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { TokenLedger } from "../budget/token-ledger.ts";
import { canonicalJson } from "../json/canonical-json.ts";
import { threadOf } from "../laws/messages.ts";
import { planRecordsFor, withoutOverlaps } from "../laws/plan-record-arbitrary.ts";
import { runs } from "../laws/runs.ts";
import { countingTokenizer, pinEntry, pinLiftedEntry, sampleMessage, samplePin } from "../laws/samples.ts";
import { agentThreads } from "../laws/thread-arbitrary.ts";
import { asMessageId } from "../model/ids.ts";
import { applySummaryChanges } from "../summary/summary-change.ts";
import { AgentThread } from "../thread/agent-thread.ts";
import { spanOf } from "../thread/span-reference.ts";
import {
  type Pin,
  type PinLiftedEntry,
  type ThreadEntryInput,
  threadEntryInputSchema,
} from "../thread/thread-entry.ts";
import { type CompactionPlan, emptyPlan, groupRecords, parsePlan, sealPlan, serializePlan } from "./compaction-plan.ts";
import { groupMessages } from "./message-group.ts";
import { normalizePlan } from "./normalize-plan.ts";
import type { PlanRecord } from "./plan-record.ts";
import { threadShape } from "./thread-shape.ts";
import { ThreadView, type ViewEntry, viewThread } from "./thread-view.ts";

const threadWith = (...ids: readonly string[]): AgentThread => threadOf(...ids.map((id) => sampleMessage(id)));

function planOf(thread: AgentThread, records: readonly PlanRecord[], version = 1): CompactionPlan {
  const ledger = TokenLedger.empty(countingTokenizer(), () => "anchoring").extend(thread);
  const shape = threadShape(thread, ledger, groupMessages(ledger.headers));
  return sealPlan({
    ...normalizePlan(groupRecords(records), shape).records,
    threadId: thread.id,
    threadVersion: thread.version,
    version,
    policyVersion: "p",
    createdAt: "",
    originalTokens: 0,
    compactedTokens: 0,
  });
}

const base = (ids: readonly string[]) => ({
  span: spanOf(ids.map((id) => ({ id: asMessageId(id), turn: 1 }))),
  strategy: "test",
  reason: "test",
  sincePlanVersion: 1,
  originalTokens: 10,
});
const summarize = (...ids: readonly string[]): PlanRecord => ({
  ...base(ids),
  action: "summarize",
  summary: applySummaryChanges(null, base(ids).span, []).summary,
  summaryTokens: 1,
  summarizer: "s",
  resolved: [],
});
const drop = (...ids: readonly string[]): PlanRecord => ({ ...base(ids), action: "drop", keywords: [] });

const word = (entry: ViewEntry): string =>
  "message" in entry
    ? entry.message.id
    : "record" in entry
      ? `[${entry.record.span.messageIds.join(" ")}]`
      : entry.type;
const shown = (thread: AgentThread, ...records: readonly PlanRecord[]): readonly string[] =>
  viewThread(thread, planOf(thread, records)).map(word);

describe("plans over a log", () => {
  const log = threadWith("a", "b", "c", "d", "e", "f");

  it("V2, V14: a plan is not an entry of the log and never shown itself", () => {
    const plan = planOf(log, [drop("a", "b")]);
    expect(viewThread(log, plan).map(word)).toEqual(["c", "d", "e", "f"]);
    expect(log.version).toBe(6);
    expect(threadEntryInputSchema.safeParse({ type: "plan", plan }).success).toBe(false);
  });

  it.each<[string, readonly string[], readonly string[]]>([
    ["V10: the first of several summaries", ["a", "b"], ["[c]", "d", "[e f]"]],
    ["V10: the middle one", ["c"], ["[a b]", "d", "[e f]"]],
    ["V10: the last one", ["e", "f"], ["[a b]", "[c]", "d"]],
    ["V10: several at once", ["a", "b", "e", "f"], ["[c]", "d"]],
    ["V10: all of them", ["a", "b", "c", "e", "f"], ["d"]],
    ["V11: a summary and a message together", ["c", "d"], ["[a b]", "[e f]"]],
  ])("%s, dropped by a later plan, disappears and the others keep their places", (_, forgotten, expected) => {
    const summaries = [summarize("a", "b"), summarize("c"), summarize("e", "f")];
    expect(shown(log, ...summaries)).toEqual(["[a b]", "[c]", "d", "[e f]"]);
    expect(shown(log, ...summaries, drop(...forgotten))).toEqual(expected);
  });

  it("V12: a view from the stored plan is the same, and its summaries are the plan's records", () => {
    const plan = planOf(log, [summarize("b", "c")]);
    const again = viewThread(log, parsePlan(serializePlan(plan)));
    expect(canonicalJson(again)).toBe(canonicalJson(viewThread(log, plan)));
    expect(viewThread(log, plan).flatMap((entry) => (entry.type === "summary" ? [entry.record] : []))).toEqual(
      plan.summarizations,
    );
  });

  it("V13: a request to fold leaves no entry in the log before, after or between plans", () => {
    for (const type of ["compaction-request", "plan-request", "condensation-request"]) {
      expect(threadEntryInputSchema.safeParse({ type }).success).toBe(false);
    }
    const first = planOf(log, [summarize("a")]);
    const grown = log.append([sampleMessage("g")]);
    const second = planOf(grown, [summarize("a", "b")], 2);
    expect([emptyPlan(log.id, "p"), first, second].map((plan) => viewThread(grown, plan).map(word))).toEqual([
      ["a", "b", "c", "d", "e", "f", "g"],
      ["[a]", "b", "c", "d", "e", "f", "g"],
      ["[a b]", "c", "d", "e", "f", "g"],
    ]);
  });

  it("V15: a log appended entry by entry has the same view as the whole log", () => {
    fc.assert(
      fc.property(
        agentThreads({ malformed: true, maxMessages: 20 }).chain((thread) =>
          fc.tuple(fc.constant(thread), planRecordsFor(thread)),
        ),
        ([thread, records]) => {
          const plan = planOf(thread, withoutOverlaps(records));
          let grown = AgentThread.empty(thread.id);
          for (const entry of thread.entries) {
            grown = grown.appendEntries([entry]);
            viewThread(grown, plan);
          }
          expect(canonicalJson(viewThread(grown, plan))).toBe(canonicalJson(viewThread(thread, plan)));
        },
      ),
      runs(80),
    );
  });
});

describe("pins in a view", () => {
  const log = threadWith("a", "b", "c");
  const plan = planOf(log, [drop("a")]);
  const pin = (id: string, fields: Partial<Pin> = {}) => pinEntry(samplePin(id, fields));
  const lift = (id: string, why?: PinLiftedEntry["why"]): ThreadEntryInput => ({
    ...(pinLiftedEntry(id, "user") as PinLiftedEntry),
    ...(why !== undefined && { why }),
  });
  const quoting = (messageId: string) =>
    pin("q", { text: `text of ${messageId}`, source: { messageId: asMessageId(messageId), start: 0, end: 9 } });
  const viewed = (thread: AgentThread) => viewThread(thread, plan).map(word);
  const behind = (...entries: readonly ThreadEntryInput[]) => viewed(log.appendEntries(entries));

  it("stand where they were made if made after the plan, unless their quoted source is shown", () => {
    expect(behind(pin("p"))).toEqual(["b", "c", "pins"]);
    expect(behind(quoting("b"))).toEqual(["b", "c"]);
    expect(behind(quoting("a"))).toEqual(["b", "c", "pins"]);
    expect(behind(pin("p", { source: { messageId: asMessageId("b"), start: 0, end: 9 } }))).toEqual(["b", "c", "pins"]);
  });

  it("are followed by a lifted entry, unless lifted for lack of room or taken back in shown words", () => {
    expect(behind(pin("p"), lift("p"))).toEqual(["b", "c", "pins", "pin-lifted"]);
    expect(behind(pin("p"), lift("p", "no-room"))).toEqual(["b", "c", "pins"]);
    expect(behind(pin("p"), lift("p", "taken-back"))).toEqual(["b", "c", "pins", "pin-lifted"]);
    expect(behind(quoting("b"), lift("q", "taken-back"))).toEqual(["b", "c"]);
    expect(behind(quoting("b"), lift("q"))).toEqual(["b", "c", "pin-lifted"]);
  });

  it("are not shown at all if the next entry lifts them as not a rule", () => {
    expect(behind(pin("p"), lift("p", "not-a-rule"))).toEqual(["b", "c"]);
    expect(behind(pin("o"), pin("p"), lift("p", "not-a-rule"))).toEqual(["b", "c", "pins"]);
    expect(behind(pin("p"), pin("o"), lift("p", "not-a-rule"))).toEqual(["b", "c", "pins", "pins"]);
  });

  it("are the same in an extended view, which is the same object if nothing was added", () => {
    const view = ThreadView.of(log, plan);
    expect(view.extend(log)).toBe(view);
    const grown = log.appendEntries([pin("p"), { type: "message", message: sampleMessage("d") }, lift("p")]);
    expect([...view.extend(grown).entries].map(word)).toEqual(viewed(grown));
  });

  it("are gathered before the first fold if made before the plan with a folded or no source", () => {
    const pinned = threadWith("a")
      .appendEntries([pin("p"), quoting("a")])
      .append([sampleMessage("b"), sampleMessage("c")]);
    const pinsOf = (...records: readonly PlanRecord[]) =>
      viewThread(pinned, planOf(pinned, records)).map((entry) =>
        entry.type === "pins" ? `pins ${entry.pins.map(({ id }) => id).join(" ")}` : word(entry),
      );
    expect(pinsOf(drop("a"))).toEqual(["pins p q", "b", "c"]);
    expect(pinsOf(summarize("b"))).toEqual(["a", "pins p", "[b]", "c"]);
    expect(pinsOf()).toEqual(["pins p", "a", "b", "c"]);
    expect(viewThread(pinned, emptyPlan(pinned.id, "p")).map(word)).toEqual(["a", "pins", "b", "c"]);
  });
});
