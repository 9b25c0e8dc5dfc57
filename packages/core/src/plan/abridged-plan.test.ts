import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { TokenLedger } from "../budget/token-ledger.ts";
import type { ThreadfoldError } from "../errors/threadfold-error.ts";
import { digestOf } from "../json/sha256.ts";
import { agentThreads, countingTokenizer, planRecordsFor, runs, withoutOverlaps } from "../laws/index.ts";
import { asMessageId, asThreadId, asToolCallId } from "../model/ids.ts";
import type { Message, MessageInput } from "../model/message.ts";
import { AgentThread } from "../thread/agent-thread.ts";
import { countIds, outlineOf, type SpanReference, spanOf, spanStart } from "../thread/span-reference.ts";
import {
  abridgePlan,
  expandPlan,
  expandPlanInSteps,
  hiddenRuns,
  isAbridgedPlan,
  parseAbridgedPlan,
  runsOfAbridged,
  spellOutPlan,
} from "./abridged-plan.ts";
import {
  actionOf,
  type CompactionPlan,
  groupRecords,
  planRecords,
  sealPlan,
  serializePlan,
} from "./compaction-plan.ts";
import { planDiff } from "./explain.ts";
import { groupMessages } from "./message-group.ts";
import { normalizePlan } from "./normalize-plan.ts";
import type { PlanRecord } from "./plan-record.ts";
import { threadShape } from "./thread-shape.ts";
import { viewThread } from "./thread-view.ts";

function planOver(thread: AgentThread, records: readonly PlanRecord[], normalized: boolean): CompactionPlan {
  const ledger = TokenLedger.empty(countingTokenizer(), () => "anchoring").extend(thread);
  const shape = threadShape(thread, ledger, groupMessages(ledger.headers));
  const grouped = groupRecords(records);
  return sealPlan({
    ...(normalized ? normalizePlan(grouped, shape).records : groupRecords(withoutOverlaps(records))),
    threadId: thread.id,
    threadVersion: thread.version,
    version: 1,
    policyVersion: "test",
    createdAt: "2025-01-01T00:00:00.000Z",
    originalTokens: 2,
    compactedTokens: 1,
  });
}

const placesOf = (thread: AgentThread) => {
  const places = new Map<string, { version: number; ordinal: number }>();
  for (const { version, entry } of thread.entriesInMemory())
    if (entry.type === "message") places.set(entry.message.id, { version, ordinal: entry.message.ordinal });
  return places;
};

const messagesIn =
  (thread: AgentThread) =>
  ({ fromVersion, toVersion }: { readonly fromVersion: number; readonly toVersion: number }) =>
    thread
      .entriesBetween(fromVersion - 1, toVersion)
      .flatMap((entry) => (entry.type === "message" ? [entry.message] : []));

const abridge = (plan: CompactionPlan, thread: AgentThread): string => {
  const places = placesOf(thread);
  return abridgePlan(plan, (id) => places.get(id));
};

const plans = agentThreads({ malformed: true })
  .filter((thread) => thread.length > 0)
  .chain((thread) => fc.tuple(fc.constant(thread), planRecordsFor(thread), fc.boolean()))
  .map(([thread, records, normalized]) => ({ thread, plan: planOver(thread, records, normalized) }));

const user = (number: number): MessageInput => ({
  id: `m${number}` as never,
  role: "user",
  createdAt: "2025-01-01T00:00:00.000Z",
  parts: [{ type: "text", text: `text ${number}` }],
});

/** A thread of so many messages and a plan that drops all but the first and the last three. */
function droppedMiddle(count: number): { readonly thread: AgentThread; readonly plan: CompactionPlan } {
  const thread = AgentThread.empty(asThreadId("long")).append(
    Array.from({ length: count }, (_, number) => user(number)),
  );
  const span = spanOf(thread.messagesBetween(1, count - 3));
  const drop = {
    action: "drop" as const,
    span,
    strategy: "s",
    reason: "r",
    sincePlanVersion: 1,
    originalTokens: 1,
    keywords: [],
  };
  return { thread, plan: planOver(thread, [drop], true) };
}

describe("an abridged plan", () => {
  it("expands to the same plan, byte for byte", () => {
    fc.assert(
      fc.property(plans, ({ thread, plan }) => {
        const text = abridge(plan, thread);
        if (isAbridgedPlan(text)) expect(serializePlan(expandPlan(text, messagesIn(thread)))).toBe(serializePlan(plan));
        else expect(text).toBe(serializePlan(plan));
      }),
      runs(200),
    );
  });

  it("treats every message like the whole plan, with its records in order", () => {
    fc.assert(
      fc.property(plans, ({ thread, plan }) => {
        const text = abridge(plan, thread);
        if (!isAbridgedPlan(text)) return;
        const outlined = parseAbridgedPlan(text);
        expect(outlined.planId).toBe(plan.planId);
        expect(hiddenRuns(outlined)).toEqual(expect.arrayContaining([...runsOfAbridged(text)]));
        const records = planRecords(outlined);
        expect(records.map(({ span }) => spanStart(span))).toEqual(
          planRecords(plan).map(({ span }) => spanStart(span)),
        );
        const whole = planRecords(expandPlan(text, messagesIn(thread)));
        expect(records.map((record) => Object.keys(record))).toEqual(whole.map((record) => Object.keys(record)));
        for (const { id, ordinal } of thread.messages) {
          const { action, record } = actionOf(outlined, id, ordinal);
          const expected = actionOf(plan, id);
          expect(action).toBe(expected.action);
          expect(record && spanStart(record.span)).toEqual(expected.record && spanStart(expected.record.span));
        }
      }),
      runs(200),
    );
  });

  it("gives the same view of a thread as the whole plan", () => {
    const long = droppedMiddle(60);
    const withStart = (key: string, value: unknown) => (key === "span" ? spanStart(value as SpanReference) : value);
    const seen = (thread: AgentThread, plan: CompactionPlan) =>
      viewThread(thread, plan).map((entry) => JSON.parse(JSON.stringify(entry, withStart)));
    fc.assert(
      fc.property(plans, ({ thread, plan }) => {
        const text = abridge(plan, thread);
        if (isAbridgedPlan(text)) expect(seen(thread, parseAbridgedPlan(text))).toEqual(seen(thread, plan));
      }),
      { ...runs(200), examples: [[long]] },
    );
  });

  it("P9 does not grow with the number of messages that it hides", () => {
    const [short, long] = [1_000, 4_000].map((count) => {
      const { thread, plan } = droppedMiddle(count);
      return abridge(plan, thread);
    });
    expect(short && isAbridgedPlan(short)).toBe(true);
    expect((long as string).length - (short as string).length).toBeLessThan(20);
  });

  it("throws instead of giving only part of its ids", () => {
    const { thread, plan } = droppedMiddle(40);
    const outlined = parseAbridgedPlan(abridge(plan, thread));
    const span = (outlined.drops[0] as PlanRecord).span;
    expect(outlineOf(span)?.count).toBe(36);
    for (const ask of [
      () => span.messageIds.length,
      () => serializePlan(outlined),
      () => sealPlan(outlined),
      () => planDiff(plan, outlined),
      () => actionOf(outlined, "m5" as never),
    ])
      expect(ask).toThrow(/left in the store/);
    for (const copy of [{ ...span }, structuredClone(span), JSON.parse(JSON.stringify(span))]) {
      expect(copy.messageIds).toBeUndefined();
      expect(outlineOf(copy)).toEqual(outlineOf(span));
    }
    expect(actionOf(outlined, "m5" as never, 5).action).toBe("drop");
    expect(actionOf(outlined, "m0" as never, 0).action).toBe("include");
  });

  it("is refused if it or the log under it was changed", () => {
    const { thread, plan } = droppedMiddle(40);
    const text = abridge(plan, thread);
    for (let at = 0; at < text.length; at++) {
      const changed = text.slice(0, at) + (text[at] === "1" ? "2" : "1") + text.slice(at + 1);
      expect(() => parseAbridgedPlan(changed), `character ${at}`).toThrow(/INVALID_PLAN|not as it was|JSON|schema/);
    }
    const others = AgentThread.empty(asThreadId("long")).append(
      Array.from({ length: 40 }, (_, number) => user(number + 1)),
    );
    expect(() => expandPlan(text, messagesIn(others))).toThrow();
    expect(() => expandPlan(text, (run) => messagesIn(thread)(run).slice(1))).toThrow(/not as it was/);
  });
});

describe("plans that are abridged", () => {
  const thread = AgentThread.empty(asThreadId("long")).append(Array.from({ length: 20 }, (_, number) => user(number)));
  const dropping = (...ordinals: readonly number[]): PlanRecord => ({
    action: "drop",
    span: spanOf(ordinals.map((ordinal) => thread.messageAt(ordinal) as Message)),
    ...{ strategy: "s", reason: "r", sincePlanVersion: 1, originalTokens: 1, keywords: [] },
  });
  const from = (first: number, count: number): readonly number[] =>
    Array.from({ length: count }, (_, at) => first + at);
  const textOf = (...records: readonly PlanRecord[]) => abridge(planOver(thread, records, false), thread);
  const refusal = (work: () => unknown) => {
    try {
      return work();
    } catch (error) {
      const { code, message, hint } = error as ThreadfoldError;
      return { code, message, hint };
    }
  };
  const NOT_AS_WRITTEN = {
    code: "INVALID_PLAN",
    message: "The plan is not as it was written.",
    hint: "Run a check of the store; the thread itself is not affected.",
  };

  it("hide at least four messages per run", () => {
    const isAbridged = (...records: readonly PlanRecord[]) => isAbridgedPlan(textOf(...records));
    expect([isAbridged(dropping(...from(1, 3))), isAbridged(dropping(...from(1, 4)))]).toEqual([false, true]);
    expect(isAbridged(dropping(...from(1, 3), ...from(6, 4)))).toBe(false);
    expect(isAbridged(dropping(...from(1, 4), ...from(6, 4)))).toBe(true);
    expect(isAbridged()).toBe(false);
    // One record that is long is enough, and the short one stays as it is.
    const text = textOf(dropping(1), dropping(...from(3, 5)));
    expect(runsOfAbridged(text)).toEqual([{ fromVersion: 4, toVersion: 8, fromOrdinal: 3, toOrdinal: 7 }]);
    expect(hiddenRuns(parseAbridgedPlan(text))).toEqual(runsOfAbridged(text));
    expect(parseAbridgedPlan(text).drops[0]?.span.messageIds).toEqual(["m1"]);
    expect(hiddenRuns(planOver(thread, [dropping(...from(3, 5))], false))).toEqual([]);
  });

  it("do not include plans with a message of unknown position", () => {
    const plan = planOver(thread, [dropping(...from(1, 6))], false);
    const places = placesOf(thread);
    expect(abridgePlan(plan, (id) => (id === "m3" ? undefined : places.get(id)))).toBe(serializePlan(plan));
  });

  it("are expanded in steps to the same plan, and keep the tokens of their runs", () => {
    const count = 150_000;
    const messages = Array.from({ length: count }, (_, ordinal) => ({ id: asMessageId(`m${ordinal}`), ordinal }));
    const messageIds = Object.freeze(messages.map(({ id }) => id));
    const span = { messageIds, firstTurn: 0, lastTurn: 0 };
    const base = { ...dropping(...from(1, 4)), span };
    const plan = sealPlan({ ...planOver(thread, [], false), ...groupRecords([base]), threadVersion: count });
    const placeOf = (id: string) => ({ version: Number(id.slice(1)) + 1, ordinal: Number(id.slice(1)) });
    countIds(messageIds, { tokenizer: "counter", runs: [{ tokens: 17, unanswered: [asToolCallId("c")] }] });
    const text = abridgePlan(plan, placeOf);
    const [outline] = planRecords(parseAbridgedPlan(text)).map((record) => outlineOf(record.span));
    expect(outline).toMatchObject({ count, tokenizer: "counter", runs: [{ tokens: 17, unanswered: ["c"] }] });
    const steps = expandPlanInSteps(text, ({ fromOrdinal, toOrdinal }) => messages.slice(fromOrdinal, toOrdinal + 1));
    let taken = 1;
    let next = steps.next();
    for (; next.done !== true; next = steps.next()) taken++;
    expect(next.value.planId).toBe(plan.planId);
    expect(next.value.drops[0]?.span.messageIds).toEqual(messageIds);
    expect(taken).toBeGreaterThan(2);
  });

  it("are expanded to the original text only over an unchanged log", () => {
    const plan = planOver(thread, [dropping(...from(1, 4), ...from(6, 4))], false);
    const text = abridge(plan, thread);
    expect(spellOutPlan(text, messagesIn(thread))).toBe(serializePlan(plan));
    const changed = [
      (messages: readonly Message[]) => messages.slice(1),
      (messages: readonly Message[]) => [...messages.slice(0, -1), messages[0] as Message],
      (messages: readonly Message[]) => messages.map((message) => ({ ...message, ordinal: message.ordinal + 1 })),
      ([first, ...others]: readonly Message[]) => [{ ...(first as Message), id: asMessageId("other") }, ...others],
    ];
    for (const change of changed) {
      expect(refusal(() => spellOutPlan(text, (run) => change(messagesIn(thread)(run))))).toEqual(NOT_AS_WRITTEN);
      expect(refusal(() => expandPlan(text, (run) => change(messagesIn(thread)(run))))).toEqual(NOT_AS_WRITTEN);
    }
    // In the middle of a run the id of the whole plan tells.
    const middle = (messages: readonly Message[]) =>
      messages.map((message) => (message.id === "m2" ? { ...message, id: asMessageId("other") } : message));
    expect(refusal(() => expandPlan(text, (run) => middle(messagesIn(thread)(run))))).toMatchObject({
      code: "INVALID_PLAN",
      message: expect.stringMatching(/^The content of plan .+ does not match its id\.$/),
      hint: "The plan was changed after it was made; restore an intact copy.",
    });
  });

  it.each([
    ["", NOT_AS_WRITTEN],
    ['{"abridged":1,', NOT_AS_WRITTEN],
    ['{"abridged":1,"plan":1}', NOT_AS_WRITTEN],
    [`{"abridged":1,"digest":"${digestOf("x")}","plan":"x"}`, NOT_AS_WRITTEN],
    [`{"abridged":1,"digest":"${digestOf({})}","plan":{}}`, NOT_AS_WRITTEN],
    ['{"abridged":2,"plan":{}}', NOT_AS_WRITTEN],
  ])("are not read from malformed text: %s", (text, error) => {
    for (const read of [parseAbridgedPlan, runsOfAbridged]) expect(refusal(() => read(text))).toEqual(error);
  });
});
