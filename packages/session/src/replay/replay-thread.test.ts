import { asMessageId, asThreadId, type ThreadfoldStore } from "@threadfold/core";
import { message, patience, runs } from "@threadfold/core/laws";
import { createMemoryStore } from "@threadfold/stores";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ContextSession } from "../loop/context-session.ts";
import { callOf, openSession, resultOf, threadId } from "../testing/agent-work.ts";
import { replayThread } from "./replay-thread.ts";

it("R14 a replay covers what was recorded when it began, while the thread is in use", async () => {
  const busyId = asThreadId("busy");
  const store = createMemoryStore();
  const session = await ContextSession.open({ threadId: busyId, store });
  let asked = 0;
  const ask = async (): Promise<void> => {
    const parts = [{ type: "text", text: `Question ${asked}?` }] as const;
    await session.append([{ id: asMessageId(`m${asked++}`), role: "user", createdAt: "2026-01-01T00:00:00Z", parts }]);
    await session.prepare();
  };
  const thenAsk = async <Result>(read: Promise<Result>): Promise<Result> => {
    const result = await read;
    await ask();
    return result;
  };
  const busy: ThreadfoldStore = {
    ...store,
    threads: { ...store.threads, load: (id, options) => thenAsk(store.threads.load(id, options)) },
    journal: {
      append: (id, record, at) => store.journal.append(id, record, at),
      read: (id, options) => thenAsk(store.journal.read(id, options)),
    },
  };
  await ask();
  expect((await replayThread(busy, busyId)).map(({ equal }) => equal)).toEqual([true]);
  expect(asked).toBe(3);
});

describe("a request that is prepared again by its reference", () => {
  const config = { maxInputTokens: 8_000 };
  const open = (store: ThreadfoldStore) => openSession({ store: { ...store, close: async () => undefined }, config });

  it("is the same byte for byte in any process, until the model has answered it", {
    timeout: patience(120_000),
  }, async () => {
    let [folded, brought] = [0, 0];
    const tried = runs(12, 300);
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.record({
            tokens: fc.integer({ min: 50, max: 1_500 }),
            names: fc.integer({ min: 0, max: 2 }),
            restarts: fc.boolean(),
            interrupts: fc.boolean(),
            folds: fc.boolean(),
          }),
          { minLength: 8, maxLength: 20 },
        ),
        async (steps) => {
          const store = createMemoryStore();
          let session = await open(store);
          await session.append([message("u0", "user", "Build it.")]);
          for (const [index, { tokens, names, restarts, interrupts, folds }] of steps.entries()) {
            const prepared = await session.prepare();
            const reference = JSON.parse(JSON.stringify(prepared.reference));
            if (restarts) session = await open(store);
            if (interrupts) await session.append([message(`u${index + 1}`, "user", "Wait.")]);
            if (folds) folded += Number((await session.compact({ force: true })).type === "committed");
            const again = await session.prepareAgain(reference);
            expect(again).toMatchObject({
              payloadText: prepared.payloadText,
              reference,
              rehydrated: prepared.rehydrated,
            });
            brought += prepared.rehydrated.length;
            const wanted = session.plan.externalizations.slice(0, names).map(({ artifactId }) => artifactId);
            const call = callOf(index);
            await session.complete({
              messages: [{ ...call, parts: [{ type: "text", text: `See ${wanted}.` }, ...call.parts] }],
            });
            expect(await session.prepareAgain(reference)).toBeNull();
            await session.append([resultOf(index, tokens)]);
            expect(await (await open(store)).prepareAgain(reference)).toBeNull();
          }
          const replayed = await session.replay();
          expect(replayed.every(({ equal }) => equal)).toBe(true);
          expect(replayed).toHaveLength(2 * steps.length);
        },
      ),
      tried,
    );
    // A few tries may bring nothing back.
    if (tried.numRuns >= 12) expect(Math.min(folded, brought)).toBeGreaterThan(0);
  });

  it("is refused when the thread has no such request", async () => {
    const session = await open(createMemoryStore());
    await session.append([message("u0", "user", "Build it.")]);
    const { reference } = await session.prepare();
    await session.append([message("u1", "user", "Now.")]);
    const unknown = { ...reference, digest: "0".repeat(64) };
    await expect(session.prepareAgain(unknown)).rejects.toMatchObject({ code: "REQUEST_NOT_FOUND" });
    const foreign = { ...reference, threadId: asThreadId("another") };
    await expect(session.prepareAgain(foreign)).rejects.toMatchObject({ code: "REQUEST_NOT_FOUND" });
    await expect(session.prepareAgain(reference)).resolves.toMatchObject({ digest: reference.digest });
    expect((await session.bill()).calls).toHaveLength(2);
    expect(threadId).toBe(reference.threadId);
  });
});
