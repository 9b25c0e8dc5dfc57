import { asToolCallId, visibleText } from "@threadfold/core";
import type { ContextSession, PreparedRequest } from "@threadfold/session";
import { createMemoryStore } from "@threadfold/stores";
import {
  APICallError,
  generateText,
  isStepCount,
  jsonSchema,
  type LanguageModelMiddleware,
  type ModelMessage,
  streamText,
  type ToolSet,
  wrapLanguageModel,
} from "ai";
import { MockLanguageModelV4, simulateReadableStream } from "ai/test";
import { generateText as generateText6, stepCountIs, wrapLanguageModel as wrapLanguageModel6 } from "ai-sdk-6";
import { MockLanguageModelV3 } from "ai-sdk-6/test";
import { describe, expect, it } from "vitest";
import { currentSession } from "../mirror/divergence.ts";
import { OVERFLOWS } from "../testing/doubles.ts";
import { sessionIn, workedSession } from "../testing/sessions.ts";
import { compactionMiddleware } from "./compaction-middleware.ts";
import { createOnEnd, createPrepareStep, threadfoldTools } from "./prepare-step.ts";

type Generated = Awaited<ReturnType<MockLanguageModelV4["doGenerate"]>>;
type Prompt = MockLanguageModelV4["doGenerateCalls"][number]["prompt"];
/** A part of a prompt, of any kind. */
interface Sent {
  readonly type: string;
  readonly toolCallId?: string;
}

const usage = {
  inputTokens: { total: 900, noCache: 800, cacheRead: 100, cacheWrite: 0 },
  outputTokens: { total: 7, text: 7, reasoning: 0 },
};
const overflow = () =>
  new APICallError({
    ...{ message: OVERFLOWS.anthropic.body.error.message, url: "http://model", requestBodyValues: {} },
    statusCode: 400,
    responseBody: JSON.stringify(OVERFLOWS.anthropic.body),
  });

/** A model that calls a tool so many times and is done then. */
const steps = (count: number) => {
  let step = 0;
  return async (): Promise<Generated> => {
    const call = { type: "tool-call" as const, toolCallId: `call_${step}`, toolName: "run", input: `{"step":${step}}` };
    const isLast = step++ === count;
    return {
      content: isLast ? [{ type: "text", text: "Done." }] : [{ type: "reasoning", text: `Hm ${step}.` }, call],
      finishReason: { unified: isLast ? "stop" : "tool-calls", raw: undefined },
      usage,
      warnings: [],
    };
  };
};

const tools = {
  run: {
    description: "Runs a step.",
    inputSchema: schema(),
    execute: async ({ step }: { step: number }) => `${step}: ${"output ".repeat(600)}`,
  },
} as unknown as ToolSet;

function schema() {
  return jsonSchema({ type: "object", properties: { step: { type: "number" } } });
}

/** What the thread has, as words. */
const story = (session: ContextSession): readonly string[] =>
  [...session.thread.messagesBetween(0)].map(({ role, parts }) => {
    const call = parts.find((part) => part.type === "tool-call");
    const result = parts.find((part) => part.type === "tool-result");
    return call?.callId ?? (result && `result ${result.result.callId}`) ?? role;
  });

const wholeStory = (count: number): readonly string[] => [
  "user",
  ...Array.from({ length: count }, (_, step) => [`call_${step}`, `result ${asToolCallId(`call_${step}`)}`]).flat(),
  "assistant",
];

const length = (prompt: Prompt): number => JSON.stringify(prompt).length;

describe("a prepare step of the AI SDK", () => {
  const prompt = "Do the steps. Never touch the vault.";

  it("layer-31 layer-32 shows each step what the session makes, and never folds what it folded", async () => {
    const session = await sessionIn("ai-sdk", { config: { maxInputTokens: 6_500, outputReserveTokens: 1_000 } });
    const model = new MockLanguageModelV4({ doGenerate: steps(40) });
    const prepareStep = createPrepareStep({ session, tools });
    const onEnd = createOnEnd({ session });
    const call = { model, tools, instructions: "Be brief.", stopWhen: isStepCount(100), prepareStep, onEnd };
    const { responseMessages } = await generateText({ ...call, prompt });
    expect(session.plan.version).toBeGreaterThan(1);
    // Every message once, in its order, as the SDK had it: no summary among them.
    expect(story(session)).toEqual(wholeStory(40));
    const prompts = model.doGenerateCalls.map(({ prompt: sent }) => sent);
    expect(Math.max(...prompts.map(length))).toBeLessThan(4 * 16_000);
    for (const sent of prompts) {
      expect(sent[0]).toEqual({ role: "system", content: "Be brief.", providerOptions: undefined });
      expect(JSON.stringify(sent)).toContain("Never touch the vault.");
    }
    expect(session.stats().usage).toMatchObject({
      inputTokens: 41 * 900,
      outputTokens: 41 * 7,
      cacheReadTokens: 4_100,
    });

    const messages: ModelMessage[] = [
      { role: "user", content: prompt },
      ...responseMessages,
      { role: "user", content: "And now?" },
    ];
    await generateText({ ...call, model: new MockLanguageModelV4({ doGenerate: steps(0) }), messages });
    expect(story(session)).toEqual([...wholeStory(40), "user", "assistant"]);
    expect((await session.replay()).every(({ equal }) => equal)).toBe(true);
  });

  it("works in version 6 as well", async () => {
    const session = await sessionIn("ai-sdk", { config: { maxInputTokens: 6_500, outputReserveTokens: 1_000 } });
    const model = new MockLanguageModelV3({ doGenerate: steps(40) as never });
    type Call = Parameters<typeof generateText6>[0];
    const prepareStep = createPrepareStep({ session, tools, instructions: "Be brief." }) as Call["prepareStep"] &
      object;
    const onFinish = createOnEnd({ session });
    const own = tools as unknown as Call["tools"] & object;
    await generateText6({
      model,
      tools: own,
      prompt,
      system: "Be brief.",
      stopWhen: stepCountIs(100),
      prepareStep,
      onFinish,
    });
    expect(session.plan.version).toBeGreaterThan(1);
    expect(story(session)).toEqual(wholeStory(40));
    expect(model.doGenerateCalls.at(-1)?.prompt[0]).toMatchObject({ role: "system", content: "Be brief." });
    expect((await session.render()).breakdown.system).toBeGreaterThan(0);
  });

  it("leaves overflow and usage to the middleware beside it", async () => {
    const session = await sessionIn("ai-sdk");
    const answer = steps(2);
    let calls = 0;
    const inner = new MockLanguageModelV4({
      doGenerate: async () => {
        if (++calls === 3) throw overflow();
        return answer();
      },
    });
    const prepareStep = createPrepareStep({ session, tools });
    const model = wrapLanguageModel({ model: inner, middleware: compactionMiddleware({ session }) });
    await generateText({
      model,
      tools,
      prompt,
      stopWhen: isStepCount(9),
      prepareStep,
      onEnd: createOnEnd({ session }),
    });
    expect(calls).toBe(4);
    expect(story(session)).toEqual(wholeStory(2));
    expect(session.stats().usage).toMatchObject({ inputTokens: 3 * 900 });
  });

  it("refuses a conversation that was edited where it is told to, and a session of another format", async () => {
    const session = await sessionIn("ai-sdk");
    const prepareStep = createPrepareStep({ session, onDiverged: "refuse" });
    const model = () => new MockLanguageModelV4({ doGenerate: steps(0) });
    await generateText({ model: model(), prompt, prepareStep });
    await expect(generateText({ model: model(), prompt: "Other.", prepareStep })).rejects.toMatchObject({
      code: "HISTORY_DIVERGED",
    });
    const other = await sessionIn("anthropic-messages");
    expect(() => createPrepareStep({ session: other })).toThrow(expect.objectContaining({ code: "INVALID_CONFIG" }));
  });

  it("takes in what was said between steps, at its place", async () => {
    const session = await sessionIn("ai-sdk");
    const prepareStep = createPrepareStep({ session });
    const step = (name: string): { usage: object; finishReason: string; response: { messages: unknown[] } } => ({
      ...{ usage: {}, finishReason: "stop" },
      response: { messages: [{ role: "assistant", content: name }] },
    });
    const first = step("one");
    const steering = [{ role: "user", content: "Also this." }];
    const initialMessages = [{ role: "user", content: "Begin." }];
    await prepareStep({ steps: [], messages: initialMessages, initialMessages, responseMessages: [] });
    const second = {
      initialMessages,
      responseMessages: first.response.messages,
      experimental_steeringMessages: steering,
    };
    await prepareStep({ steps: [first], messages: [], ...second });
    const third = { ...step("two"), experimental_steeringMessages: steering };
    const { messages } = await prepareStep({
      ...{ steps: [first, third], messages: [], initialMessages },
      responseMessages: [...first.response.messages, ...third.response.messages, { role: "user", content: "?" }].slice(
        0,
        2,
      ),
    });
    const said = messages.map(({ content }) => (content as readonly { text: string }[])[0]?.text);
    expect(said.slice(0, 4)).toEqual(["Begin.", "one", "Also this.", "two"]);
  });
});

describe("two runs of the AI SDK in one session at once", () => {
  it("each continue in a thread of their own, which has their own answer", async () => {
    const session = await sessionIn("ai-sdk", { config: { maxInputTokens: 100_000 } });
    const options = { tools, stopWhen: isStepCount(20), onEnd: createOnEnd({ session }) };
    const run = (prompt: string, count: number) =>
      generateText({
        ...options,
        ...{ prompt, model: new MockLanguageModelV4({ doGenerate: steps(count) }) },
        prepareStep: createPrepareStep({ session, tools }),
      });
    await Promise.all([run("Do the first.", 3), run("Do the second.", 5)]);
    const { items } = await session.store.threads.list();
    const threads = await Promise.all(items.map(({ threadId }) => session.store.threads.load(threadId)));
    const told = threads.map((thread) => {
      const messages = [...(thread?.messagesBetween(0) ?? [])];
      return [messages[0] && visibleText(messages[0]), messages.length, messages.at(-1)?.role];
    });
    expect(told.toSorted()).toEqual([
      ["Do the first.", 8, "assistant"],
      ["Do the second.", 12, "assistant"],
    ]);
  });
});

describe("calls of the AI SDK that a person approves", () => {
  /** Calls two tools at once, one of which a person must approve, as many times as told. */
  const asking = (count: number) => {
    let step = 0;
    let refusals = 0;
    return async (): Promise<Generated> => {
      if (step === 12 && refusals++ === 0) throw overflow();
      const call = (toolName: string) => ({
        type: "tool-call" as const,
        toolCallId: `${toolName}_${step}`,
        toolName,
        input: `{"step":${step}}`,
      });
      const content: Generated["content"] =
        step < count ? [call("run"), call("drop")] : [{ type: "text", text: "Done." }];
      step++;
      const reason = content.length === 2 ? "tool-calls" : "stop";
      return { content, finishReason: { unified: reason, raw: undefined }, usage, warnings: [] };
    };
  };
  const approved = { ...tools, drop: { ...tools["run"], needsApproval: true } } as unknown as ToolSet;

  it.each([true, false])("get each answer once, approved and refused, with a prepare step: %s", async (hasSteps) => {
    const session = await sessionIn("ai-sdk", { config: { maxInputTokens: 6_500, outputReserveTokens: 1_000 } });
    const model = new MockLanguageModelV4({ doGenerate: asking(20) });
    const violations: unknown[] = [];
    const options = { session, onRequest: (request: PreparedRequest) => violations.push(...request.violations) };
    const folding = wrapLanguageModel({ model, middleware: compactionMiddleware(options) });
    const around = hasSteps
      ? { prepareStep: createPrepareStep({ ...options, tools: approved }), onEnd: createOnEnd({ session }) }
      : {};
    let messages: ModelMessage[] = [{ role: "user", content: "Do the steps. Never touch the vault." }];
    for (let round = 0; ; round++) {
      const call = { model: folding, tools: approved, stopWhen: isStepCount(20), messages, ...around };
      const { content, responseMessages } = await generateText(call);
      messages = [...messages, ...responseMessages];
      const asked = content.filter((part) => part.type === "tool-approval-request");
      if (asked.length === 0) break;
      const answers = asked.map(({ approvalId }) => ({
        ...{ type: "tool-approval-response" as const, approvalId, approved: round % 2 === 0 },
      }));
      messages.push({ role: "tool", content: answers });
    }
    expect(model.doGenerateCalls).toHaveLength(22);
    expect(violations).toEqual([]);
    expect(session.plan.version).toBeGreaterThan(0);
    for (const { prompt } of model.doGenerateCalls) {
      const parts = prompt.flatMap(({ role, content }) => (role === "system" ? [] : (content as readonly Sent[])));
      const ids = (type: string) => parts.flatMap((part) => (part.type === type ? [part.toolCallId] : []));
      expect(ids("tool-result").toSorted()).toEqual(ids("tool-call").toSorted());
      expect(parts.map(({ type }) => type).filter((type) => type.includes("approval"))).toEqual([]);
    }
    expect((await session.replay()).every(({ equal }) => equal)).toBe(true);
  });

  it("are appended once in version 6 as well, when the model then says no more than one thing", async () => {
    const session = await sessionIn("ai-sdk", { config: { maxInputTokens: 100_000 } });
    const model = new MockLanguageModelV3({ doGenerate: asking(1) as never });
    type Call = Parameters<typeof generateText6>[0];
    const own = approved as unknown as Call["tools"] & object;
    const run = (messages: Call["messages"] & object) =>
      generateText6({
        ...{ model, tools: own, messages, stopWhen: stepCountIs(20), onFinish: createOnEnd({ session }) },
        prepareStep: createPrepareStep({ session, tools: approved }) as Call["prepareStep"] & object,
      });
    const question = { role: "user" as const, content: "Do the step." };
    const { content, response } = await run([question]);
    const asked = content.find((part) => part.type === "tool-approval-request");
    const answer = { type: "tool-approval-response" as const, approvalId: asked?.approvalId ?? "", approved: true };
    const { text } = await run([question, ...response.messages, { role: "tool", content: [answer] }]);
    expect(text).toBe("Done.");
    expect(currentSession(session).thread.length).toBe(6);
    expect(story(session)).toEqual(["user", "run_0", "result run_0", "user", "result drop_0", "assistant"]);
  });
});

describe("a middleware of the AI SDK", () => {
  const long = Array.from({ length: 60 }, (_, index): ModelMessage[] => [
    { role: "user", content: index === 0 ? "Never touch the vault." : `Question ${index}: ${"word ".repeat(300)}` },
    { role: "assistant", content: `Answer ${index}.` },
  ]).flat();

  it.each([4, 3])(
    "sends what the session makes of a call's prompt, to models of specification %i",
    async (specification) => {
      const session = await sessionIn("ai-sdk", { config: { maxInputTokens: 8_000, outputReserveTokens: 500 } });
      const middleware = compactionMiddleware({ session });
      const messages = [...long, { role: "user" as const, content: "And now?" }];
      const answer = steps(0);
      const inner =
        specification === 4
          ? new MockLanguageModelV4({ doGenerate: answer })
          : new MockLanguageModelV3({ doGenerate: answer as never });
      if (inner instanceof MockLanguageModelV4)
        await generateText({
          model: wrapLanguageModel({ model: inner, middleware }),
          messages,
          instructions: "Be brief.",
        });
      else {
        const model = wrapLanguageModel6({ model: inner, middleware: middleware as never });
        await generateText6({ model, messages: messages as never, system: "Be brief." });
      }
      const [{ prompt: sent }] = inner.doGenerateCalls as unknown as [{ readonly prompt: Prompt }];
      expect(session.thread.length).toBe(121);
      expect(session.plan.version).toBe(1);
      expect(length(sent)).toBeLessThan(4 * 8_000);
      expect(sent[0]).toMatchObject({ role: "system", content: "Be brief." });
      expect(JSON.stringify(sent)).toContain("Never touch the vault.");
      expect(JSON.stringify(sent.at(-1))).toContain("And now?");
      expect(session.stats().usage).toMatchObject({ inputTokens: 900 });
    },
  );

  it("counts the call's own tools", async () => {
    const session = await sessionIn("ai-sdk");
    const model = wrapLanguageModel({
      model: new MockLanguageModelV4({ doGenerate: steps(0) }),
      middleware: compactionMiddleware({ session }),
    });
    await generateText({ model, tools, prompt: "Begin." });
    const { breakdown } = await session.render();
    expect(breakdown.tools).toBeGreaterThan(0);
  });

  it("L19 folds and asks once more after an overflow, streaming or not, and only once", async () => {
    const session = await sessionIn("ai-sdk", { config: { maxInputTokens: 100_000 } });
    const middleware: LanguageModelMiddleware = compactionMiddleware({ session });
    const sizes: number[] = [];
    const refused = (times: number) => async (options: { readonly prompt: Prompt }) => {
      sizes.push(length(options.prompt));
      if (sizes.length <= times) throw overflow();
      return steps(0)();
    };
    const once = wrapLanguageModel({ model: new MockLanguageModelV4({ doGenerate: refused(1) }), middleware });
    await generateText({ model: once, messages: [...long, { role: "user", content: "And now?" }], maxRetries: 0 });
    expect(sizes).toHaveLength(2);
    expect(sizes[1]).toBeLessThan(sizes[0] as number);

    sizes.length = 0;
    const always = wrapLanguageModel({ model: new MockLanguageModelV4({ doStream: refused(9) as never }), middleware });
    const run = streamText({
      ...{ model: always, messages: [...long, { role: "user", content: "And now?" }], maxRetries: 0 },
      onError: () => undefined,
    });
    await expect(run.text).rejects.toThrow();
    expect(sizes).toHaveLength(2);
  });

  it("reports what a stream says at its end", async () => {
    const session = await sessionIn("ai-sdk");
    const stream = simulateReadableStream({
      chunks: [
        { type: "text-start" as const, id: "1" },
        { type: "text-delta" as const, id: "1", delta: "Done." },
        { type: "text-end" as const, id: "1" },
        { type: "finish" as const, finishReason: { unified: "stop" as const, raw: undefined }, usage },
      ],
    });
    const inner = new MockLanguageModelV4({ doStream: async () => ({ stream }) });
    const model = wrapLanguageModel({ model: inner, middleware: compactionMiddleware({ session }) });
    expect(await streamText({ model, prompt: "Begin." }).text).toBe("Done.");
    expect(session.stats().usage).toMatchObject({ inputTokens: 900, outputTokens: 7 });
  });

  it("hands pictures and results with pictures to models in the form of each specification", async () => {
    const picture = { type: "file" as const, data: "aGk=", mediaType: "image/png" };
    const content = [
      { type: "text" as const, text: "See." },
      { type: "file" as const, data: { type: "data" as const, data: "aGk=" }, mediaType: "image/png" },
    ];
    const messages: ModelMessage[] = [
      { role: "user", content: [{ type: "text", text: "Look." }, picture] },
      { role: "assistant", content: [{ type: "tool-call", toolCallId: "c", toolName: "run", input: {} }] },
      {
        role: "tool",
        content: [
          { type: "tool-result", toolCallId: "c", toolName: "run", output: { type: "content", value: content } },
        ],
      },
    ];
    const session = await sessionIn("ai-sdk");
    const inner = new MockLanguageModelV4({ doGenerate: steps(0) });
    const model = wrapLanguageModel({ model: inner, middleware: compactionMiddleware({ session }) });
    await generateText({ model, messages });
    const [user, , tool] = inner.doGenerateCalls[0]!.prompt;
    const data = { type: "data", data: "aGk=" };
    expect(user).toMatchObject({ content: [{ text: "Look." }, { type: "file", data, mediaType: "image/png" }] });
    expect(tool).toMatchObject({
      content: [{ output: { type: "content", value: [{ text: "See." }, { type: "file", data }] } }],
    });
  });
});

describe("tools of the AI SDK", () => {
  it("find what is folded, and say in words what they cannot find", async () => {
    const session = await workedSession("ai-sdk", 30, { config: { maxInputTokens: 12_000 } });
    await session.compact({ force: true });
    const { search_thread, read_artifact } = threadfoldTools(session);
    const options = { toolCallId: "t", messages: [], context: {} } as never;
    expect(await search_thread.execute?.({ query: "step 3" }, options)).toContain("step 3");
    expect(await read_artifact.execute?.({ artifact_id: "nothing" }, options)).toMatch(/artifact/);
  });

  it("are run in the SDK's own loop", async () => {
    const session = await sessionIn("ai-sdk");
    let asked = false;
    const model = new MockLanguageModelV4({
      doGenerate: async () => {
        const call = {
          type: "tool-call" as const,
          toolCallId: "c",
          toolName: "search_thread",
          input: '{"query":"vault"}',
        };
        const answer = await steps(0)();
        const isFirst = !asked;
        asked = true;
        return isFirst
          ? { ...answer, content: [call], finishReason: { unified: "tool-calls", raw: undefined } }
          : answer;
      },
    });
    const prepareStep = createPrepareStep({ session });
    await generateText({
      model,
      tools: threadfoldTools(session),
      prompt: "Begin.",
      prepareStep,
      stopWhen: isStepCount(3),
    });
    expect(JSON.stringify(model.doGenerateCalls[1]?.prompt)).toContain("vault");
  });
});

describe("a chat over the AI SDK whose user goes back", () => {
  const said = (content: string): ModelMessage => ({ role: "user", content });
  const answered = (content: string): ModelMessage => ({
    role: "assistant",
    content: [{ type: "text", text: content }],
  });
  const chat = [said("One."), answered("First."), said("Two."), answered("Second."), said("Three.")];
  const ways: readonly [string, readonly ModelMessage[]][] = [
    ["has the newest answer given anew", chat],
    ["has the first answer given anew", chat.slice(0, 1)],
    ["edits the first message", [said("Uno.")]],
    ["edits a message in the middle", [...chat.slice(0, 2), said("Due.")]],
    ["edits the newest message", [...chat.slice(0, 4), said("Tre.")]],
  ];
  const textsOf = (session: ContextSession) =>
    [...session.thread.messagesBetween(0)].map(({ parts: [part] }) => (part?.type === "text" ? part.text : ""));

  /** Sends a chat as it is, through the prepare step or the middleware. */
  async function send(session: ContextSession, messages: readonly ModelMessage[], text: string, way: string) {
    const doGenerate = async () => ({ ...(await steps(0)()), content: [{ type: "text" as const, text }] });
    const model = new MockLanguageModelV4({ doGenerate });
    const beside =
      way === "prepare step" ? { prepareStep: createPrepareStep({ session }), onEnd: createOnEnd({ session }) } : {};
    const asked =
      way === "prepare step" ? model : wrapLanguageModel({ model, middleware: compactionMiddleware({ session }) });
    await generateText({ ...beside, model: asked, messages: [...messages] });
    return model.doGenerateCalls[0]?.prompt.map(({ content }) => (content as readonly { text: string }[])[0]?.text);
  }

  describe.each(["prepare step", "middleware"])("through the %s", (door) => {
    it.each(ways)("and %s: the model is sent that chat, and the earlier one stays", async (_, messages) => {
      const store = createMemoryStore();
      const session = await sessionIn("ai-sdk", { store });
      await send(session, chat, "Third.", door);
      await send(session, [...chat, answered("Third."), said("Four.")], "Fourth.", door);
      const before = textsOf(session);
      const prompt = await send(session, messages, "Anew.", door);
      const texts = messages.map(({ content }) =>
        typeof content === "string" ? content : (content[0] as { text: string }).text,
      );
      expect(prompt).toEqual(texts);
      // On with the new way in another process, and then back to the earlier one.
      const later = await sessionIn("ai-sdk", { store });
      expect(await send(later, [...messages, answered("Anew."), said("On.")], "So.", door)).toEqual([
        ...texts,
        "Anew.",
        "On.",
      ]);
      expect(currentSession(later).threadId).toBe(currentSession(session).threadId);
      expect(
        await send(
          later,
          [...chat, answered("Third."), said("Four."), answered("Fourth."), said("Back.")],
          "Yes.",
          door,
        ),
      ).toHaveLength(9);
      expect(currentSession(later)).toBe(later);
      expect(textsOf(later).slice(0, before.length)).toEqual(before);
    });
  });

  it("tells the newest listener, and refuses when that was said last", async () => {
    const session = await sessionIn("ai-sdk");
    const heard: string[] = [];
    compactionMiddleware({ session, onSwitch: () => heard.push("first") });
    const prepareStep = createPrepareStep({ session, onSwitch: ({ left }) => heard.push(left) });
    const model = () => new MockLanguageModelV4({ doGenerate: steps(0) });
    await generateText({ model: model(), prepareStep, prompt: "One." });
    await generateText({ model: model(), prepareStep, prompt: "Other." });
    expect(heard).toEqual([session.threadId]);
    createPrepareStep({ session, onDiverged: "refuse" });
    const again = generateText({ model: model(), prepareStep, prompt: "Another." });
    await expect(again).rejects.toMatchObject({ code: "HISTORY_DIVERGED" });
  });
});
