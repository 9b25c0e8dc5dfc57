import { asThreadId, type ContextCompactionEvent, ThreadfoldError } from "@threadfold/core";
import * as z from "@threadfold/core/schema";
import { formatById } from "@threadfold/renderer";
import { createMemoryStore } from "@threadfold/stores";
import { allOf, anyOf, manualTrigger, presetByName, towards } from "@threadfold/strategies";
import { describe, expect, it } from "vitest";
import { ContextSession } from "../loop/context-session.ts";
import { assistantMessage, toolMessage, userMessage } from "./messages.ts";

const frameOf = (tool: unknown) => ({ frame: { tools: [tool] } });
const threadId = asThreadId("checked");
const codex = presetByName("codex");
const analyze = () => [];
const vectors = { upsert: async () => undefined, search: async () => [], remove: async () => undefined };
const refusal = async (options: unknown): Promise<ThreadfoldError> => {
  const error = await ContextSession.open(options as never).then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (!ThreadfoldError.isInstance(error)) throw new Error(`It was opened, or ended in ${String(error)}.`);
  return error;
};

describe("opening a session from plain JavaScript", () => {
  it.each<readonly [string, unknown]>([
    ["options", undefined],
    ["options", []],
    ["threadId", { threadId: "" }],
    ["threadId", { threadId: 7 }],
    ["store.threads.append", { threadId, store: 7 }],
    ["store.threads.append", { threadId, store: {} }],
    ["preset.trigger", { threadId, preset: {} }],
    ["format.lower", { threadId, format: 7 }],
    ["tokenizer.countTokens", { threadId, tokenizer: (text: string) => text.length }],
    ["summaryModel.complete", { threadId, summaryModel: "claude-haiku-4-5" }],
    ["summarizer.summarize", { threadId, summarizer: async () => "all went well" }],
    ["frame", { threadId, frame: { system: "You are an agent.", tools: [] } }],
    ["frame", { threadId, frame: "You are an agent." }],
    ["preset.trigger", { threadId, preset: { ...codex, trigger: undefined } }],
    ["preset.ladder", { threadId, preset: { ...codex, ladder: undefined } }],
    ["preset.ladder\\[0\\].analyze", { threadId, preset: { ...codex, ladder: [{}] } }],
    [
      "preset.ladder\\[1\\].name",
      { threadId, preset: { ...codex, ladder: [...codex.ladder.slice(0, 1), { analyze }] } },
    ],
    [
      "preset.ladder\\[0\\].execute",
      { threadId, preset: { ...codex, ladder: [{ name: "own", analyze, execute: 7 }] } },
    ],
    ["vectors.embed", { threadId, vectors: { store: vectors } }],
    ["vectors.embed", { threadId, vectors: { store: vectors, embed: undefined } }],
    ["vectors.store.search", { threadId, vectors: { store: {}, embed: async () => [] } }],
    ["determinismProbe.probe", { threadId, determinismProbe: {} }],
    ["summaryCache.get", { threadId, summaryCache: {} }],
    ["summaryCache.set", { threadId, summaryCache: { get: async () => null } }],
    ["summaryChecks", { threadId, summaryChecks: {} }],
    ["summaryChecks\\[0\\].problem", { threadId, summaryChecks: [{}] }],
    ["store.threads.append", { threadId, store: { threads: {} } }],
    ["store.plans.getCurrentPlan", { threadId, store: { threads: createMemoryStore().threads } }],
    ["store.close", { threadId, store: { ...createMemoryStore(), close: undefined } }],
    ["tokenizer.countTokens", { threadId, tokenizer: { countTokens: 7 } }],
    ["summaryModel.complete", { threadId, summaryModel: { id: "m", complete: "text" } }],
    ["summarizer.summarize", { threadId, summarizer: { id: "s", summarize: undefined } }],
    ["format.lower", { threadId, format: { id: "f", lower: undefined } }],
    ["tokenizer.countPart", { threadId, tokenizer: { countTokens: () => 1 } }],
    ["clock.now", { threadId, clock: 5 }],
    ["clock.now", { threadId, clock: {} }],
    ["onEvent", { threadId, onEvent: "x" }],
    ["onEvent", { threadId, onEvent: {} }],
    ["journal", { threadId, journal: "no" }],
    ["compaction", { threadId, compaction: "false" }],
    ["compaction", { threadId, compaction: null }],
    ["redactSecrets", { threadId, redactSecrets: 0 }],
    ["securityContext", { threadId, securityContext: "x" }],
    ["securityContext.requesterId", { threadId, securityContext: {} }],
    ["securityContext.tenantId", { threadId, securityContext: { requesterId: "ada", permissions: [] } }],
    ["securityContext.permissions", { threadId, securityContext: { requesterId: "ada", tenantId: null } }],
    ["warnAfterCompactions", { threadId, warnAfterCompactions: "3" }],
    ["warnAfterCompactions", { threadId, warnAfterCompactions: Number.NaN }],
    ["model", { threadId, model: 5 }],
    ["model", { threadId, model: {} }],
    ["summaryRole", { threadId, summaryRole: "system" }],
    ["onSummaryFailure", { threadId, onSummaryFailure: "ignore" }],
    ["environment", { threadId, environment: "THREADFOLD_DISABLE_COMPACTION" }],
    ["declaredTools", { threadId, declaredTools: {} }],
    ["config", { threadId, config: "x" }],
    ["config", { threadId, config: null }],
    ["config", { threadId, config: [] }],
  ])("refuses a wrong value for %s, and names the option", async (name, options) => {
    const { code, message, hint } = await refusal(options);
    expect(code).toBe("INVALID_CONFIG");
    expect(message).toMatch(new RegExp(`^${name}: `));
    expect(hint).not.toBe("");
  });

  it.each<readonly [string, object, string, string]>([
    ["a figure in the wrong place", { maxInputTokens: 5_000 }, "maxInputTokens", "Did you mean config.maxInputTokens?"],
    [
      "a misspelled figure in the wrong place",
      { maxInputToken: 5_000 },
      "maxInputToken",
      "Did you mean config.maxInputTokens?",
    ],
    ["a misspelled option", { summaryModell: {} }, "summaryModell", "Did you mean summaryModel?"],
    ["an option of nobody's", { colour: "red" }, "colour", "Known options: threadId"],
    ["a misspelled figure", { config: { targetPercnt: 0.4 } }, "targetPercnt", "Did you mean targetPercent?"],
    ["a misspelled hook", { hooks: { preCompaction: [] } }, "preCompaction", "Did you mean preCompact?"],
    [
      "a hook that is no list",
      { hooks: { preCompact: () => ({}) } },
      "hooks.preCompact",
      "preCompact: [{ name, run }]",
    ],
    ["a list of functions", { hooks: { boundary: [() => ({})] } }, "hooks.boundary", "boundary: [{ name, run }]"],
    ["what becomes of a request over its budget", { onOverBudget: "ignore" }, "onOverBudget", ""],
    ["a time that no cache has", { cacheBreakpoints: { ttl: "2h" } }, "cacheBreakpoints.ttl", '"1h"'],
    ["a misspelled time", { cacheBreakpoints: { tll: "1h" } }, "tll", "Did you mean ttl?"],
    ["breakpoints that are a word", { cacheBreakpoints: "1h" }, "cacheBreakpoints", '{ ttl: "1h" }'],
    ["workers without a queue", { background: {} }, "background", "queue"],
    ["a queue that takes no jobs", { background: { queue: {} } }, "background.queue", "pgBossQueue"],
    ["workers that are a word", { background: "queue" }, "background", "queue"],
    ["no workers at all", { background: null }, "background", "queue"],
    ["a tool as Anthropic has it", frameOf({ name: "bash", input_schema: {} }), "frame.tools[0]", "inputSchema"],
    ["a tool as OpenAI has it", frameOf({ type: "function", function: {} }), "frame.tools[0]", "inputSchema"],
    ["a tool with a word as schema", frameOf({ name: "bash", inputSchema: "object" }), "frame.tools[0]", "inputSchema"],
    [
      "a tool with a schema of zod",
      frameOf({ name: "bash", inputSchema: z.object({}) }),
      "frame.tools[0]",
      "z.toJSONSchema",
    ],
    ["a tool whose name is a number", frameOf({ name: 7, inputSchema: {} }), "frame.tools[0]", "name"],
    ["a system text that is a list", { frame: { system: ["Be brief.", ["x"]] } }, "frame.system[1]", "text"],
    ["no system text", { frame: { system: [null] } }, "frame.system[0]", "text"],
    ["a misspelled field of a frame", { frame: { sytem: ["Be brief."] } }, "sytem", "Did you mean system?"],
    [
      "a misspelled threshold",
      { providerCompaction: { when: "threshold", compactat: 4 } },
      "compactat",
      "Did you mean compactAt?",
    ],
    ["a tool without a name", frameOf({ name: "", inputSchema: {} }), "frame.tools[0]", "name"],
    ["no tool", frameOf(null), "frame.tools[0]", "name"],
  ])("refuses %s by name, and hints at what is valid", async (_, options, name, hint) => {
    await expect(ContextSession.open({ threadId, ...options } as never)).rejects.toMatchObject({
      code: "INVALID_CONFIG",
      details: { name },
      hint: expect.stringContaining(hint),
    });
  });

  it("accepts a preset and a format by name, and hints at the known names when one is unknown", async () => {
    const named = await ContextSession.open({ threadId, preset: "codex", format: "openai-chat" });
    expect(named.format).toBe(formatById("openai-chat"));
    expect(named.config).toEqual((await ContextSession.open({ threadId, preset: presetByName("codex") })).config);
    expect((await ContextSession.open({ threadId })).config).not.toEqual(named.config);
    await expect(refusal({ threadId, preset: "codecs" })).resolves.toMatchObject({
      code: "INVALID_CONFIG",
      hint: expect.stringContaining("codex"),
    });
    await expect(refusal({ threadId, format: "openai-chats" })).resolves.toMatchObject({
      code: "INVALID_CONFIG",
      hint: expect.stringContaining("openai-chat"),
    });
  });

  it("accepts a JSON Schema that zod made, which still knows where it is from", async () => {
    const inputSchema = z.toJSONSchema(z.object({ command: z.string() }));
    expect(inputSchema).toHaveProperty("~standard");
    await (await ContextSession.open({ threadId, ...frameOf({ name: "bash", inputSchema }) } as never)).close();
  });

  it("needs nothing but a thread id", async () => {
    await (await ContextSession.open({ threadId })).close();
  });
});

describe("a message that is made in plain JavaScript", () => {
  const call = { callId: "c", toolName: "bash" };
  it.each<readonly [string, () => unknown, string]>([
    ["a result of no call", () => toolMessage(undefined as never, "Done."), "{ callId, toolName }"],
    [
      "a result of a call as Anthropic has it",
      () => toolMessage({ id: "c", name: "bash" } as never, "Done."),
      "id and",
    ],
    ["a result that was not awaited", () => toolMessage(call, Promise.resolve("Done.") as never), "awaited"],
    ["a misspelled outcome", () => toolMessage(call, "No.", { outcom: "error" } as never), "Did you mean outcome?"],
    ["an outcome that is none", () => toolMessage(call, "No.", { outcome: "error" as never }), "failure"],
    ["a misspelled time", () => userMessage("Hi.", { creatdAt: "2026" } as never), "Did you mean createdAt?"],
    ["an id instead of names", () => assistantMessage("Hi.", "m1" as never), "id, createdAt"],
  ])("is refused for %s", (_, make, hint) => {
    const refused = { code: "INVALID_CONFIG", hint: expect.stringContaining(hint) };
    expect(make).toThrow(expect.objectContaining(refused));
  });

  it("may leave the names out, or have them undefined", () => {
    expect(toolMessage(call, "Done.", { id: "r", outcome: "failure" })).toMatchObject({ id: "r", role: "tool" });
    expect(userMessage("Hi.", { id: undefined } as never).id).not.toBe("");
  });
});

describe("a session that is used from plain JavaScript", () => {
  const message = {
    ...{ id: "u", role: "user", createdAt: "2026-01-01T00:00:00Z" },
    parts: [{ type: "text", text: "Hi." }],
  };
  const answer = { ...message, id: "a", role: "assistant" };
  const next = { ...message, id: "v" };
  const refusedCalls = (
    [
      ["target", "switchModel", []],
      ["modl", "switchModel", { modl: "gpt-5" }],
      ["model", "switchModel", { model: 5 }],
      ["instructions", "compact", { instructions: 5 }],
      ["instructions", "dryRun", { instructions: 5 }],
      ["instructions", "compactInBackground", { instructions: 5 }],
      ["force", "compact", { force: "yes" }],
      ["signal", "compact", { signal: 5 }],
      ["options", "compact", true],
      ["options", "compact", null],
      ["options", "dryRun", 5],
      ["options", "prepare", null],
      ["options", "prepare", []],
      ["signal", "prepare", { signal: {} }],
      ["sytem", "prepare", { frame: { sytem: [] } }],
      ["signal", "append", [next], { signal: 5 }],
      ["options", "append", [next], null],
      ["options", "append", [next], 5],
      ["title", "setTitle", 5],
      ["compactions", "applyCompactions", "x"],
      ["compactions[0]", "applyCompactions", [null]],
      ["reference", "prepareAgain"],
      ["reference", "prepareAgain", "x"],
      ["planVersion", "prepareAgain", { threadId, planVersion: "1" }],
      ["outcome", "render", "x"],
      ["rehydrated", "render", null, "x"],
      ["response.messages[0]", "complete", { messages: [undefined] }],
      ["response.messages[1]", "complete", { messages: [answer, { role: "assistant", content: "Hi." }] }],
      ["usge", "complete", { messages: [answer], usge: {} }],
      ["usage", "complete", { messages: [answer], usage: 5 }],
      ["usage.inputTokens", "complete", { messages: [answer], usage: { input_tokens: 5 } }],
      ["usage.inputTokens", "complete", { messages: [answer], usage: { inputTokens: "5" } }],
      ["stopReason", "complete", { messages: [answer], stopReason: "length" }],
      ["usage", "reportUsage", undefined],
      ["usage.inputTokens", "reportUsage", { input_tokens: 5 }],
      ["overflow", "reportOverflow", 5],
      ["limit", "reportOverflow", { limit: 5 }],
      ["limitTokens", "reportOverflow", { limitTokens: "5000" }],
      ["isOn", "setAutoCompaction", "off"],
      ["maxToken", "handoff", { goal: "Go on.", threadId: "h", maxToken: 5 }],
      ["maxTokens", "handoff", { goal: "Go on.", threadId: "h", maxTokens: "5" }],
      ["signal", "handoff", { goal: "Go on.", threadId: "h", signal: 5 }],
      ["atMesage", "fork", { threadId: "f", atMesage: "u" }],
      ["goal", "fork", { threadId: "f", goal: "Go on." }],
      ["budgt", "fork", { threadId: "f", goal: "Go on.", mode: "shared-prefix", budgt: 5 }],
      ["threadId", "openOther", undefined],
      ["limt", "search", { text: "Hi.", limt: 4 }],
      ["maxToken", "shortSummary", { maxToken: 5 }],
      ["options", "shortSummary", null],
      ["format", "replay", { format: "openai-chat" }],
      ["formats", "replay", { formats: "openai-chat" }],
      ["options", "replay", null],
    ] as const
  ).map(([name, method, ...given]) => {
    // biome-ignore lint/suspicious/noExplicitAny: what callers without types do
    const use = (session: any) => session[method](...given);
    return [`${method}(${JSON.stringify(given)})`, use, { code: "INVALID_CONFIG", details: { name } }] as const;
  });
  // biome-ignore lint/suspicious/noExplicitAny: what callers without types do
  it.each<readonly [string, (session: any) => unknown, Partial<ThreadfoldError>]>([
    ["append(message)", (session) => session.append(message), { code: "INVALID_MESSAGE" }],
    ["append()", (session) => session.append(), { code: "INVALID_MESSAGE" }],
    ["append([null])", (session) => session.append([null]), { code: "INVALID_MESSAGE" }],
    ["complete(text)", (session) => session.complete("All done."), { code: "INVALID_CONFIG" }],
    ["complete()", (session) => session.complete(), { code: "INVALID_CONFIG" }],
    ["complete(message)", (session) => session.complete({ messages: message }), { code: "INVALID_CONFIG" }],
    [
      "complete(answer of a provider)",
      (session) => session.complete({ id: "msg_1", role: "assistant", content: [{ type: "text", text: "Hi." }] }),
      { code: "INVALID_CONFIG", hint: expect.stringContaining("fromAnthropic") as never },
    ],
    ["switchModel()", (session) => session.switchModel(), { code: "INVALID_CONFIG" }],
    ["switchModel(name)", (session) => session.switchModel("gpt-5"), { code: "INVALID_CONFIG" }],
    [
      "prepare(a word that is none)",
      (session) => session.prepare({ onOverBudget: "ignore" }),
      { code: "INVALID_CONFIG", message: expect.stringContaining("barest, throw, send") as never },
    ],
    [
      "compact(options of another system)",
      (session) => session.compact({ strategy: {}, trigger: {} }),
      { code: "INVALID_CONFIG", message: expect.stringContaining("trigger") as never },
    ],
    ["prepare(frame)", (session) => session.prepare({ frame: "You are an agent." }), { code: "INVALID_CONFIG" }],
    [
      "prepare(tool)",
      (session) => session.prepare({ frame: { tools: [{ name: "bash", input_schema: {} }] } }),
      { code: "INVALID_CONFIG", message: expect.stringContaining("frame.tools[0]") as never },
    ],
    ["compact(frame)", (session) => session.compact({ frame: { system: "x", tools: [] } }), { code: "INVALID_CONFIG" }],
    ["dryRun(frame)", (session) => session.dryRun({ frame: { system: "x" } }), { code: "INVALID_CONFIG" }],
    ["background(frame)", (session) => session.compactInBackground({ frame: [] }), { code: "INVALID_CONFIG" }],
    [
      "search(branch)",
      (session) => session.search({ text: "Hi.", branch: "nope" }),
      { code: "INVALID_QUERY", message: `Thread ${threadId} has no branch "nope".` },
    ],
    ["handoff(goal)", (session) => session.handoff("Go on."), { code: "INVALID_CONFIG" }],
    ["handoff()", (session) => session.handoff(), { code: "INVALID_CONFIG" }],
    ["handoff({ goal })", (session) => session.handoff({ goal: "Go on." }), { code: "INVALID_CONFIG" }],
    ["fork()", (session) => session.fork(), { code: "INVALID_CONFIG" }],
    ...refusedCalls,
  ])("refuses %s with a code and a hint, and stays usable", async (_, use, refused) => {
    const session = await ContextSession.open({ threadId });
    await session.append([message as never]);
    const error: unknown = await Promise.resolve()
      .then(() => use(session))
      .then(
        () => null,
        (thrown: unknown) => thrown,
      );
    expect(error).toMatchObject(refused);
    expect((error as ThreadfoldError).hint).not.toBe("");
    expect((await session.prepare()).payloadText).toContain("Hi.");
    await session.close();
  });

  it("names a trigger or strategy that throws in a fold, in outcome and event, with what was thrown", async () => {
    const fails = (): never => {
      throw new TypeError("no such column: price");
    };
    const parts = {
      "trigger nightly": { trigger: { name: "nightly", evaluate: fails } },
      "trigger weekly": {
        trigger: towards(0.5, anyOf(manualTrigger, allOf(manualTrigger, { name: "weekly", evaluate: fails }))),
      },
      "strategy mine": { force: true, strategy: { name: "mine", aggressiveness: 0, analyze: fails } },
    };
    for (const [part, options] of Object.entries(parts)) {
      const events: ContextCompactionEvent[] = [];
      const session = await ContextSession.open({ threadId, onEvent: (event) => events.push(event) });
      await session.append([message as never, { ...message, id: "v" } as never]);
      const problem = `INVALID_CONFIG: The ${part} failed: TypeError: no such column: price.`;
      expect(await session.compact(options)).toMatchObject({ type: "failed", problem });
      expect(events).toContainEqual(expect.objectContaining({ outcome: expect.objectContaining({ problem }) }));
      await session.close();
    }
  });

  it.each([Number.NaN, Number.POSITIVE_INFINITY, 8.64e15 + 1, undefined, "12:00"])(
    "refuses a clock that gives %s, when the session is opened and whenever the clock is read",
    async (given) => {
      const refused = { code: "INVALID_CONFIG", message: expect.stringContaining("clock.now()") };
      let now: unknown = given;
      const open = () => ContextSession.open({ threadId, clock: { now: () => now as number } });
      await expect(open()).rejects.toMatchObject(refused);
      now = 0;
      const session = await open();
      await session.append([message as never]);
      now = given;
      await expect(session.prepare()).rejects.toMatchObject(refused);
      await expect(session.setTitle("A title")).rejects.toMatchObject(refused);
      await session.close();
    },
  );
});
