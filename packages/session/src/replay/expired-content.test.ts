import { message } from "@threadfold/core/laws";
import { createMemoryStore, exportAudit, sweepExpired, verifyAudit, verifyStore } from "@threadfold/stores";
import { expect, it } from "vitest";
import { handClock, openSession, threadId, work } from "../testing/agent-work.ts";

it("a request that brought content back replays until the content expires, and then its replay reports the expiry", async () => {
  const clock = handClock();
  const store = createMemoryStore({ clock });
  const session = await openSession({ store, clock, config: { maxInputTokens: 14_000, artifactTtlSeconds: 3_600 } });
  await session.append([message("u0", "user", "Build the project."), ...work(0, 12, 1_250)]);
  const [pointer] = (await session.prepare()).plan.externalizations;
  await session.append([
    message("a-ref", "assistant", `I need ${pointer?.artifactId} once more.`),
    message("u1", "user", "Go on."),
  ]);
  expect((await session.prepare()).rehydrated).toEqual([pointer?.artifactId]);
  const problems = async () => {
    const lines: Uint8Array[] = [];
    for await (const line of exportAudit(store, threadId, { at: "2026-01-01T00:00:00.000Z" }))
      lines.push(Buffer.from(line));
    return [(await verifyAudit(lines)).problem, await verifyStore(store, threadId, { clock })];
  };
  const sound = { equal: true, problem: null, expiredAt: null };
  expect(await session.replay()).toMatchObject([sound, sound]);
  expect(await problems()).toEqual([null, []]);
  clock.pass(40 * 86_400);
  expect(await sweepExpired(store, clock.now())).toBeGreaterThan(0);
  expect(await session.replay()).toMatchObject([
    sound,
    {
      equal: false,
      replayedDigest: null,
      problem: "Content that it brought back has expired: it was kept until 2026-01-01T01:00:00.000Z.",
      expiredAt: "2026-01-01T01:00:00.000Z",
    },
  ]);
  expect(await problems()).toEqual([null, []]);
});
