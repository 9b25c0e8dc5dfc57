import { asMessageId, asThreadId, asToolCallId, type MessageInput, toolResultText } from "@threadfold/core";
import { message, pinnedClock } from "@threadfold/core/laws";
import { createMemoryStore } from "@threadfold/stores";
import { loadTokenizer } from "@threadfold/tokenizers";
import { describe, expect, it } from "vitest";
import type { PreparedRequest } from "../host/prepared-request.ts";
import { ContextSession } from "../loop/context-session.ts";
import { replayThread } from "../replay/replay-thread.ts";

const createdAt = "2026-01-01T00:00:00.000Z";
/** A step of an agent: a call with its arguments, and a result. */
const step = (id: string, toolName: string, input: Record<string, string>, output: string): readonly MessageInput[] => {
  const callId = asToolCallId(`call-${id}`);
  const result = { toolName, callId, outcome: "success", content: { type: "text", text: output } } as const;
  return [
    { id: asMessageId(id), role: "assistant", createdAt, parts: [{ type: "tool-call", callId, toolName, input }] },
    { id: asMessageId(`${id}-result`), role: "tool", createdAt, parts: [{ type: "tool-result", result }] },
  ];
};
const noise = (id: string, characters = 6_000): readonly MessageInput[] =>
  step(id, "shell", { command: `ls ${id}` }, `entry of ${id}\n`.repeat(characters / 12));

const FRAME = {
  system: ["You are a careful engineer. ".repeat(40)],
  tools: Array.from({ length: 12 }, (_, index) => ({
    name: `tool_${index}`,
    description: `Does thing number ${index} and says what came of it, in a sentence or two.`,
    inputSchema: { type: "object", properties: { path: { type: "string" }, count: { type: "integer" } } },
  })),
};

const threadId = asThreadId("seed-002");
const open = (options: Partial<Parameters<typeof ContextSession.open>[0]> = {}) =>
  ContextSession.open({
    threadId,
    store: createMemoryStore(),
    config: { maxInputTokens: 12_000 },
    frame: FRAME,
    clock: pinnedClock(0),
    ...options,
  });

const shown = ({ payloadText }: PreparedRequest): string => payloadText;

/** Appends noise and folds by force, so many times. Every fold must come to a plan. */
async function cycles(session: ContextSession, times: number): Promise<PreparedRequest> {
  for (let cycle = 0; cycle < times; cycle++) {
    for (let index = 0; index < 4; index++) await session.append(noise(`n${session.thread.length}`));
    const outcome = await session.compact({ force: true });
    expect(outcome.type).toBe("committed");
  }
  return session.prepare();
}

describe("seed 002, testing strategy", () => {
  it("spec-138 Invariant: test_facts_preserved_after_compaction - critical facts survive N compaction cycles", async () => {
    const session = await open();
    await session.append([
      message("u1", "user", "I prefer Python. The budget is $1000. Write the importer for src/billing/ledger_v2.py."),
      message("a1", "assistant", "I decided to keep Decimal for money, because floats lose cents."),
    ]);
    const prepared = await cycles(session, 5);
    expect(session.plan.version).toBe(5);
    for (const fact of ["Python", "$1000", "src/billing/ledger_v2.py"]) expect(shown(prepared)).toContain(fact);
  });

  it("spec-139 Continuation: test_agent_completes_task_after_compaction - a scripted agent finds what it needs after folds", async () => {
    const session = await open();
    const [, search] = session.tools();
    await session.append([
      message("u1", "user", "Read every config, then write the port of the payments service into deploy/ports.env."),
      ...step("c1", "read_file", { path: "config/payments.yaml" }, "service: payments\nport: 48231\nreplicas: 3\n"),
    ]);
    await cycles(session, 3);
    // The agent knows only its task and what the window shows; the port was read long ago.
    const window = shown(await session.prepare());
    const recalled = (await search.execute({ query: "config/payments.yaml port" })).text;
    const port = /port: (\d+)/.exec(`${window}\n${recalled}`)?.[1];
    expect(port).toBe("48231");
    await session.append([
      ...step("w", "write_file", { path: "deploy/ports.env", content: `PAYMENTS=${port}` }, "written"),
      message("done", "assistant", "deploy/ports.env has the port now."),
    ]);
    const written = [...session.thread.messages]
      .flatMap(({ parts }) => parts)
      .find((part) => part.type === "tool-call" && part.toolName === "write_file");
    expect(written).toMatchObject({ input: { content: "PAYMENTS=48231" } });
    expect((await session.prepare()).violations).toEqual([]);
  });

  it("spec-140 Drift: test_no_summary_drift - ten summaries in a row lose no pinned constraint and no open item", async () => {
    const session = await open();
    await session.append([
      message("u1", "user", "Never delete production data. Migrate the tables one by one."),
      message("a1", "assistant", "Next I have to migrate the table invoices_2019."),
    ]);
    await session.pin("Ask before every DROP TABLE.", "operator");
    for (let round = 1; round <= 10; round++) {
      const text = shown(await cycles(session, 1));
      expect(session.plan.version).toBe(round);
      for (const kept of ["Never delete production data", "Ask before every DROP TABLE.", "invoices_2019"])
        expect(text).toContain(kept);
    }
  });

  it("spec-92 spec-141 Budget: test_stays_under_budget_with_real_overhead - system prompt, tools and formatting are counted", async () => {
    const tokenizer = await loadTokenizer("tiktoken");
    const session = await open({ tokenizer });
    await session.append([message("u1", "user", "Look at everything.")]);
    for (let index = 0; index < 24; index++) {
      await session.append(noise(`b${index}`, 4_800));
      const prepared = await session.prepare();
      const counted = tokenizer.countRequest(prepared.request);
      expect(counted).toBe(prepared.tokens);
      expect(counted).toBeLessThanOrEqual(12_000);
      expect(prepared.breakdown.system).toBeGreaterThan(200);
      expect(prepared.breakdown.tools).toBeGreaterThan(200);
    }
    expect(session.plan.version).toBeGreaterThan(0);
  });
});

describe("automatic retrieval (design section 10)", () => {
  it("brings back folded passages that match what the agent does, within its budget, and replays", async () => {
    const store = createMemoryStore();
    const events: string[] = [];
    const session = await open({
      store,
      config: { maxInputTokens: 12_000, enableRetrieval: true },
      onEvent: ({ type }) => events.push(type),
    });
    await session.append([
      message("u1", "user", "Set the service up."),
      ...step(
        "c1",
        "http_get",
        { url: "https://status.internal/build" },
        "The build number of quorum_sync is 77123-rc9.",
      ),
    ]);
    await cycles(session, 2);
    await session.append(
      step("ask", "shell", { command: "deploy quorum_sync --build" }, "error: build number of quorum_sync missing"),
    );
    const prepared = await session.prepare();
    expect(prepared.rehydrated.length).toBeGreaterThan(0);
    expect(shown(prepared)).toContain("77123-rc9");
    expect(prepared.tokens).toBeLessThanOrEqual(12_000);
    expect(prepared.violations).toEqual([]);
    expect(events).toContain("compaction_recalled");
    expect((await replayThread(store, threadId)).every(({ equal }) => equal)).toBe(true);
    const results = [...session.thread.messages]
      .flatMap(({ parts }) => parts)
      .filter((part) => part.type === "tool-result");
    expect(results.filter(({ result }) => toolResultText(result.content).includes("77123-rc9"))).toHaveLength(1);
  });

  it("reports how well a fold served when its epoch ends", async () => {
    const measured: unknown[] = [];
    const session = await open({
      onEvent: (event) => {
        if (event.type === "compaction_quality_measured") measured.push(event);
      },
    });
    await session.append([message("u1", "user", "Go on until you are done.")]);
    await cycles(session, 2);
    expect(measured).toEqual([expect.objectContaining({ planVersion: 1, stepsSinceCompaction: 4, repeatedCalls: 0 })]);
    expect((await session.quality()).stepsSinceCompaction).toBe(0);
    expect((await session.search({ text: "shell ls n1" })).hits[0]?.excerpt).toContain("ls n1");
  });
});

describe("a fold that another session overtakes", () => {
  it("S35 a plan for an outdated state is not committed, and the next one is made on top", async () => {
    const store = createMemoryStore();
    const first = await open({ store });
    await first.append([message("u1", "user", "Read."), ...["a", "b", "c", "d"].flatMap((id) => noise(id))]);
    // Another target makes another plan: an equal one would count as the same commit, made twice.
    const second = await open({ store, config: { maxInputTokens: 12_000, minCallsPerFold: 0, summaryMaxTokens: 200 } });
    const [one, other] = await Promise.all([first.compact({ force: true }), second.compact({ force: true })]);
    const winners = [one, other].filter(({ type }) => type === "committed");
    expect(winners.length).toBeGreaterThan(0);
    const { version } = await store.plans.getCurrentPlan(threadId);
    expect(version).toBe(winners.length);
    for (const session of [first, second]) {
      const prepared = await session.render();
      expect(prepared.violations).toEqual([]);
      expect(prepared.tokens).toBeLessThanOrEqual(12_000);
    }
  });
});
