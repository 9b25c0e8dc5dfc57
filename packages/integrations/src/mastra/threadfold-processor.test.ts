import { Agent, type AgentConfig, type MastraDBMessage } from "@mastra/core/agent";
import { MockMemory } from "@mastra/core/memory";
import { InMemoryStore } from "@mastra/core/storage";
import { asThreadId, visibleText } from "@threadfold/core";
import { formatById } from "@threadfold/renderer";
import { ContextSession } from "@threadfold/session";
import { createMemoryStore } from "@threadfold/stores";
import { MockLanguageModelV4 } from "ai/test";
import { describe, expect, it } from "vitest";
import { agentThatFolds } from "../examples/mastra.ts";
import { mastraPrompt, ThreadfoldProcessor, type ThreadfoldProcessorOptions } from "./threadfold-processor.ts";

const RULE = "Never edit config/production.yaml without asking me first.";
const page = (name: string): string => `${name}: ${"a line of the file that says little. ".repeat(40)}`;

const open = (maxInputTokens: number) =>
  ContextSession.open({ threadId: asThreadId("t"), format: formatById("ai-sdk"), config: { maxInputTokens } });

const said = (id: string, text: string): MastraDBMessage => ({
  id,
  role: "user",
  createdAt: new Date(),
  content: { format: 2, parts: [{ type: "text", text }] },
});

/** The SDK's mock as Mastra's types want a model: it wraps both calls itself. */
const asModel = (model: MockLanguageModelV4) => model as unknown as AgentConfig["model"];

/** A model that answers every call with a page, after the failures that it is told of. */
function answeringModel(failures: unknown[] = []) {
  let answers = 0;
  const usage = {
    inputTokens: { total: 100, noCache: 40, cacheRead: 60, cacheWrite: 0 },
    outputTokens: { total: 9, text: 9, reasoning: 0 },
  };
  return new MockLanguageModelV4({
    doGenerate: async () => {
      const failure = failures.shift();
      if (failure !== undefined) throw failure;
      const text = page(`answer ${answers++}`);
      return { content: [{ type: "text", text }], finishReason: { unified: "stop", raw: "stop" }, usage, warnings: [] };
    },
  });
}

/** An agent over one session, without memory. */
function agentOver(
  model: MockLanguageModelV4,
  session: ContextSession,
  options: Partial<ThreadfoldProcessorOptions> = {},
) {
  const threadfold = new ThreadfoldProcessor({ ...options, session });
  const agent = new Agent({
    ...{ id: "engineer", name: "engineer", instructions: "You are a careful engineer.", model: asModel(model) },
    ...{ inputProcessors: [threadfold], errorProcessors: [threadfold] },
  });
  return { agent, threadfold };
}

const memoryOf = (lastMessages?: number) =>
  new MockMemory({
    storage: new InMemoryStore(),
    ...(lastMessages !== undefined && { options: { lastMessages } }),
  });

const textsOf = ({ thread }: ContextSession) =>
  [...thread.messagesBetween(0)].map(({ parts: [part] }) => (part?.type === "text" ? part.text.split(":")[0] : ""));

describe("ThreadfoldProcessor", () => {
  it.each(["what was said and answered", "the result's messages"])(
    "folds the model's prompt and leaves Mastra's messages unchanged, handed in as %s",
    async (way) => {
      const [model, session] = [answeringModel(), await open(4_000)];
      const { agent } = agentOver(model, session);
      let history: MastraDBMessage[] = [];
      for (let turn = 0; turn < 14; turn++) {
        history.push(said(`u${turn}`, turn === 0 ? RULE : page(`question ${turn}`)));
        const { response, messages } = await agent.generate(history);
        if (way === "the result's messages") history = [...messages];
        else history.push(...(response.dbMessages ?? []));
      }
      expect(history).toHaveLength(28);
      expect(session.plan.version).toBeGreaterThan(0);
      expect(session.thread.length).toBe(27);
      const prompt = model.doGenerateCalls.at(-1)?.prompt ?? [];
      expect(prompt.length).toBeLessThan(27);
      expect(prompt[0]).toMatchObject({ role: "system", content: "You are a careful engineer." });
      expect(JSON.stringify(prompt)).toContain(RULE);
      expect(session.stats().usage).toMatchObject({ inputTokens: 1_400, cacheReadTokens: 840 });
      expect((await session.replay()).every(({ equal }) => equal)).toBe(true);
    },
  );

  it("folds and retries once when the request is rejected as too long", async () => {
    const tooLong = Object.assign(new Error("prompt is too long: 9000 tokens > 8000 maximum"), {
      statusCode: 400,
      isRetryable: false,
    });
    const [failures, session] = [[] as unknown[], await open(50_000)];
    const model = answeringModel(failures);
    const { agent } = agentOver(model, session);
    const history = Array.from({ length: 9 }, (_, turn) => said(`u${turn}`, page(`question ${turn}`)));
    failures.push(tooLong);
    const { text } = await agent.generate(history);
    expect(text).toContain("answer 0");
    const [first, second] = model.doGenerateCalls.map(({ prompt }) => JSON.stringify(prompt).length);
    expect(model.doGenerateCalls).toHaveLength(2);
    expect(second).toBeLessThan(first ?? 0);
    expect(session.plan.version).toBe(1);
  });

  it("counts the usage of runs that go on side by side each in its own thread, and folds for their own overflow", async () => {
    const tooLong = () =>
      Object.assign(new Error("prompt is too long: 9000 tokens > 8000 maximum"), {
        statusCode: 400,
        isRetryable: false,
      });
    const session = await open(50_000);
    const threadfold = new ThreadfoldProcessor({ session });
    let waiting = 0;
    const all = Promise.withResolvers<void>();
    const run = async (name: string, inputTokens: number) => {
      const model = answeringModel([tooLong()]);
      const { doGenerate } = model;
      model.doGenerate = async (options) => {
        if (++waiting === 2) all.resolve();
        await all.promise;
        const answer = await doGenerate(options);
        return {
          ...answer,
          usage: { ...answer.usage, inputTokens: { ...answer.usage.inputTokens, total: inputTokens } },
        };
      };
      const agent = new Agent({
        ...{ id: name, name, instructions: "Be brief.", model: asModel(model) },
        ...{ inputProcessors: [threadfold], errorProcessors: [threadfold] },
      });
      await agent.generate(Array.from({ length: 9 }, (_, turn) => said(`${name}${turn}`, page(`${name} ${turn}`))));
      for (const { prompt } of model.doGenerateCalls) expect(JSON.stringify(prompt)).toContain(name);
      expect(model.doGenerateCalls).toHaveLength(2);
    };
    await Promise.all([run("First", 100), run("Second", 200)]);
    const { items } = await session.store.threads.list();
    const reported = items.map(async ({ threadId }) => {
      const [first] = [...((await session.store.threads.load(threadId))?.messagesBetween(0, 1) ?? [])];
      const entries = await session.store.journal.read(threadId);
      const inputs = entries.flatMap(({ record }) =>
        record.type === "usage-reported" ? record.usage.inputTokens : [],
      );
      const folds = entries.filter(({ record }) => record.type === "plan-committed").length;
      return [first && visibleText(first).split(" ")[0], inputs, folds];
    });
    expect((await Promise.all(reported)).toSorted()).toEqual([
      ["First", [100], 1],
      ["Second", [200], 1],
    ]);
  });

  it.each([undefined, 4, 1000])(
    "keeps the whole conversation when memory hands in only its last messages: %s",
    async (last) => {
      const store = createMemoryStore();
      const [model, memory] = [answeringModel(), memoryOf(last)];
      let agent = agentThatFolds(asModel(model), memory, store);
      for (let turn = 0; turn < 16; turn++) {
        // A process that is started anew knows the thread by its store alone.
        if (turn === 9) agent = agentThatFolds(asModel(model), memory, store);
        const question = turn === 0 ? RULE : page(`question ${turn}`);
        await agent.generate(question, { memory: { thread: "talk", resource: "ada" } });
      }
      const session = await ContextSession.open({ threadId: asThreadId("talk"), store });
      await session.loadHistory();
      const asked = Array.from({ length: 16 }, (_, turn) => [
        turn === 0 ? RULE : `question ${turn}`,
        `answer ${turn}`,
      ]).flat();
      expect(textsOf(session)).toEqual(asked.slice(0, -1));
      expect(session.plan.version).toBeGreaterThan(0);
      expect(JSON.stringify(model.doGenerateCalls.at(-1)?.prompt)).toContain(RULE);
      expect((await store.threads.list()).items).toHaveLength(1);
    },
  );

  it("opens one session per memory thread, up to its limit of open sessions", async () => {
    const store = createMemoryStore();
    const opened: [string, string | undefined][] = [];
    const threadfold = new ThreadfoldProcessor({
      maxOpenSessions: 1,
      open: (threadId, resourceId) => {
        opened.push([threadId, resourceId]);
        return ContextSession.open({ threadId, store, format: formatById("ai-sdk") });
      },
    });
    const agent = new Agent({
      ...{ id: "a", name: "a", instructions: "Be brief.", model: asModel(answeringModel()), memory: memoryOf() },
      inputProcessors: [threadfold],
    });
    for (const [thread, resource] of [
      ["one", "ada"],
      ["two", "ben"],
      ["one", "ada"],
    ] as const)
      await agent.generate(`To ${thread}.`, { memory: { thread, resource } });
    expect(opened).toEqual([
      ["one", "ada"],
      ["two", "ben"],
      ["one", "ada"],
    ]);
    const one = await ContextSession.open({ threadId: asThreadId("one"), store });
    expect(textsOf(one)).toEqual(["To one.", "answer 0", "To one."]);
  });

  it("requires a memory thread when sessions are opened by thread", async () => {
    const agent = agentThatFolds(asModel(answeringModel()), memoryOf(), createMemoryStore());
    await expect(agent.generate("Hi.")).rejects.toMatchObject({ code: "INVALID_CONFIG" });
  });

  it("continues in a fork when a message is edited, or refuses if configured to", async () => {
    const session = await open(50_000);
    const { agent, threadfold } = agentOver(answeringModel(), session);
    await agent.generate([said("u0", "One.")]);
    await agent.generate([said("u0", "Other.")]);
    expect([textsOf(session), textsOf(await threadfold.sessionOf())]).toEqual([["One."], ["Other."]]);
    const refusing = agentOver(answeringModel(), await open(50_000), { onDiverged: "refuse" });
    await refusing.agent.generate([said("u0", "One.")]);
    await expect(refusing.agent.generate([said("u0", "Other.")])).rejects.toMatchObject({ code: "HISTORY_DIVERGED" });
  });
});

it("media in a tool result get the one form that Mastra's prompts have", () => {
  const value = [
    { type: "text", text: "seen" },
    { type: "image-data", data: "aGk=", mediaType: "image/png" },
    { type: "file-url", url: "https://example.com/a.pdf" },
  ];
  const result = { type: "tool-result", toolCallId: "c", toolName: "look", output: { type: "content", value } };
  const [message] = mastraPrompt({ messages: [{ role: "tool", content: [result] }] });
  expect(message?.content).toMatchObject([
    {
      output: {
        value: [
          { type: "text", text: "seen" },
          { type: "media", data: "aGk=", mediaType: "image/png" },
          { type: "text", text: "[https://example.com/a.pdf]" },
        ],
      },
    },
  ]);
});
