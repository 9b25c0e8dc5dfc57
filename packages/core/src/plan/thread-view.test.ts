import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { planRecordsFor, withoutOverlaps } from "../laws/plan-record-arbitrary.ts";
import { runs } from "../laws/runs.ts";
import { pinEntry, pinLiftedEntry, sampleMessage, samplePin } from "../laws/samples.ts";
import { agentThreads } from "../laws/thread-arbitrary.ts";
import { asArtifactId, asMessageId, asThreadId } from "../model/ids.ts";
import { applySummaryChanges } from "../summary/summary-change.ts";
import { AgentThread } from "../thread/agent-thread.ts";
import { spanOf } from "../thread/span-reference.ts";
import type { Pin, ThreadEntryInput } from "../thread/thread-entry.ts";
import { type CompactionPlan, emptyPlan, groupRecords, NO_RECORDS, planRecords, sealPlan } from "./compaction-plan.ts";
import type { ClearTarget } from "./kinds/clear.ts";
import { summarizationRecordSchema } from "./kinds/summarize.ts";
import { type PlanRecord, removesMessages } from "./plan-record.ts";
import { foldedPins, ThreadView, type ViewEntry, viewThread } from "./thread-view.ts";

const threadId = asThreadId("t");
/** A thread of messages with the given ids; `b:x` is a message of a side branch. */
const threadOf = (ids: string): AgentThread =>
  AgentThread.empty(threadId).append(
    ids
      .split(" ")
      .filter((id) => id !== "")
      .map((id) => sampleMessage(id, id.startsWith("b:") ? { branch: "b" } : {})),
  );

const base = (ids: string) => ({
  span: spanOf(ids.split(" ").map((id) => ({ id: asMessageId(id), turn: 1 }))),
  strategy: "test",
  reason: "test",
  sincePlanVersion: 1,
  originalTokens: 10,
});
const summaryOf = (ids: string) => applySummaryChanges(null, base(ids).span, []).summary;
const drop = (ids: string): PlanRecord => ({ ...base(ids), action: "drop", keywords: [] });
const summarize = (ids: string): PlanRecord => ({
  ...base(ids),
  action: "summarize",
  summary: summaryOf(ids),
  summaryTokens: 1,
  summarizer: "s",
  resolved: [],
});
const clear = (ids: string, targets: readonly ClearTarget[] = ["tool-result"]): PlanRecord => ({
  ...base(ids),
  action: "clear",
  targets,
  preservedFields: {},
});
const externalize = (ids: string, form: "body" | "span"): PlanRecord => ({
  ...base(ids),
  action: "externalize",
  form,
  artifactId: asArtifactId(`artifact_${"0".repeat(24)}`),
  summary: summaryOf(ids),
  rehydrateHint: "",
});

const planOf = (thread: AgentThread, ...records: readonly PlanRecord[]): CompactionPlan =>
  sealPlan({
    ...NO_RECORDS,
    ...groupRecords(records),
    threadId,
    threadVersion: thread.version,
    version: 1,
    policyVersion: "p",
    createdAt: "",
    originalTokens: 0,
    compactedTokens: 0,
  });

/** An entry in a word: what it is and of what. */
function word(entry: ViewEntry): string {
  switch (entry.type) {
    case "message":
      return entry.message.id;
    case "cleared":
    case "externalized-body":
      return `${entry.type}(${entry.message.id})`;
    case "summary":
    case "pointer":
      return `${entry.type}(${entry.record.span.messageIds.join(" ")})`;
    case "pins":
      return `pins(${entry.pins.map((pin) => `${pin.id}=${pin.text}`).join("; ")})`;
    case "pin-lifted":
      return `lifted(${entry.pin.id}=${entry.pin.text})`;
  }
}
const words = (thread: AgentThread, plan: CompactionPlan): readonly string[] => viewThread(thread, plan).map(word);
const shown = (ids: string, ...records: readonly PlanRecord[]): string =>
  words(threadOf(ids), planOf(threadOf(ids), ...records)).join(", ");

const quoting = (id: string, text: string, source?: string): Pin =>
  samplePin(id, {
    text,
    ...(source !== undefined && { source: { messageId: asMessageId(source), start: 0, end: text.length } }),
  });
const pinned = (id: string, text: string, source?: string): ThreadEntryInput => pinEntry(quoting(id, text, source));
const lifted = (id: string): ThreadEntryInput => pinLiftedEntry(id, "system");

/**
 * The scenarios of the OpenHands view, in our terms: a plan names messages by id and holds its summaries, so there are no
 * offsets (V3–V5, V9) and no plan events in the log (V2, V13). V13, the pending request, is the trigger's affair.
 */
describe("viewThread", () => {
  it("V1: without a plan shows every message of the main branch as it is", () => {
    const thread = threadOf("a b c");
    expect(words(thread, emptyPlan(threadId, "p"))).toEqual(["a", "b", "c"]);
    const [first] = viewThread(thread, emptyPlan(threadId, "p"));
    expect(first).toEqual({ type: "message", message: thread.messageAt(0) });
  });

  it.each<[string, string, readonly PlanRecord[], string]>([
    ["V2: dropped messages are absent, wherever they are", "a b c d", [drop("a b"), drop("d")], "c"],
    ["V3: a summary stands at the first message of its span", "a b c d e", [summarize("c d")], "a, b, summary(c d), e"],
    ["V4: a summary can stand at the very start", "a b c", [summarize("a b")], "summary(a b), c"],
    ["V4: a summary can stand at the very end", "a b c", [summarize("b c")], "a, summary(b c)"],
    ["V6: a plan without records shows every message", "a b", [], "a, b"],
    ["V6: records over an empty log show nothing", "", [drop("a"), summarize("b")], ""],
    [
      "V6: ids missing from the log are ignored",
      "a b",
      [drop("x"), summarize("y z"), clear("v"), externalize("w", "span")],
      "a, b",
    ],
    [
      "V7: everything folded leaves the summaries",
      "a b c d",
      [summarize("a b"), summarize("c d")],
      "summary(a b), summary(c d)",
    ],
    ["V7: everything dropped leaves nothing", "a b", [drop("a b")], ""],
    [
      "V8: summaries keep the order of their spans, whatever the order of the records",
      "a b c d",
      [summarize("d"), summarize("a")],
      "summary(a), b, c, summary(d)",
    ],
    ["a cleared message stays in place", "a b c", [clear("b")], "a, cleared(b), c"],
    [
      "an externalized body stays in place, an externalized span becomes one pointer",
      "a b c d",
      [externalize("a", "body"), externalize("c d", "span")],
      "externalized-body(a), b, pointer(c d)",
    ],
    [
      "V14: messages of side branches are never shown, folded or not",
      "a b:1 b b:2 b:3",
      [summarize("b b:2"), drop("b:3")],
      "a, summary(b b:2)",
    ],
    [
      "a span with a gap shows its summary once, followed by the message in the gap",
      "a b c",
      [summarize("a c"), clear("b")],
      "summary(a c), cleared(b)",
    ],
  ])("%s", (_, ids, records, expected) => {
    expect(shown(ids, ...records)).toBe(expected);
  });

  it("V5: requires a non-empty span for a summary and a summary for a span", () => {
    const { summary: _summary, ...without } = summarize("a") as PlanRecord & { summary: unknown };
    expect(summarizationRecordSchema.safeParse(without).success).toBe(false);
    expect(
      summarizationRecordSchema.safeParse({ ...summarize("a"), span: { messageIds: [], firstTurn: 0, lastTurn: 0 } })
        .success,
    ).toBe(false);
  });

  it("V10, V11: lets a later plan fold earlier summaries, with or without messages around them, and keeps the others in place", () => {
    const thread = threadOf("a b c d e f");
    const first = planOf(thread, summarize("a b"), summarize("c"), summarize("e f"));
    expect(words(thread, first).join(", ")).toBe("summary(a b), summary(c), d, summary(e f)");
    expect(words(thread, planOf(thread, drop("a b"), summarize("c"), summarize("e f"))).join(", ")).toBe(
      "summary(c), d, summary(e f)",
    );
    expect(words(thread, planOf(thread, summarize("a b c d"), summarize("e f"))).join(", ")).toBe(
      "summary(a b c d), summary(e f)",
    );
    expect(words(thread, planOf(thread, summarize("a b"), drop("c d e f"))).join(", ")).toBe("summary(a b)");
  });

  it("V12: shows summaries as the plan's own records, so that they can be traced", () => {
    const thread = threadOf("a b");
    const plan = planOf(thread, summarize("a"));
    expect(viewThread(thread, plan)).toEqual(viewThread(thread, plan));
    const [entry] = viewThread(thread, plan);
    expect(entry?.type === "summary" && entry.record).toBe(plan.summarizations[0]);
  });
});

describe("pins in a view", () => {
  const rules = threadOf("a b c").appendEntries([pinned("p", "text of a", "a"), pinned("q", "no source")]);

  it("stand where they were made if nothing is folded, unless their source is shown", () => {
    expect(words(rules, emptyPlan(threadId, "p"))).toEqual(["a", "b", "c", "pins(q=no source)"]);
  });

  it("are gathered before the first fold if their source is folded or missing", () => {
    expect(words(rules, planOf(rules, drop("b"))).join(", ")).toBe("a, pins(q=no source), c");
    expect(words(rules, planOf(rules, summarize("a b"))).join(", ")).toBe(
      "pins(p=text of a; q=no source), summary(a b), c",
    );
    expect(words(rules, planOf(rules)).join(", ")).toBe("pins(q=no source), a, b, c");
  });

  it("are shown if the text of their source is cleared, but not if only other parts are", () => {
    expect(foldedPins(rules, planOf(rules, clear("a", ["text"]))).map(({ id }) => id)).toEqual(["p", "q"]);
    expect(foldedPins(rules, planOf(rules, clear("a", ["media"]))).map(({ id }) => id)).toEqual(["q"]);
    expect(foldedPins(rules, planOf(rules, externalize("a", "body"))).map(({ id }) => id)).toEqual(["p", "q"]);
  });

  it("stand in place if made or lifted after the plan", () => {
    const plan = planOf(rules, drop("b"));
    const later = rules
      .append([sampleMessage("d")])
      .appendEntries([pinned("r", "new rule"), lifted("q")])
      .append([sampleMessage("e")]);
    expect(words(later, plan).join(", ")).toBe("a, pins(q=no source), c, d, pins(r=new rule), lifted(q=no source), e");
  });

  it("are not shown if lifted before the plan", () => {
    const thread = rules.appendEntries([lifted("q"), lifted("p")]);
    expect(words(thread, planOf(thread, drop("a"))).join(", ")).toBe("b, c");
  });

  it("are shown if their source lacks their text or does not exist", () => {
    const thread = threadOf("a b:1").appendEntries([
      pinned("wrong", "something else", "a"),
      pinned("gone", "text of z", "z"),
      pinned("side", "text of b:1", "b:1"),
    ]);
    const expected = "wrong=something else; gone=text of z; side=text of b:1";
    expect(words(thread, planOf(thread)).join(", ")).toBe(`pins(${expected}), a`);
    expect(words(thread, emptyPlan(threadId, "p")).slice(1).join("; ")).toBe(
      expected
        .split("; ")
        .map((text) => `pins(${text})`)
        .join("; "),
    );
  });

  it("P7: keep their earlier entries if a lifted pin's id is reused or a source comes later", () => {
    const steps: ThreadEntryInput[] = [
      { type: "message", message: sampleMessage("a") },
      pinned("p", "first rule"),
      lifted("p"),
      pinned("p", "second rule"),
      pinned("early", "text of b", "b"),
      { type: "message", message: sampleMessage("b") },
      lifted("p"),
    ];
    const versions = steps.map((_, index) => AgentThread.empty(threadId).appendEntries(steps.slice(0, index + 1)));
    const last = versions.at(-1) as AgentThread;
    for (const made of versions) {
      for (const plan of [emptyPlan(threadId, "p"), planOf(made), planOf(made, summarize("a"))]) {
        for (const version of versions.filter((thread) => thread.version >= made.version)) {
          const shorter = words(version, plan);
          expect(words(last, plan).slice(0, shorter.length)).toEqual(shorter);
        }
      }
    }
    expect(words(last, emptyPlan(threadId, "p")).join(", ")).toBe(
      "a, pins(p=first rule), lifted(p=first rule), pins(p=second rule), pins(early=text of b), b, lifted(p=second rule)",
    );
  });
});

/** A thread, a version of it, and a plan of that version in which no message stands twice. */
const cases = agentThreads({ malformed: true, maxMessages: 24 }).chain((thread) =>
  fc.nat(thread.version).chain((version) =>
    fc.tuple(planRecordsFor(thread.atVersion(version)), fc.boolean()).map(([records, none]) => {
      const plan = none ? emptyPlan(thread.id, "p") : planOf(thread.atVersion(version), ...withoutOverlaps(records));
      return { thread, plan };
    }),
  ),
);

describe("laws of the view", () => {
  it("V15, P7: the view of a longer thread under the same plan begins with the view of the shorter one", () => {
    fc.assert(
      fc.property(cases, fc.nat(), ({ thread, plan }, pick) => {
        const version = plan.threadVersion + (pick % (thread.version - plan.threadVersion + 1));
        const shorter = viewThread(thread.atVersion(version), plan);
        const longer = viewThread(thread, plan);
        expect(longer.slice(0, shorter.length).map(word)).toEqual(shorter.map(word));
      }),
      { numRuns: 200 },
    );
  });

  it("P1: every main-branch message is shown or belongs to exactly one record", () => {
    fc.assert(
      fc.property(cases, ({ thread, plan }) => {
        const view = viewThread(thread, plan);
        const stays = view.flatMap((entry) => ("message" in entry ? [entry.message.id] : []));
        const removed = planRecords(plan)
          .filter(removesMessages)
          .flatMap(({ span }) => span.messageIds);
        const main = [...thread.messages].filter(({ branch }) => branch === undefined).map(({ id }) => id);
        expect(stays).toEqual(main.filter((id) => !removed.includes(id)));
        const standIns = view.flatMap((entry) =>
          entry.type === "summary" || entry.type === "pointer" ? [entry.record] : [],
        );
        const expected = planRecords(plan).filter(
          (record) =>
            removesMessages(record) &&
            record.action !== "drop" &&
            thread.message(record.span.messageIds[0] as never)?.branch === undefined,
        );
        expect(new Set(standIns)).toEqual(new Set(expected));
        expect(standIns.length).toBe(expected.length);
      }),
      { numRuns: 200 },
    );
  });

  it("P5: every live pin is shown in a pin block or in an unchanged message that contains it", () => {
    fc.assert(
      fc.property(cases, ({ thread, plan }) => {
        const view = viewThread(thread, plan);
        const inBlocks = new Set(
          view.flatMap((entry) => (entry.type === "pins" ? entry.pins.map(({ id }) => id) : [])),
        );
        const verbatim = view.flatMap((entry) =>
          entry.type === "message" || (entry.type === "cleared" && !entry.record.targets.includes("text"))
            ? [entry.message]
            : [],
        );
        for (const { id, text } of thread.livePins) {
          const saidByMessage = () =>
            verbatim.some(({ parts }) => parts.some((part) => part.type === "text" && part.text.includes(text)));
          expect(inBlocks.has(id) || saidByMessage(), `pin ${id}`).toBe(true);
        }
      }),
      { numRuns: 200 },
    );
  });

  it("it is a pure function of thread and plan", () => {
    fc.assert(
      fc.property(cases, ({ thread, plan }) => {
        const { digest } = thread;
        const planId = sealPlan(plan).planId;
        expect(viewThread(thread, plan)).toEqual(viewThread(thread, plan));
        expect([thread.digest, sealPlan(plan).planId]).toEqual([digest, planId]);
      }),
      { numRuns: 60 },
    );
  });
});

describe("ThreadView", () => {
  it("V15 shows the same for a growing thread as for the whole at once", () => {
    const cases = agentThreads({ malformed: true }).chain((thread) =>
      fc.tuple(
        fc.constant(thread),
        planRecordsFor(thread),
        fc.array(fc.nat({ max: thread.version }), { maxLength: 4 }),
      ),
    );
    fc.assert(
      fc.property(cases, ([thread, records, cuts]) => {
        const versions = [...cuts, thread.version].sort((a, b) => a - b);
        const covered = thread.atVersion(versions[0] as number);
        const plan = planOf(
          covered,
          ...withoutOverlaps(records).filter(({ span }) => span.messageIds.every((id) => covered.message(id))),
        );
        let view = ThreadView.of(covered, plan);
        for (const version of versions) {
          const grown = thread.atVersion(version);
          view = view.extend(grown);
          expect(view.entries.slice()).toEqual(viewThread(grown, plan));
        }
      }),
      runs(300),
    );
  });
});
