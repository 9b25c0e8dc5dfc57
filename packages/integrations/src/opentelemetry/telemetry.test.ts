import { SpanKind, SpanStatusCode } from "@opentelemetry/api";
import {
  asThreadId,
  type CompletionModel,
  type ContextCompactionEvent,
  emptyPlan,
  modelCallError,
  type PlanRecord,
} from "@threadfold/core";
import { LLMSummarizer } from "@threadfold/summarizers";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { linkedClient, recordedTelemetry } from "../testing/doubles.ts";
import { foldedSession } from "../testing/sessions.ts";
import { mcpTelemetry, sessionTelemetry, type TelemetryOptions } from "./telemetry.ts";

it("MCP tool calls are metered, with the reason when they return nothing", async () => {
  const { store } = await foldedSession();
  const recorded = recordedTelemetry();
  const requester = { requesterId: "agent", tenantId: null, permissions: [] };
  await using server = await linkedClient({ store, requester, threadIds: "all" }, { onCall: mcpTelemetry(recorded) });
  await server.client.callTool({ name: "list_folded", arguments: {} });
  await server.client.callTool({ name: "explain", arguments: { message_id: "nope" } });
  const calls = (await recorded.points()).filter(({ metric }) => metric === "mcp.server.operation.duration");
  expect(calls).toMatchObject([
    {
      unit: "s",
      attributes: { "mcp.method.name": "tools/call", "gen_ai.tool.name": "list_folded" },
      value: { count: 1 },
    },
    { attributes: { "gen_ai.tool.name": "explain", "error.type": "not-found" }, value: { count: 1 } },
  ]);
  await recorded.close();
});

/** As many as take a fold: a few turns. */
const SOME_MESSAGES = 120;

const FACTS = { providerName: "anthropic", requestModel: "claude-small", promptName: "fold", promptVersion: "3" };
const USAGE = { inputTokens: 900, outputTokens: 40, cacheReadTokens: 100, cacheWriteTokens: 20 };

/** A model that says one thing of whatever it is shown. */
const model: CompletionModel = {
  id: "scripted",
  complete: async ({ messages }) => {
    const [, number] = /^[0-9a-f]{8} m(\d+) /m.exec(messages[0]?.text ?? "") ?? [];
    const facts = [{ text: "SECRET-FACT of the session.", sources: [Number(number)] }];
    return { text: JSON.stringify({ add: { facts } }), finish: "stop", toolCalls: 0, usage: USAGE };
  },
};

let recorded: ReturnType<typeof recordedTelemetry>;
beforeEach(() => {
  recorded = recordedTelemetry();
});
afterEach(() => recorded.close());

const telemetryWith = (options: TelemetryOptions = {}) =>
  sessionTelemetry({ tracerProvider: recorded.tracerProvider, meterProvider: recorded.meterProvider, ...options });

/** The project's recorded session, folded with a model that summarizes, under telemetry. */
async function fold(telemetryOptions: TelemetryOptions = {}, summarizing: CompletionModel = model) {
  const telemetry = telemetryWith(telemetryOptions);
  const events: ContextCompactionEvent[] = [];
  const summarizer = new LLMSummarizer({ model: telemetry.model(summarizing, FACTS), retries: 0 });
  const onEvent = (event: ContextCompactionEvent): void => {
    events.push(event);
    telemetry.onEvent(event);
  };
  const options = { summarizer, onEvent, config: { maxInputTokens: 15_000 } };
  const { session, imported } = await foldedSession(undefined, options, SOME_MESSAGES);
  return { telemetry, session, imported, events };
}

const messagesOf = (records: readonly PlanRecord[]): number =>
  records.reduce((sum, { span }) => sum + span.messageIds.length, 0);

const named = (name: string) => recorded.spans().filter((span) => span.name === name);

describe("sessionTelemetry", () => {
  it("writes one span per fold, with what was folded and what it freed", async () => {
    const { session, events } = await fold();
    const { plan } = session;
    const completed = events.find((event) => event.type === "compaction_completed");
    const [compact, ...others] = named("compact");
    expect(others).toEqual([]);
    expect(compact?.kind).toBe(SpanKind.INTERNAL);
    expect(compact?.attributes).toMatchObject({
      "gen_ai.operation.name": "compact",
      "gen_ai.conversation.id": session.threadId,
      "threadfold.compaction.trigger": "manual",
      "threadfold.compaction.outcome": "committed",
      "threadfold.compaction.plan.id": plan.planId,
      "threadfold.compaction.plan.version": 1,
      "threadfold.compaction.plan.base_version": 0,
      "threadfold.compaction.tokens.before": completed?.tokensBefore,
      "threadfold.compaction.tokens.after": completed?.tokensAfter,
      "threadfold.compaction.entries.summarized": messagesOf(plan.summarizations),
      "threadfold.compaction.entries.dropped": messagesOf(plan.drops),
    });
    expect(compact?.attributes["threadfold.compaction.strategy"]).toContain("summarize");
    expect(compact?.events.map(({ name }) => name)).toContain("threadfold.compaction.summarized");
    expect(compact?.attributes).not.toHaveProperty("error.type");
  });

  it("puts the summarizer's calls, with their usage, under the span of the fold", async () => {
    await fold();
    const [compact] = named("compact");
    const calls = named("chat claude-small");
    expect(calls.length).toBeGreaterThan(0);
    for (const call of calls) {
      expect(call.kind).toBe(SpanKind.CLIENT);
      expect(call.parentSpanContext?.spanId).toBe(compact?.spanContext().spanId);
      expect(call.attributes).toMatchObject({
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "anthropic",
        "gen_ai.request.model": "claude-small",
        "gen_ai.response.finish_reasons": ["stop"],
        "gen_ai.usage.input_tokens": 900,
        "gen_ai.usage.output_tokens": 40,
        "gen_ai.usage.cache_read.input_tokens": 100,
        "gen_ai.usage.cache_write.input_tokens": 20,
        "gen_ai.prompt.name": "fold",
        "gen_ai.prompt.version": "3",
      });
    }
  });

  it("writes no content by default", async () => {
    const { telemetry, session } = await fold();
    const [readArtifact, searchThread] = session.tools();
    await telemetry.tool(searchThread).execute({ query: "normalizePlan" }, "call-1");
    await telemetry.tool(readArtifact).execute({ artifact_id: "nope" });
    const written = JSON.stringify(
      recorded.spans().map(({ name, attributes, events }) => ({ name, attributes, events })),
    );
    expect(written).not.toContain("SECRET-FACT");
    expect(written).not.toContain("normalizePlan");
    expect(written).not.toContain("gen_ai.input.messages");
  });

  it("writes content if captureContent is set", async () => {
    const { telemetry, session } = await fold({ captureContent: true });
    await telemetry.tool(session.tools()[1]).execute({ query: "normalizePlan" });
    const [call] = named("chat claude-small");
    expect(call?.attributes["gen_ai.output.messages"]).toContain("SECRET-FACT");
    expect(JSON.parse(String(call?.attributes["gen_ai.input.messages"]))[0]).toMatchObject({
      role: "system",
      parts: [{ type: "text" }],
    });
    expect(named("execute_tool search_thread")[0]?.attributes).toMatchObject({
      "gen_ai.retrieval.query.text": "normalizePlan",
    });
  });

  it("meters folds with few attributes, none of which names a thread or tenant", async () => {
    const { session, events } = await fold();
    const points = await recorded.points();
    const completed = events.find((event) => event.type === "compaction_completed");
    const point = (metric: string) => points.find((found) => found.metric === metric);
    expect(point("threadfold.compaction.tokens_saved")).toMatchObject({
      unit: "{token}",
      value: (completed?.tokensBefore ?? 0) - (completed?.tokensAfter ?? 0),
    });
    expect(point("threadfold.compaction.duration")).toMatchObject({
      unit: "s",
      attributes: { "threadfold.compaction.trigger": "manual", "threadfold.compaction.outcome": "committed" },
      value: { count: 1 },
    });
    expect(point("gen_ai.client.inference.usage.input_tokens")?.value).toBeGreaterThanOrEqual(900);
    const attributes = JSON.stringify(points.map((found) => found.attributes));
    expect(attributes).not.toContain(session.threadId);
    expect(attributes).not.toMatch(/tenant|conversation|message/);
  });

  it.each([
    ["stable-2026", ["gen_ai.client.inference.duration"], ["gen_ai.client.operation.duration"]],
    ["legacy", ["gen_ai.client.operation.duration", "gen_ai.client.token.usage"], ["gen_ai.client.inference.duration"]],
    ["both", ["gen_ai.client.inference.duration", "gen_ai.client.operation.duration"], []],
  ] as const)("writes metrics under the names of %s", async (emit, written, absent) => {
    await fold({ emit });
    const names = (await recorded.points()).map(({ metric }) => metric);
    expect(names).toEqual(expect.arrayContaining([...written]));
    for (const name of absent) expect(names).not.toContain(name);
    const attributes = named("chat claude-small")[0]?.attributes ?? {};
    expect("gen_ai.usage.cache_write.input_tokens" in attributes).toBe(emit !== "legacy");
    expect("gen_ai.usage.cache_creation.input_tokens" in attributes).toBe(emit !== "stable-2026");
  });

  it("reports a model failure by its kind, never by its message", async () => {
    const failing: CompletionModel = {
      id: "failing",
      complete: () => Promise.reject(modelCallError("quoting SECRET-PROMPT", { kind: "rejected", status: 400 })),
    };
    await fold({}, failing);
    const [call] = named("chat claude-small");
    expect(call?.attributes["error.type"]).toBe("rejected");
    expect(call?.status).toEqual({ code: SpanStatusCode.ERROR });
    expect(JSON.stringify(call?.events)).not.toContain("SECRET-PROMPT");
    expect(named("compact")[0]?.attributes).toMatchObject({
      "threadfold.compaction.outcome": "committed",
      "threadfold.compaction.outcome.detail": "summarizer-failed-floor-used",
    });
  });

  it("writes no span for a check that folded nothing, unless configured to", async () => {
    const { session } = await fold();
    await session.prepare();
    expect(named("compact")).toHaveLength(1);
    const other = await fold({ spansOfChecks: true });
    await other.session.prepare();
    expect(named("compact").at(-1)?.attributes).toMatchObject({ "threadfold.compaction.outcome": "noop" });
  });

  it("marks the host's span of a call over a folded prompt, and no other span", async () => {
    const { telemetry, session } = await fold();
    const tracer = recorded.tracerProvider.getTracer("host");
    const folded = tracer.startSpan("chat host");
    telemetry.markCompacted(folded, await session.render());
    folded.end();
    const unfolded = tracer.startSpan("chat host");
    telemetry.markCompacted(unfolded, { plan: emptyPlan(session.threadId, "none") });
    unfolded.end();
    expect(named("chat host").map(({ attributes }) => attributes["gen_ai.conversation.compacted"])).toEqual([
      true,
      undefined,
    ]);
  });

  it("reports what was recalled into a request and what was withheld", async () => {
    const { onEvent } = telemetryWith();
    const base = { threadId: asThreadId("t"), budgetLimit: 1_000 };
    const artifactId = "artifact_0123456789abcdef" as never;
    onEvent({ ...base, type: "compaction_rehydrated", artifactId, tokens: 30 });
    onEvent({ ...base, type: "compaction_recalled", messageIds: ["a", "b"] as never, tokens: 12 });
    onEvent({ ...base, type: "rehydration_blocked_sensitivity", artifactId, reason: "It is confidential." });
    expect(recorded.spans().map(({ name, attributes }) => [name, attributes["gen_ai.memory.record.count"]])).toEqual([
      ["retrieval", undefined],
      ["search_memory", 2],
      ["retrieval", undefined],
    ]);
    const points = (await recorded.points()).filter(({ metric }) => metric === "threadfold.rehydration.tokens");
    expect(points.map(({ attributes, value }) => [attributes["gen_ai.operation.name"], value])).toEqual([
      ["retrieval", 30],
      ["search_memory", 12],
    ]);
  });

  it("counts hits and misses of a summary cache until it is stopped", async () => {
    const stop = telemetryWith().observeCache(() => ({ hits: 3, misses: 2 }));
    const lookups = async () =>
      (await recorded.points()).map(({ attributes, value }) => [attributes["hit"], value] as const);
    expect(await lookups()).toEqual([
      [true, 3],
      [false, 2],
    ]);
    stop();
  });

  it("does nothing without OpenTelemetry providers", () => {
    const { onEvent } = sessionTelemetry();
    expect(() =>
      onEvent({
        type: "compaction_recalled",
        threadId: asThreadId("t"),
        budgetLimit: 1,
        messageIds: [],
        tokens: 1,
      }),
    ).not.toThrow();
  });
});
