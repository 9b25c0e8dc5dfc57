import { emptyPlan } from "@threadfold/core";
import { shownMessageCountTrigger, slidingWindow, springSessionPreset } from "@threadfold/strategies";
import { scriptThread } from "@threadfold/strategies/laws";
import { expect, it } from "vitest";
import { shownMessages } from "../decide/trigger.ts";
import { factSummarizer, folded } from "../testing/run-fold.ts";

it("messages that were folded do not count again, and their summary counts as one", async () => {
  const thread = scriptThread(Array.from({ length: 12 }, (_, turn) => `u${turn} a${turn}`).join(" "));
  const before = emptyPlan(thread.id, "test");
  expect(shownMessages(thread.length, before)).toBe(24);
  const { plan } = await folded(thread, {
    preset: { ...springSessionPreset, ladder: [slidingWindow({ maxEvents: 6 })] },
    plan: before,
    ports: { summarizer: factSummarizer },
  });
  const removed = [...plan.summarizations, ...plan.drops].flatMap(({ span }) => span.messageIds);
  const shown = shownMessages(thread.length, plan);
  expect(removed.length).toBeGreaterThan(10);
  expect(shown).toBe(24 - removed.length + plan.summarizations.length);
  const input = { tokens: 1, roomTokens: 100, turns: 12, steps: 12, messages: thread.length };
  const trigger = shownMessageCountTrigger(shown);
  expect(trigger.evaluate({ ...input, shownMessages: shown }).level).toBe("none");
  expect(trigger.evaluate({ ...input, shownMessages: shown + 1 }).level).toBe("soft");
  expect(trigger.evaluate(input).level).toBe("soft");
});
