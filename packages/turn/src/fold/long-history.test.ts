import {
  AgentThread,
  asMessageId,
  asThreadId,
  type CompactionPlan,
  compactionConfig,
  groupMessages,
  type MessageId,
  type MessageInput,
  planRecords,
  removesMessages,
  type Stretch,
  TokenLedger,
} from "@threadfold/core";
import {
  assistant,
  call,
  countingTokenizer,
  message,
  messageInputs,
  result,
  runs,
  text,
  tool,
} from "@threadfold/core/laws";
import { type CompactionPreset, durabilityPolicy, PRESETS, presetByName } from "@threadfold/strategies";
import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { absorbedStretches } from "../propose/absorbed-stretches.ts";
import { folded, runFold } from "../testing/run-fold.ts";
import type { FoldResult } from "../verify/fold-result.ts";

const BUDGET = { maxInputTokens: 600, targetPercent: 0.4 };
const PRESET_NAMES = PRESETS.map(({ name }) => name);

/** A working agent's messages: a question now and then, and calls with their results. */
const work = (from: number, count: number, perTurn: number): readonly MessageInput[] =>
  Array.from({ length: count }, (_, index) => from + index).flatMap((at) => [
    ...(at % perTurn === 0 ? [message(`u${at}`, "user", `Question ${at}?`)] : []),
    assistant(`a${at}`, [text(`Looking at ${at}.`), call(`c${at}`, "bash", { command: `cat file-${at}.ts` })]),
    tool(`r${at}`, [result(`c${at}`, `export const value = ${at};\n`.repeat(4), { toolName: "bash" })]),
  ]);

/** What a provider compacted by itself: no summary may hold it. */
const compaction = (id: string): MessageInput =>
  assistant(id, {
    type: "opaque",
    provider: "openai",
    value: { type: "compaction", encrypted_content: "x".repeat(99) },
  });

/** Messages under ids of their own. */
const renamed = (messages: readonly MessageInput[], prefix: string): readonly MessageInput[] =>
  messages.map((one, index) => ({ ...one, id: asMessageId(`${prefix}${index}`) }));

/** What a fold on top of a plan leaves out. */
function leftOut(thread: AgentThread, plan: CompactionPlan, preset: CompactionPreset): readonly Stretch[] {
  const config = compactionConfig({ ...preset.config, ...BUDGET });
  const ledger = TokenLedger.empty(countingTokenizer(), durabilityPolicy(config)).extend(thread);
  return absorbedStretches({ thread, ledger, grouped: groupMessages(ledger.headers), plan }, BUDGET.maxInputTokens);
}

const fold = (thread: AgentThread, plan: CompactionPlan, preset: CompactionPreset, all = false): Promise<FoldResult> =>
  runFold(thread, { preset, plan, config: BUDGET, ...(all && { leftOut: [] }) }).result;

describe("P9: a fold that skips what an earlier plan absorbed", () => {
  it("makes the same plan as a fold that walks everything", async () => {
    let looked = 0;
    await fc.assert(
      fc.asyncProperty(
        messageInputs({ malformed: true, maxMessages: 12 }),
        messageInputs({ malformed: true, maxMessages: 12 }),
        fc.integer({ min: 2, max: 200 }),
        fc.constantFrom(...PRESET_NAMES),
        fc.subarray(["in the middle", "behind", "later"]),
        fc.subarray(["at the start", "in the middle", "before the end"]),
        fc.boolean(),
        async (before, after, perTurn, name, compactions, rules, startsInTurn) => {
          const preset = presetByName(name);
          const compacted = (where: string): readonly MessageInput[] =>
            compactions.includes(where) ? [compaction(where)] : [];
          // Divides what is summarized.
          const ruled = (where: string): readonly MessageInput[] =>
            rules.includes(where) ? [message(`rule ${where}`, "system", "Be careful.")] : [];
          let thread = AgentThread.empty(asThreadId("long")).append([
            ...ruled("at the start"),
            ...work(startsInTurn ? 0 : 1, 20, perTurn),
            ...ruled("in the middle"),
            ...work(21, 40, perTurn),
            ...ruled("before the end"),
            ...compacted("in the middle"),
            ...renamed(before, "x"),
            ...work(61, 30, perTurn),
            ...compacted("behind"),
          ]);
          const first = await runFold(thread, { preset, config: BUDGET }).result;
          if (first.type !== "ready") return;
          thread = thread.append([...renamed(after, "y"), ...compacted("later"), ...work(91, 30, perTurn)]);
          if (leftOut(thread, first.plan, preset).length === 0) return;
          looked++;
          expect(await fold(thread, first.plan, preset)).toEqual(await fold(thread, first.plan, preset, true));
        },
      ),
      runs(60),
    );
    expect(looked).toBeGreaterThan(runs(10).numRuns);
  });

  it("law: skips only whole groups of one run, after its first two and before the recent messages", async () => {
    let seen = 0;
    let acrossTurns = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom("rules", "more rules"), { maxLength: 2 }),
        messageInputs({ malformed: true, maxMessages: 12 }),
        fc.integer({ min: 2, max: 200 }),
        fc.constantFrom(...PRESET_NAMES),
        fc.integer({ min: 0, max: 400 }),
        async (rules, between, perTurn, name, recentTokens) => {
          const preset = presetByName(name);
          const opening = rules.map((rule, index) => message(`s${index}`, "system", rule));
          const thread = AgentThread.empty(asThreadId("long")).append([
            ...opening,
            ...work(0, 70, perTurn),
            ...renamed(between, "x"),
            ...work(70, 40, perTurn),
          ]);
          const first = await runFold(thread, { preset, config: BUDGET }).result;
          if (first.type !== "ready") return;
          const config = compactionConfig({ ...preset.config, ...BUDGET });
          const ledger = TokenLedger.empty(countingTokenizer(), durabilityPolicy(config)).extend(thread);
          const grouped = groupMessages(ledger.headers);
          const { groups, groupOf } = grouped;
          const turnOf = (ordinal: number): number => ledger.header(ordinal)?.turn as number;
          const firstOf = (ordinal: number): number => groups[groupOf[ordinal] as number]?.ordinals[0] as number;
          const stretches = absorbedStretches({ thread, ledger, grouped, plan: first.plan }, recentTokens);
          const taken = planRecords(first.plan).filter(removesMessages);
          expect(stretches.map(({ from }) => from)).toEqual(stretches.map(({ from }) => from).sort((a, b) => a - b));
          for (const { from, to, within } of stretches) {
            expect(taken.map(({ span }) => span)).toContain(within);
            seen++;
            expect(to - from).toBeGreaterThanOrEqual(31);
            expect([firstOf(from), firstOf(to + 1)]).toEqual([from, to + 1]);
            expect([ledger.header(from)?.role, ledger.header(to + 1)?.role]).not.toContain("tool");
            const absorbed = new Set(within.messageIds);
            let start = from;
            while (start > 0 && absorbed.has(thread.messageAt(start - 1)?.id as MessageId)) start--;
            // The group in which the first turn begins stays, too.
            const indexOf = (ordinal: number): number => groupOf[ordinal] as number;
            const before = Array.from({ length: from - start }, (_, at) => start + at);
            const begins = before.find((ordinal) => firstOf(ordinal) >= start) as number;
            const opened = before.find((ordinal) => turnOf(ordinal) > 0) ?? start;
            const second = Math.max(indexOf(begins) + 1, indexOf(opened));
            expect((groupOf[from] as number) - second).toBe(1);
            const behind = groups.filter(({ ordinals }) => (ordinals.at(-1) as number) > to);
            const onMain = behind.filter(({ ordinals }) => ledger.header(ordinals[0] as number)?.branch === undefined);
            expect(onMain.reduce((sum, { tokens }) => sum + tokens, 0)).toBeGreaterThan(recentTokens);
            if (turnOf(from - 1) === turnOf(to)) continue;
            acrossTurns++;
            expect(turnOf(to)).not.toBe(turnOf(ledger.length - 1));
            expect(turnOf(from - 1)).toBeGreaterThan(0);
          }
        },
      ),
      runs(60),
    );
    expect(seen).toBeGreaterThan(runs(10).numRuns);
    expect(acrossTurns).toBeGreaterThan(0);
  });

  const shapesOf: readonly (readonly [string, (count: number) => readonly MessageInput[]])[] = [
    ["in one turn", (count) => work(0, count, 100_000)],
    ["in many turns", (count) => work(0, count, 50)],
    [
      "divided by system messages",
      (count) =>
        Array.from({ length: 5 }, (_, part) => part).flatMap((part) => [
          ...work((part * count) / 5, count / 5, 50),
          message(`s${part}`, "system", "Be careful."),
        ]),
    ],
  ];

  it.each(shapesOf)("reads no more messages after a long history than after a short one: %s", async (_, history) => {
    const preset = presetByName("threadfold");
    const readBehind = async (count: number): Promise<number> => {
      let thread = AgentThread.empty(asThreadId("long")).append(history(count));
      const { plan } = await folded(thread, { preset, config: BUDGET });
      thread = thread.append(work(count, 30, 100_000));
      const reads = vi.spyOn(thread, "messageAt");
      expect((await fold(thread, plan, preset)).type).toBe("ready");
      return reads.mock.calls.length;
    };
    const short = await readBehind(400);
    expect(short).toBeGreaterThan(0);
    expect(await readBehind(2_000)).toBeLessThan(short * 1.2);
  });

  it.each(shapesOf)("skips nearly all of what was summarized: %s", async (_, history) => {
    const preset = presetByName("threadfold");
    const thread = AgentThread.empty(asThreadId("long")).append(history(1_000));
    const plan = await folded(thread, { preset, config: BUDGET }).then((ready) => ready.plan);
    const stretches = leftOut(thread, plan, preset);
    const count = stretches.reduce((sum, { from, to }) => sum + to - from + 1, 0);
    expect(count).toBeGreaterThan(1_900);
  });
});
