import { message } from "@threadfold/core/laws";
import { expect, it } from "vitest";
import { openSession, work } from "../testing/agent-work.ts";

it("spec-149 stats report which strategies hold what in the plan and what they free, as the fold's events do", async () => {
  const freed = new Map<string, number>();
  const session = await openSession({
    config: { maxInputTokens: 20_000 },
    onEvent: (event) => {
      if ("tokensFreed" in event) freed.set(event.strategy, (freed.get(event.strategy) ?? 0) + event.tokensFreed);
    },
  });
  await session.append([message("u", "user", "Go."), ...work(0, 6, 1_500), ...work(6, 20, 600)]);
  expect(session.stats()).toMatchObject({ strategies: {}, tokensFreed: 0 });
  expect((await session.compact({ force: true })).type).toBe("committed");
  const { strategies, tokensFreed, foldedMessages } = session.stats();
  expect(freed.size).toBeGreaterThan(0);
  expect(Object.entries(strategies).map(([name, work]) => [name, work.tokensFreed])).toEqual([...freed]);
  const folded = Object.values(strategies).reduce((sum, { messages }) => sum + messages, 0);
  expect(folded).toBe(foldedMessages);
  expect(tokensFreed).toBe([...freed.values()].reduce((sum, tokens) => sum + tokens, 0));
});
