import {
  AgentThread,
  asMessageId,
  asThreadId,
  type CompactionPlan,
  compactionConfig,
  groupMessages,
  type MessageInput,
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
import { type CompactionPreset, durabilityPolicy, presetByName } from "@threadfold/strategies";
import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { absorbedStretches } from "../propose/absorbed-stretches.ts";
import { folded, runFold } from "../testing/run-fold.ts";
import type { FoldResult } from "../verify/fold-result.ts";

const BUDGET = { maxInputTokens: 600, targetPercent: 0.4 };
const PRESETS = ["threadfold", "ladder", "codex", "claude-code", "pi", "opencode", "spring-session-turns"];

/** A working agent's messages: a question now and then, and calls with their results. */
const work = (from: number, count: number, perTurn: number): readonly MessageInput[] =>
  Array.from({ length: count }, (_, index) => from + index).flatMap((at) => [
    ...(at % perTurn === 0 ? [message(`u${at}`, "user", `Question ${at}?`)] : []),
    assistant(`a${at}`, [text(`Looking at ${at}.`), call(`c${at}`, "bash", { command: `cat file-${at}.ts` })]),
    tool(`r${at}`, [result(`c${at}`, `export const value = ${at};\n`.repeat(4), { toolName: "bash" })]),
  ]);

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

describe("P9: what an earlier plan absorbed is not walked again", () => {
  it("makes the plan that a walk of everything makes", async () => {
    let looked = 0;
    await fc.assert(
      fc.asyncProperty(
        messageInputs({ malformed: true, maxMessages: 12 }),
        messageInputs({ malformed: true, maxMessages: 12 }),
        fc.integer({ min: 2, max: 200 }),
        fc.constantFrom(...PRESETS),
        async (before, after, perTurn, name) => {
          const preset = presetByName(name);
          let thread = AgentThread.empty(asThreadId("long")).append([
            ...work(0, 60, perTurn),
            ...renamed(before, "x"),
            ...work(60, 30, perTurn),
          ]);
          const first = await runFold(thread, { preset, config: BUDGET }).result;
          if (first.type !== "ready") return;
          thread = thread.append([...renamed(after, "y"), ...work(90, 30, perTurn)]);
          if (leftOut(thread, first.plan, preset).length === 0) return;
          looked++;
          expect(await fold(thread, first.plan, preset)).toEqual(await fold(thread, first.plan, preset, true));
        },
      ),
      runs(60),
    );
    expect(looked).toBeGreaterThan(10);
  });

  it("reads no more messages behind a long history than behind a short one", async () => {
    const preset = presetByName("threadfold");
    const readBehind = async (count: number): Promise<number> => {
      let thread = AgentThread.empty(asThreadId("long")).append(work(0, count, 1_000));
      const { plan } = await folded(thread, { preset, config: BUDGET });
      thread = thread.append(work(count, 30, 1_000));
      const reads = vi.spyOn(thread, "messageAt");
      expect((await fold(thread, plan, preset)).type).toBe("ready");
      return reads.mock.calls.length;
    };
    const short = await readBehind(200);
    expect(short).toBeGreaterThan(0);
    expect(await readBehind(1_000)).toBeLessThan(short * 1.2);
  });

  it("leaves out nearly all of a long run that was summarized", async () => {
    const preset = presetByName("threadfold");
    const thread = AgentThread.empty(asThreadId("long")).append(work(0, 500, 1_000));
    const plan = await folded(thread, { preset, config: BUDGET }).then((ready) => ready.plan);
    const stretches = leftOut(thread, plan, preset);
    const count = stretches.reduce((sum, { from, to }) => sum + to - from + 1, 0);
    expect(count).toBeGreaterThan(900);
  });
});
