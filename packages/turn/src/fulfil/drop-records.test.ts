import {
  AgentThread,
  asMessageId,
  asThreadId,
  type CompactionPlan,
  type DropRecord,
  emptyPlan,
  finishSteps,
  type MessageInput,
  planRecords,
  removesMessages,
  spanLength,
} from "@threadfold/core";
import { assistant, call, message, messageInputs, result, runs, text, tool } from "@threadfold/core/laws";
import { presetByName } from "@threadfold/strategies";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { shapeOf } from "../testing/fold-case.ts";
import { runFold } from "../testing/run-fold.ts";
import { KEPT_FIELDS, withJoinedDrops } from "./drop-records.ts";
import type { Fulfilment } from "./fulfilment.ts";

const thread = AgentThread.empty(asThreadId("t")).append(
  Array.from({ length: 12 }, (_, at) =>
    message(`m${at}`, "user", `Question ${at}?`, at === 7 ? { branch: "side" } : {}),
  ),
);

const shape = shapeOf(thread);
const drop = (ordinals: readonly number[], since: number, fields: Partial<DropRecord> = {}): DropRecord => ({
  action: "drop",
  span: shape.spanOf(ordinals),
  strategy: "window",
  reason: "It is old.",
  sincePlanVersion: since,
  originalTokens: 10,
  keywords: ordinals.map((ordinal) => `word${ordinal}`),
  ...fields,
});

/** The drops of a fold that makes plan 5, as the ordinals that each holds. */
function joined(...records: readonly DropRecord[]): readonly DropRecord[] {
  return finishSteps(withJoinedDrops(records, { shape, planVersion: 5 } as Fulfilment)) as readonly DropRecord[];
}
const held = (records: readonly DropRecord[]) => records.map(({ span }) => shape.ordinalsOf(span));

describe("drops that lie side by side", () => {
  it("become one, which says since when the prompt shows none of them", () => {
    const [record, ...others] = joined(drop([2, 3], 2), drop([0, 1], 1), drop([4], 3));
    expect(others).toEqual([]);
    expect(record).toEqual({
      ...drop([0, 1, 2, 3, 4], 3),
      originalTokens: 30,
      keywords: ["word0", "word1", "word2", "word3", "word4"],
    });
  });

  it("stay apart from what this fold drops, which also becomes one", () => {
    expect(held(joined(drop([0, 1], 1), drop([2], 2), drop([3], 5), drop([4, 5], 5)))).toEqual([
      [0, 1, 2],
      [3, 4, 5],
    ]);
  });

  it("stay apart when they were dropped by another strategy or for another reason, or when something shows between", () => {
    const apart = [
      drop([0], 1),
      drop([1], 1, { strategy: "floor" }),
      drop([2], 1, { reason: "It is long." }),
      drop([4], 1),
    ];
    expect(joined(...apart)).toEqual(apart);
  });

  it("become one across a message of a side branch, which no prompt shows", () => {
    expect(held(joined(drop([5, 6], 1), drop([8], 2)))).toEqual([[5, 6, 8]]);
  });

  it("become one behind a group that goes on after the next one began, as one whose result comes after a question", () => {
    expect(held(joined(drop([0, 2], 1), drop([1], 1), drop([3], 1)))).toEqual([[0, 1, 2, 3]]);
  });

  it("keep the first and the last of their keywords", () => {
    const [record] = joined(
      ...Array.from({ length: 5 }, (_, at) => drop([at], 1, { keywords: [1, 2, 3, 4].map((n) => `k${at}.${n}`) })),
    );
    expect(record?.keywords).toEqual([
      "k0.1",
      "k0.2",
      "k0.3",
      "k0.4",
      "k1.1",
      "k1.2",
      "k3.3",
      "k3.4",
      "k4.1",
      "k4.2",
      "k4.3",
      "k4.4",
    ]);
  });
});

/** Messages of an agent at work: a question now and then, and calls with their results, of which some keep a field. */
const step = (at: number): readonly MessageInput[] => [
  ...(at % 5 === 0 ? [message(`u${at}`, "user", `Question ${at}?`)] : []),
  assistant(`a${at}`, [text(`Looking at ${at}.`), call(`c${at}`, "bash", { command: `cat file-${at}.ts` })]),
  tool(`r${at}`, [
    result(`c${at}`, `export const value = ${at};\n`.repeat(4), {
      toolName: "bash",
      ...(at % 3 === 0 && { keyFields: { order: `${at}` } }),
    }),
  ]),
];

/** Folds a working agent's thread at every step; calls back after each fold. */
async function foldEachStep(
  name: string,
  steps: number,
  onFold: (plan: CompactionPlan, before: CompactionPlan, thread: AgentThread) => void,
  between: readonly (readonly MessageInput[])[] = [],
): Promise<CompactionPlan> {
  const preset = presetByName(name);
  const config = { maxInputTokens: 600, targetPercent: 0.4 };
  let growing = AgentThread.empty(asThreadId("w"));
  let plan = emptyPlan(growing.id, "test");
  for (let at = 0; at < steps; at++) {
    const odd = (between[at / 10] ?? []).map((one, index) => ({ ...one, id: asMessageId(`x${at}-${index}`) }));
    growing = growing.append([...odd, ...step(at)]);
    const made = await runFold(growing, { preset, plan, config }).result;
    if (made.type !== "ready") continue;
    onFold(made.plan, plan, growing);
    plan = made.plan;
  }
  return plan;
}

describe("a window that drops at every step", () => {
  const WINDOWS = ["spring-session-sliding", "spring-session-turns", "spring-session-tokens", "codex"];

  it("law: has no two drops side by side that could be one, and brings nothing back", async () => {
    let folds = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...WINDOWS),
        fc.array(messageInputs({ malformed: true, maxMessages: 3 }), { maxLength: 3 }),
        async (name, between) => {
          await foldEachStep(
            name,
            25,
            (plan, before, growing) => {
              folds++;
              const taken = new Set(
                planRecords(plan)
                  .filter(removesMessages)
                  .flatMap(({ span }) => span.messageIds),
              );
              expect(before.drops.flatMap(({ span }) => span.messageIds).filter((id) => !taken.has(id))).toEqual([]);
              const now = { shape: shapeOf(growing), planVersion: plan.version } as Fulfilment;
              expect(finishSteps(withJoinedDrops(plan.drops, now))).toBe(plan.drops);
            },
            between,
          );
        },
      ),
      runs(20),
    );
    expect(folds).toBeGreaterThan(runs(20).numRuns);
  });

  it.each(["spring-session-sliding", "spring-session-tokens"])(
    "has as few drops after many folds as after some: %s",
    async (name) => {
      const counts: number[] = [];
      const { drops, summarizations } = await foldEachStep(name, 120, (plan) => void counts.push(plan.drops.length));
      expect(summarizations.map(({ summarizer }) => summarizer)).toEqual([KEPT_FIELDS]);
      expect(counts.length).toBeGreaterThan(5);
      expect(drops.reduce((sum, { span }) => sum + spanLength(span), 0)).toBeGreaterThan(100);
      expect(Math.max(...counts.slice(-5))).toBeLessThanOrEqual(6);
    },
  );
});
