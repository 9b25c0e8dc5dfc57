import { asThreadId } from "@threadfold/core";
import { assistant, call, message, result, tool } from "@threadfold/core/laws";
import { ContextSession } from "@threadfold/session";
import { openStore, sweepExpired } from "@threadfold/stores";
import { expect, it } from "vitest";
import { captureRun } from "../testing/captured-io.ts";
import { json, Workbench } from "../testing/workbench.ts";

const bench = new Workbench();

it("replay says why a request cannot be reproduced, in a sentence that ends once", async () => {
  const store = await openStore(bench.store);
  const threadId = asThreadId("other-format");
  const session = await ContextSession.open({ threadId, store });
  await session.append([message("u0", "user", "Build.")]);
  await session.prepare();
  const [entry] = (await store.journal.read(threadId)).filter(({ record }) => record.type === "request-rendered");
  if (entry?.record.type !== "request-rendered") throw new Error("No request was recorded.");
  await store.journal.append(threadId, { ...entry.record, format: "of-the-future" }, entry.at);
  await session.close();
  const { code, envelope } = await json(["replay", threadId, "--store", bench.store]);
  expect(code).toBe(3);
  expect(envelope.error?.message).toMatch(/^1 of 2 requests cannot be reproduced; .* format of-the-future\.$/);
});

const step = (index: number) => [
  assistant(`a${index}`, call(`call_${index}`, "bash", { command: `make step-${index}` })),
  tool(`t${index}`, result(`call_${index}`, `step ${index}: ${"output ".repeat(1_400)}`, { toolName: "bash" })),
];

it("replay lists a request as expired, and does not fail, when content that it brought back was swept", async () => {
  const clock = { now: () => Date.parse("2020-01-01T00:00:00.000Z") };
  const store = await openStore(bench.store, { clock });
  const threadId = asThreadId("retained");
  const config = { maxInputTokens: 14_000, artifactTtlSeconds: 3_600 };
  const session = await ContextSession.open({ threadId, store, clock, preset: "ladder", background: false, config });
  await session.append([
    message("u0", "user", "Build."),
    ...Array.from({ length: 12 }, (_, index) => step(index)).flat(),
  ]);
  const [pointer] = (await session.prepare()).plan.externalizations;
  await session.append([
    message("a-ref", "assistant", `I need ${pointer?.artifactId} once more.`),
    message("u1", "user", "Go on."),
  ]);
  expect((await session.prepare()).rehydrated).toEqual([pointer?.artifactId]);
  expect(await sweepExpired(store, Date.now())).toBeGreaterThan(0);
  await session.close();
  expect(await json(["replay", threadId, "--store", bench.store])).toMatchObject({
    code: 0,
    envelope: {
      data: {
        equal: 1,
        different: 0,
        expired: 1,
        requests: [{ expiredAt: null }, { expiredAt: "2020-01-01T01:00:00.000Z" }],
      },
    },
  });
  const { stdout } = await captureRun(["replay", threadId, "--store", bench.store]);
  expect(stdout).toMatch(/^same .*\nexpired .*it was kept until 2020-01-01T01:00:00\.000Z\.\n1 of 2 requests .*\n$/);
});
