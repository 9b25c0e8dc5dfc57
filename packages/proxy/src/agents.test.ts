import { formatById } from "@threadfold/renderer";
import { createMemoryStore, listedThreads } from "@threadfold/stores";
import { describe, expect, it } from "vitest";
import type { ScriptedMove } from "./testing/scripted-model.ts";
import { scriptedUpstream } from "./testing/scripted-upstream.ts";
import { anthropicAgent, chatAgent, responsesAgent, type SdkAgent } from "./testing/sdk-agents.ts";
import { startedProxy } from "./testing/started-proxy.ts";

const RULE = "Never touch package-lock.json.";
const CONFIG = { maxInputTokens: 12_000, outputReserveTokens: 2_000 };

/** Fourteen calls, and then a word. */
const moveAt = (index: number): ScriptedMove =>
  index % 15 < 14 ? { call: `make step-${index}` } : { say: `Done with ${index}.` };

const workingUpstream = ({ answers }: SdkAgent) =>
  scriptedUpstream((response, request, index) => answers(response, request, moveAt(index), index));

async function threadsOf(store: Parameters<typeof listedThreads>[0]) {
  const ids: string[] = [];
  for await (const { threadId } of listedThreads(store)) ids.push(threadId);
  return ids;
}

describe.each([anthropicAgent, chatAgent, responsesAgent])("$name behind the proxy", (agent) => {
  const { format, field } = agent;

  it("works on within its budget, legally, with its rule and its own fields, and all of it is in one thread", async () => {
    await using upstream = await workingUpstream(agent);
    const { proxy, store, turns, problems } = await startedProxy(upstream, { config: CONFIG });
    const history: unknown[] = [];
    await agent.run(proxy, history, `Build it. ${RULE}`);
    await agent.run(proxy, history, "And once more.");
    await proxy.close();

    expect(problems).toEqual([]);
    expect(upstream.requests).toHaveLength(30);
    expect(turns.filter(({ type }) => type === "as-it-came").length).toBeGreaterThan(5);
    expect(turns.filter(({ outcome }) => outcome?.type === "committed").length).toBeGreaterThan(0);
    for (const { body, text } of upstream.requests) {
      const { model: _model, max_tokens: _limit, stream: _stream, metadata: _metadata, ...payload } = body;
      expect(formatById(format).check(payload as never)).toEqual([]);
      expect(text).toContain(RULE);
      expect(text.length / 4).toBeLessThan(CONFIG.maxInputTokens);
    }
    const [first, last] = [upstream.requests[0], upstream.requests.at(-1)];
    const own = ({ body }: NonNullable<typeof first>) => ({ ...body, [field]: undefined, system: undefined });
    expect(own(last as never)).toEqual(own(first as never));

    expect(await threadsOf(store)).toHaveLength(1);
    const thread = await store.threads.load((await threadsOf(store))[0] as never);
    const said = [...(thread?.messagesBetween(0) ?? [])].flatMap(({ parts }) => parts);
    expect(said.filter(({ type }) => type === "tool-call")).toHaveLength(28);
    expect(JSON.stringify(said.at(-1))).toContain("Done with 29.");
  });

  it("goes on in the same thread behind another proxy", async () => {
    const store = createMemoryStore();
    await using upstream = await workingUpstream(agent);
    const history: unknown[] = [];
    for (const text of [`Build it. ${RULE}`, "Again.", "And again."]) {
      await using started = await startedProxy(upstream, { store, config: CONFIG });
      await agent.run(started.proxy, history, text);
      expect(started.problems).toEqual([]);
    }
    expect(await threadsOf(store)).toHaveLength(1);
  });

  it("goes on in the same thread when a proxy is gone in the middle of an answer", async () => {
    const store = createMemoryStore();
    const half = Promise.withResolvers<void>();
    await using upstream = await scriptedUpstream((response, request, index) => {
      if (index !== 20) return agent.answers(response, request, moveAt(index), index);
      response.writeHead(200, { "content-type": "text/event-stream" }).write(": half of an answer\n\n");
      half.resolve();
    });
    const history: unknown[] = [];
    // It is not closed before the other takes over, as after a crash.
    await using lost = await startedProxy(upstream, { store, config: CONFIG });
    await agent.run(lost.proxy, history, `Build it. ${RULE}`);
    const cut = agent.run(lost.proxy, history, "Again.").catch(() => "cut off");
    await half.promise;
    await using started = await startedProxy(upstream, { store, config: CONFIG });
    const [sent, counted] = [upstream.requests.at(-1)?.text ?? "", lost.turns.at(-1)?.tokens ?? 0];
    await agent.run(started.proxy, [...history], "And again.");
    expect(started.turns[0]?.outcome?.type).toBe("no-op");
    // What was learned of the provider's way of counting is known at once.
    expect(Math.abs((started.turns[0]?.tokens ?? 0) - counted)).toBeLessThan(100);
    expect(upstream.requests[21]?.text.length).toBeLessThan(sent.length + 100);
    expect([started.problems, await threadsOf(store)]).toEqual([[], [started.turns[0]?.threadId]]);
    await lost.proxy.close();
    expect(await cut).toBe("cut off");
  });

  it("goes on in a fork when it edits what was said or has an answer made anew", async () => {
    await using upstream = await scriptedUpstream((response, request, index) =>
      agent.answers(response, request, { say: `Answer ${index}.` }, index),
    );
    await using started = await startedProxy(upstream);
    const { proxy, store, turns, problems } = started;
    const history: unknown[] = [];
    await agent.run(proxy, history, "Begin.");
    const begun = [...history];
    await agent.run(proxy, history, "Do the first thing.");
    await agent.run(proxy, [...begun], "Do the first thing.");
    await agent.run(proxy, [...begun], "Do another thing.");
    await proxy.close();
    expect(problems).toEqual([]);
    expect(new Set(turns.map(({ threadId }) => threadId)).size).toBe(3);
    const ends = await Promise.all(
      (await threadsOf(store)).map(async (id) => {
        const thread = await store.threads.load(id as never);
        return JSON.stringify([...(thread?.messagesBetween(0) ?? [])].at(-1)?.parts);
      }),
    );
    expect(ends.map((end) => /Answer \d/.exec(end)?.[0]).sort()).toEqual(["Answer 1", "Answer 2", "Answer 3"]);
  });
});
