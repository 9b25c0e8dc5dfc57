import type { CompletionModel, MessageInput } from "@threadfold/core";
import { message, messageInputs, patience, runs } from "@threadfold/core/laws";
import { PRESETS, presetByName } from "@threadfold/strategies";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ContextSession } from "../loop/context-session.ts";
import { openSession, tokenizer, work } from "../testing/agent-work.ts";

/** A turn of an agent: a request, so many calls with results of so many tokens, and an answer. */
const turn = (number: number, calls: number, tokens: number): readonly MessageInput[] => [
  message(`u${number}`, "user", `Task ${number}: change src/part_${number}.ts and run its tests.`),
  ...work(number * 10, number * 10 + calls, tokens),
  message(`d${number}`, "assistant", `Part ${number} is done, its tests pass.`),
];

describe.each(PRESETS.map((preset) => [preset.name, preset] as const))("preset %s", (name, preset) => {
  it("keeps folding in a long session, in its last quarter as in its first", {
    timeout: patience(120_000),
  }, async () => {
    const session = await openSession({ preset, config: { maxInputTokens: 8_000 }, journal: false });
    const folds = [0, 0, 0, 0];
    for (let number = 0; number < 100; number++) {
      await session.append(turn(number, 3, 150));
      const { outcome, tokens } = await session.prepare();
      expect(tokens).toBeLessThanOrEqual(8_000);
      if (outcome?.type === "committed") (folds[Math.floor(number / 25)] as number)++;
    }
    expect(Math.min(...folds), `${name} folds by quarter: ${folds.join(", ")}`).toBeGreaterThan(0);
  });

  it("gives the same plan and bytes when asked again with nothing appended in between", {
    timeout: patience(120_000),
  }, async () => {
    await fc.assert(
      fc.asyncProperty(
        messageInputs({ maxMessages: 40 }),
        fc.integer({ min: 300, max: 4_000 }),
        fc.integer({ min: 1, max: 20 }),
        async (messages, maxInputTokens, step) => {
          const session = await openSession({ preset, config: { maxInputTokens }, onOverBudget: "send" });
          for (let from = 0; from < messages.length; from += step) {
            await session.append(messages.slice(from, from + step));
            const first = await session.prepare();
            const again = await session.prepare();
            expect([again.plan.version, again.digest]).toEqual([first.plan.version, first.digest]);
          }
        },
      ),
      runs(3, 240),
    );
  });

  it("advises a retry after a cut-off answer or a refusal exactly when the next prepare folds", {
    timeout: patience(120_000),
  }, async () => {
    const happenings = fc.record({
      tokens: fc.integer({ min: 10, max: 3_000 }),
      /** What the provider counts, of what we count. */
      slope: fc.constantFrom(0.5, 1, 1.4, 2.5),
      isCutOff: fc.boolean(),
      isRefused: fc.boolean(),
      hasFigures: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(happenings, { minLength: 1, maxLength: 12 }), async (steps) => {
        const session = await openSession({ preset, config: { maxInputTokens: 12_000 }, journal: false });
        for (const [index, { tokens, slope, isCutOff, isRefused, hasFigures }] of steps.entries()) {
          await session.append([message(`u${index}`, "user", `Task ${index}`), ...work(index, index + 1, tokens)]);
          const sent = await session.prepare({ onOverBudget: "send" });
          if (isRefused) {
            const { retry } = await session.failed("prompt is too long");
            expect(await foldsFor(session)).toBe(retry);
          }
          const usage = { inputTokens: Math.round(slope * tokenizer.countRequest(sent.request)), outputTokens: 50 };
          // An answer in order ends what the one before has asked for.
          await session.complete({ messages: [message(`yes${index}`, "assistant", "Yes.")] });
          if (!isCutOff) continue;
          const { retry } = await session.complete({
            messages: [message(`cut${index}`, "assistant", "This is")],
            stopReason: "max-output",
            ...(hasFigures && { usage }),
          });
          expect([index, await foldsFor(session)]).toEqual([index, retry]);
        }
      }),
      runs(3, 240),
    );
  });
});

/** Whether the next `prepare` makes a fold, whatever that comes to. */
async function foldsFor(session: ContextSession): Promise<boolean> {
  const { outcome } = await session.prepare({ onOverBudget: "send" });
  return outcome?.type === "no-op" ? outcome.reason === "nothing more can be folded" : outcome?.type !== "postponed";
}

describe("the checkpoint of Codex", () => {
  it("is one summary by one model call per fold, behind the newest user messages, and never grows", {
    timeout: patience(60_000),
  }, async () => {
    let calls = 0;
    const model: CompletionModel = {
      id: "faultless",
      complete: async () => {
        calls++;
        const facts = [{ text: `Checkpoint ${calls}.`, sources: [1] }];
        return { text: JSON.stringify({ add: { facts } }), finish: "stop", toolCalls: 0 };
      },
    };
    const heard: string[] = [];
    const session = await openSession({
      preset: presetByName("codex"),
      summaryModel: model,
      config: { maxInputTokens: 60_000 },
      onEvent: ({ type }) => heard.push(type),
    });
    const sizes: number[] = [];
    for (let number = 0; number < 120; number++) {
      const before = calls;
      await session.append(turn(number, 5, 500));
      await session.append([message(`q${number}`, "user", `And then? ${"word ".repeat(400)}`)]);
      const { outcome, plan, manifest, violations, tokens } = await session.prepare();
      expect(violations).toEqual([]);
      expect(outcome?.type).not.toBe("summarizer-failed-floor-used");
      if (outcome?.type !== "committed") continue;
      sizes.push(tokens);
      expect([plan.summarizations.length, calls - before, outcome.floor]).toEqual([1, 1, false]);
      const shown = manifest.messages.filter(({ role }) => role === "user");
      const kept = shown.filter(({ action }) => action === "include");
      expect(kept.length).toBeGreaterThan(20);
      expect(shown.at(-2)?.action).toBe("summarize");
      expect(kept.reduce((sum, message) => sum + message.tokens, 0)).toBeLessThanOrEqual(20_000 + kept.length * 8);
    }
    expect(sizes.length).toBeGreaterThan(4);
    expect(Math.max(...sizes)).toBeLessThan(26_000);
    expect(heard).not.toContain("summarizer_failing");
    expect((await session.replay()).every(({ equal }) => equal)).toBe(true);
  });
});
