import { type ContextCompactionEvent, SEARCH_THREAD_TOOL_NAME } from "@threadfold/core";
import { assistant, call, message, result, tool } from "@threadfold/core/laws";
import { createMemoryStore } from "@threadfold/stores";
import { describe, expect, it } from "vitest";
import type { ContextSession } from "../loop/context-session.ts";
import { openSession, work } from "../testing/agent-work.ts";

const searching = (index: number) => [
  assistant(`s${index}`, call(`find_${index}`, SEARCH_THREAD_TOOL_NAME, { query: "port" })),
  tool(`f${index}`, result(`find_${index}`, "nothing", { toolName: SEARCH_THREAD_TOOL_NAME })),
];
const alerts = (events: readonly ContextCompactionEvent[]) =>
  events.filter(({ type }) => type === "folded_content_missed");

async function folded(store = createMemoryStore()) {
  const events: ContextCompactionEvent[] = [];
  const open = () => openSession({ store, config: { maxInputTokens: 20_000 }, onEvent: (event) => events.push(event) });
  const session = await open();
  await session.append([message("u", "user", "Go."), ...work(0, 30, 500)]);
  expect((await session.compact({ force: true })).type).toBe("committed");
  return { session, events, open };
}

describe("an agent that asks for what was folded", () => {
  it("spec-145 causes one alert per plan when it asks three times within a few calls", async () => {
    const { session, events } = await folded();
    await session.append([...searching(0), message("q", "assistant", "What was the port again?")]);
    await session.prepare();
    expect(alerts(events)).toEqual([]);
    await session.append(searching(1));
    await session.prepare();
    await session.append(searching(2));
    await session.prepare();
    expect(alerts(events)).toMatchObject([{ planVersion: 1, asks: 3, stepsSinceCompaction: 3 }]);
  });

  it("causes no alert when three asks are few among its calls, and a resumed session counts the same", async () => {
    const { session, events, open } = await folded();
    await session.append([...searching(0), ...searching(1), ...work(40, 60, 10), ...searching(2)]);
    await session.prepare();
    expect(alerts(events)).toEqual([]);
    await session.append([...searching(3), ...searching(4), ...searching(5)]);
    const resumed: ContextSession = await open();
    await resumed.prepare();
    expect(alerts(events)).toMatchObject([{ asks: 6 }]);
  });
});
