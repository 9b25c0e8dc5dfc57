import { asMessageId, asThreadId, type ThreadfoldStore } from "@threadfold/core";
import { createMemoryStore } from "@threadfold/stores";
import { expect, it } from "vitest";
import { ContextSession } from "../loop/context-session.ts";
import { replayThread } from "./replay-thread.ts";

it("R14 replays what was recorded by then, while the thread is in use", async () => {
  const threadId = asThreadId("busy");
  const store = createMemoryStore();
  const session = await ContextSession.open({ threadId, store });
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
  expect((await replayThread(busy, threadId)).map(({ equal }) => equal)).toEqual([true]);
  expect(asked).toBe(3);
});
