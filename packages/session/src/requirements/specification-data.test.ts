import {
  actionOf,
  asPlanId,
  asThreadId,
  compactionConfig,
  emptyPlan,
  groupMessages,
  groupRecords,
  normalizePlan,
  PLAN_SCHEMA_VERSION,
  type PlanRecord,
  planRecords,
  STRUCTURED_SUMMARY_SCHEMA_VERSION,
  type SummarizeRequest,
  sealPlan,
  spanOf,
  TokenLedger,
  threadShape,
  toolResultEnvelopeSchema,
  visibleText,
} from "@threadfold/core";
import { assistant, call, countingTokenizer, message, result, threadOf, tool } from "@threadfold/core/laws";
import { MemoryVectorStore } from "@threadfold/rehydration";
import { COMPACTION_RENDER_FORMAT_VERSION, FORMATS } from "@threadfold/renderer";
import { durabilityPolicy, ladderPreset, threadfoldPreset } from "@threadfold/strategies";
import { ExtractiveSummarizer, modelSummarizer } from "@threadfold/summarizers";
import { describe, expect, it } from "vitest";
import type { ContextSession } from "../loop/context-session.ts";
import { openSession, work } from "../testing/agent-work.ts";

const roomy = { config: { maxInputTokens: 20_000 } };
/** A session whose ladder folded results of several sizes behind what was said. */
async function folded(options: Parameters<typeof openSession>[0] = {}): Promise<ContextSession> {
  const session = await openSession({ ...roomy, ...options });
  await session.append([
    message("u", "user", "I prefer Python. The budget is $1000. Write src/billing.py."),
    message("a", "assistant", "I decided to keep Decimal for money, because floats lose cents."),
    ...work(0, 6, 2_000),
    ...work(6, 30, 400),
  ]);
  expect((await session.compact({ force: true })).type).toBe("committed");
  return session;
}
const byAction = (session: ContextSession, action: PlanRecord["action"]): PlanRecord | undefined =>
  planRecords(session.plan).find((record) => record.action === action);

describe("the principles of the specification", () => {
  it("spec-2 a run can be repeated byte for byte, replayed, and explained message by message", async () => {
    const [one, other] = [await folded(), await folded()];
    const [first, second] = [await one.prepare(), await other.prepare()];
    expect([first.digest, first.plan.planId]).toEqual([second.digest, second.plan.planId]);
    expect((await one.replay()).every(({ equal }) => equal)).toBe(true);
    const id = one.thread.messageAt(3)?.id;
    expect(id !== undefined && (await one.explain(id))).toMatchObject({ action: expect.any(String) });
  });

  it("spec-4 spec-6 one thread and one plan give a legal request in every format", async () => {
    for (const format of FORMATS) {
      const { payloadText, violations } = await (await folded({ format })).prepare();
      expect([violations, payloadText.includes("$1000")], format.id).toEqual([[], true]);
    }
  });

  it("spec-7 the whole log is kept beside the store of plans", async () => {
    const session = await folded();
    await session.prepare();
    expect(session.thread.length).toBe(62);
    expect((await session.replay()).length).toBe(1);
    expect(session.plan.version).toBe(1);
  });

  it("spec-8 preset ladder has the specification's order, and the default preset summarizes first", () => {
    const names = ({ ladder }: typeof ladderPreset) => ladder.map(({ name }) => name);
    expect(names(ladderPreset)).toEqual(["externalize", "summarize", "clear", "drop"]);
    expect(names(threadfoldPreset)).toEqual(["summarize", "externalize", "clear", "drop"]);
  });

  it("spec-9 spec-21 large content is in the store, and a record points to it with summary and hint", async () => {
    const session = await openSession(roomy);
    await session.append([message("u", "user", "Go."), ...work(0, 12, 2_000)]);
    await session.compact({ force: true });
    const record = byAction(session, "externalize");
    if (record?.action !== "externalize") throw new Error("nothing was externalized");
    expect(record).toMatchObject({
      summary: { toolOutcomes: [{ toolName: "bash" }] },
      rehydrateHint: expect.stringContaining("make step-"),
    });
    const [read] = session.tools();
    expect((await read.execute({ artifact_id: record.artifactId })).text).toContain("output output");
    expect((await session.prepare()).payloadText).toContain(record.artifactId);
  });

  it("spec-10 spec-22 a model summarizes older spans into sections, and the record has its token count", async () => {
    const answer = '{"add":{"facts":[{"text":"The budget is $1000.","sources":[1]}]}}';
    const complete = async () => ({ text: answer, finish: "stop", toolCalls: 0 }) as const;
    const session = await openSession({ ...roomy, preset: threadfoldPreset, summaryModel: { id: "m", complete } });
    await session.append([message("u", "user", "The budget is $1000."), ...work(0, 40, 500)]);
    await session.compact({ force: true });
    const record = byAction(session, "summarize");
    if (record?.action !== "summarize") throw new Error("nothing was summarized");
    expect(record.summary.facts.map(({ text }) => text)).toContain("The budget is $1000.");
    expect(record.summaryTokens).toBeGreaterThan(0);
  });

  it("spec-12 spec-24 spec-48 bodies are cleared before groups are dropped, and a drop has a reason", async () => {
    const only = (...names: string[]) => ({
      ...ladderPreset,
      ladder: ladderPreset.ladder.filter(({ name }) => names.includes(name)),
      config: { ...ladderPreset.config, defaultToolDurability: "ephemeral" as const },
    });
    const policy = { durability: "ephemeral", mustPreserveFields: [], replayCost: "cheap" } as const;
    const config = { maxInputTokens: 20_000, toolDurabilityOverrides: { bash: policy } };
    const both = await folded({ preset: only("clear", "drop"), config });
    expect([both.plan.clearings.length > 0, both.plan.drops.length]).toEqual([true, 0]);
    const dropping = await folded({ preset: only("drop"), config });
    expect(byAction(dropping, "drop")?.reason).not.toBe("");
  });

  it("spec-13 spec-125 nothing is embedded by default, and what a hook embeds after a fold is found by meaning", async () => {
    const store = new MemoryVectorStore();
    const embed = async (texts: readonly string[]) =>
      texts.map((text) => (/port|harbour/.test(text) ? [1, 0] : [0, 1]));
    const ref: { session?: ContextSession } = {};
    const run = async () => {
      const { session } = ref;
      const folded = [...(session?.thread.messages ?? [])].filter(
        ({ id }) => session !== undefined && actionOf(session.plan, id).record !== null,
      );
      const texts = folded.map((said) => visibleText(said));
      const vectors = await embed(texts);
      await store.upsert(
        asThreadId("session-1"),
        folded.map(({ id }, at) => ({ id, vector: vectors[at] ?? [], text: texts[at] ?? "", sources: [id] })),
      );
    };
    const hooks = { postCompact: [{ name: "index", run }] };
    const session = await openSession({ ...roomy, preset: threadfoldPreset, hooks, vectors: { store, embed } });
    ref.session = session;
    await session.append([
      message("u0", "user", "Look around."),
      message("told", "assistant", "The ships lie in the harbour of Kiel."),
      message("u", "user", "Go."),
      ...work(0, 40, 500),
    ]);
    expect(await store.search(session.threadId, [1, 0], 1)).toEqual([]);
    await session.compact({ force: true });
    const [, search] = session.tools();
    expect((await search.execute({ query: "port" })).text).toContain("harbour of Kiel");
  });
});

describe("the records and summaries of the specification", () => {
  it("spec-23 a record of clearing has the preserved fields", async () => {
    const clearing = { ...ladderPreset, ladder: ladderPreset.ladder.filter(({ name }) => name === "clear") };
    const session = await openSession({ ...roomy, preset: clearing });
    const order = (n: number) => [
      assistant(`c${n}`, call(`o${n}`, "create_order", { n })),
      tool(`r${n}`, result(`o${n}`, "x".repeat(4_000), { toolName: "create_order", keyFields: { order: `ORD-${n}` } })),
    ];
    await session.append([message("u", "user", "Order."), ...Array.from({ length: 20 }, (_, n) => order(n)).flat()]);
    await session.compact({ force: true });
    expect(byAction(session, "clear")).toMatchObject({ preservedFields: { order: "ORD-0" } });
  });

  it("spec-28 overlapping records are refused in a sealed plan, and resolved beforehand by rules, drop first", () => {
    const thread = threadOf(
      message("u", "user", "Go."),
      message("a", "assistant", "Yes."),
      message("b", "user", "On."),
    );
    const config = compactionConfig();
    const ledger = TokenLedger.empty(countingTokenizer(), durabilityPolicy(config)).extend(thread);
    const shape = threadShape(thread, ledger, groupMessages(ledger.headers));
    const span = spanOf([shape.header(1)]);
    const base = { span, strategy: "s", reason: "r", sincePlanVersion: 1, originalTokens: 5 };
    const records = groupRecords([
      { ...base, action: "drop", keywords: [] },
      { ...base, action: "clear", targets: ["text"], preservedFields: {} },
    ]);
    const { planId: _id, ...content } = { ...emptyPlan(asThreadId("t"), "p"), planId: asPlanId("x"), version: 1 };
    const whole = { ...content, schemaVersion: PLAN_SCHEMA_VERSION };
    expect(() => sealPlan({ ...whole, ...records })).toThrow(expect.objectContaining({ code: "INVALID_PLAN" }));
    const { records: resolved } = normalizePlan(records, shape);
    const plan = sealPlan({ ...whole, ...resolved });
    expect(plan.drops).toHaveLength(1);
    expect(plan.clearings).toEqual([]);
  });

  it("spec-33 spec-34 spec-35 spec-38 a decision has its turn and, by its source, its time; items and outcomes have all fields", async () => {
    const session = await folded({ preset: threadfoldPreset });
    await session.append([message("more", "user", "Write a test for the printer, too."), ...work(200, 240, 300)]);
    await session.compact({ force: true });
    const summaries = session.plan.summarizations.map(({ summary }) => summary);
    const [decision] = summaries.flatMap(({ decisions }) => decisions);
    expect(decision).toMatchObject({
      decision: expect.stringContaining("Decimal"),
      turn: 1,
      rationale: expect.any(String),
    });
    expect(decision).not.toHaveProperty("timestamp");
    const source = decision?.sources[0];
    expect(source && session.thread.message(source)?.createdAt).toMatch(/^2026-/);
    const openItems = summaries.flatMap((summary) => summary.openItems);
    for (const item of openItems)
      expect(item).toMatchObject({
        description: expect.any(String),
        context: expect.any(String),
        priority: expect.stringMatching(/^(?:low|medium|high)$/),
      });
    const toolOutcomes = summaries.flatMap((summary) => summary.toolOutcomes);
    for (const outcome of toolOutcomes)
      expect(outcome).toMatchObject({
        toolName: expect.any(String),
        outcome: expect.stringMatching(/^(?:success|partial|error)$/),
        keyFields: expect.any(Object),
      });
    expect([openItems.length, toolOutcomes.length].every((count) => count > 0)).toBe(true);
  });

  it("spec-39 spec-40 preferences, constraints and decisions stay in the prompt after repeated folds", async () => {
    const session = await folded({ preset: threadfoldPreset });
    for (let round = 0; round < 3; round++) {
      await session.append(work(100 + 40 * round, 140 + 40 * round, 300));
      await session.compact({ force: true });
    }
    const text = (await session.prepare()).payloadText;
    for (const kept of ["Python", "$1000", "Decimal"]) expect(text).toContain(kept);
  });

  it("spec-41 without a model, the summary has the agent's current task and its last proposed plan", async () => {
    const session = await openSession({ ...roomy, preset: threadfoldPreset });
    await session.append([
      message("u", "user", "Move the billing code into a package of its own."),
      assistant("p", call("plan", "exit_plan_mode", { plan: "1. Read the code\n2. Move the files" })),
      tool("pr", result("plan", "ok", { toolName: "exit_plan_mode" })),
      ...work(0, 20, 500),
      message("said", "assistant", "The parser is moved now; the printer comes next."),
      ...work(20, 40, 500),
    ]);
    await session.compact({ force: true });
    const record = byAction(session, "summarize");
    if (record?.action !== "summarize") throw new Error("nothing was summarized");
    expect(record.summary.currentTask).toContain("the printer comes next");
    expect(record.summary.currentPlan).toEqual(["Read the code", "Move the files"]);
  });

  it("spec-44 spec-45 a tool result envelope keeps all its fields, and a tokenizer counts it", () => {
    const part = result(
      "c",
      { type: "json", value: { total: 3 } },
      {
        ...{ outcome: "partial", keyFields: { id: 1 }, durability: "replayable", determinism: { etag: "e" } },
        ...{ startedAt: "2026-01-01T00:00:00.000Z", completedAt: "2026-01-01T00:00:01.000Z" },
      },
    );
    expect(toolResultEnvelopeSchema.parse(part.result)).toEqual(part.result);
    expect(countingTokenizer().countPart(part)).toBe(Math.ceil('{"total":3}'.length / 4));
  });

  it("spec-96 the same span under the same policy folds to the same plan", async () => {
    const [one, other] = [await folded(), await folded()];
    expect(one.plan).toEqual(other.plan);
  });

  it("spec-99 spec-106 the summary schema and the rendering format have versions", async () => {
    expect([STRUCTURED_SUMMARY_SCHEMA_VERSION, COMPACTION_RENDER_FORMAT_VERSION]).toEqual([1, expect.any(String)]);
    const { manifest } = await (await folded()).prepare();
    expect(manifest.formatVersion).toBe(COMPACTION_RENDER_FORMAT_VERSION);
  });

  it("spec-100 a model's summary is cached when a cache is set, and otherwise the model is asked each time", async () => {
    let calls = 0;
    const complete = async () => {
      calls++;
      return { text: '{"currentTask":"Testing"}', finish: "stop", toolCalls: 0 } as const;
    };
    const request = (await requestOf()) as SummarizeRequest;
    for (const cache of [undefined, { tenantId: null, policyVersion: "p" }]) {
      calls = 0;
      const summarizer = modelSummarizer({ model: { id: "m", complete }, checks: [], ...(cache && { cache }) });
      for (let time = 0; time < 2; time++) await summarizer.summarize(request);
      expect(calls).toBe(cache === undefined ? 2 : 1);
    }
  });
});

/** What a fold asks its summarizer. */
async function requestOf(): Promise<SummarizeRequest | undefined> {
  let asked: SummarizeRequest | undefined;
  const summarizer = {
    id: "listening",
    summarize: (request: SummarizeRequest) => {
      const { signal: _signal, ...rest } = request;
      asked = rest;
      return new ExtractiveSummarizer().summarize(request);
    },
  };
  await folded({ preset: threadfoldPreset, summarizer });
  return asked;
}
