import { visibleText } from "@threadfold/core";
import type { ContextSession } from "@threadfold/session";
import {
  APICallError,
  generateText,
  isStepCount,
  jsonSchema,
  type ModelMessage,
  streamText,
  type ToolSet,
  wrapLanguageModel,
} from "ai";
import { MockLanguageModelV4, simulateReadableStream } from "ai/test";
import { generateText as generateText6, stepCountIs, wrapLanguageModel as wrapLanguageModel6 } from "ai-sdk-6";
import { MockLanguageModelV3 } from "ai-sdk-6/test";
import { describe, expect, it } from "vitest";
import { OVERFLOWS } from "../testing/doubles.ts";
import { sessionIn } from "../testing/sessions.ts";
import { aiSdkSession, keepRecall } from "./ai-sdk-session.ts";
import { compactionMiddleware } from "./compaction-middleware.ts";
import { createOnEnd, createPrepareStep, threadfoldTools } from "./prepare-step.ts";

type Generated = Awaited<ReturnType<MockLanguageModelV4["doGenerate"]>>;

const tools = {
  run: { inputSchema: jsonSchema({ type: "object" }), execute: async () => "It ran." },
} as unknown as ToolSet;

const overflow = () =>
  new APICallError({
    ...{ message: OVERFLOWS.anthropic.body.error.message, url: "http://model", requestBodyValues: {} },
    statusCode: 400,
    responseBody: JSON.stringify(OVERFLOWS.anthropic.body),
  });

/** Answers with so many calls, one each time, and is done then. */
function answers(count: number, inputTokens: number) {
  let step = 0;
  return async (): Promise<Generated> => {
    const call = { type: "tool-call" as const, toolCallId: `call_${step}`, toolName: "run", input: "{}" };
    const isLast = step++ === count;
    return {
      content: [isLast ? { type: "text", text: "Done." } : call],
      finishReason: { unified: isLast ? "stop" : "tool-calls", raw: undefined },
      usage: {
        inputTokens: { total: inputTokens, noCache: inputTokens, cacheRead: 0, cacheWrite: 0 },
        outputTokens: { total: 7, text: 7, reasoning: 0 },
      },
      warnings: [],
    };
  };
}

describe("runs of the AI SDK that go on side by side in one session", () => {
  const doors = ["the steps", "the steps and the middleware", "the middleware"] as const;
  const versions = ["generateText", "streamText", "generateText of version 6"] as const;

  /** Makes all models wait until each has been asked as often, so that runs take their steps side by side. */
  function sideBySide(runs: number) {
    const rounds: { waiting: number; readonly all: PromiseWithResolvers<void> }[] = [];
    return async (round: number) => {
      const known = (rounds[round] ??= { waiting: 0, all: Promise.withResolvers<void>() });
      if (++known.waiting === runs) known.all.resolve();
      await known.all.promise;
    };
  }

  const usageOf = async (session: ContextSession) => {
    const { items } = await session.store.threads.list();
    const reports = items.map(async ({ threadId }) => {
      const messages = [...((await session.store.threads.load(threadId))?.messagesBetween(0) ?? [])];
      const [first, last] = [messages[0], messages.at(-1)];
      const entries = await session.store.journal.read(threadId);
      const inputs = entries.flatMap(({ record }) =>
        record.type === "usage-reported" ? [record.usage.inputTokens] : [],
      );
      return [first && visibleText(first), last && visibleText(last), ...inputs] as const;
    });
    return (await Promise.all(reports)).toSorted();
  };

  it.each(doors.flatMap((door) => versions.map((version) => [door, version] as const)))(
    "have each answer's usage counted in its own thread, behind %s of %s",
    async (door, version) => {
      const session = await sessionIn("ai-sdk", { config: { maxInputTokens: 100_000 } });
      for (const count of [0, 3]) {
        const meet = sideBySide(2);
        const run = (prompt: string, inputTokens: number) => {
          let round = 0;
          const answer = answers(count, inputTokens);
          const doGenerate = async () => {
            await meet(round++);
            return answer();
          };
          return runOf(version, door, session, prompt, doGenerate);
        };
        await Promise.all([run(`First ${count}.`, 100), run(`Second ${count}.`, 200)]);
      }
      // Without steps, the last answer comes with the next call.
      const end = (text: string) => (door === "the middleware" ? text : "Done.");
      expect(await usageOf(session)).toEqual([
        ["First 0.", end("First 0."), 100],
        ["First 3.", end("It ran."), 100, 100, 100, 100],
        ["Second 0.", end("Second 0."), 200],
        ["Second 3.", end("It ran."), 200, 200, 200, 200],
      ]);
    },
  );

  async function runOf(
    version: (typeof versions)[number],
    door: (typeof doors)[number],
    session: ContextSession,
    prompt: string | ModelMessage[],
    doGenerate: (call: { readonly prompt: unknown }) => Promise<Generated>,
    offered: ToolSet = tools,
  ): Promise<void> {
    const own =
      door === "the middleware"
        ? {}
        : { prepareStep: createPrepareStep({ session, tools: offered }), onEnd: createOnEnd({ session }) };
    const middleware = door === "the steps" ? [] : [compactionMiddleware({ session })];
    if (version === "generateText of version 6") {
      const inner = new MockLanguageModelV3({ doGenerate: doGenerate as never });
      const model = wrapLanguageModel6({ model: inner, middleware: middleware as never });
      const { onEnd: onFinish, ...step } = { onEnd: undefined, ...own };
      await generateText6({ model, tools: offered, prompt, stopWhen: stepCountIs(20), ...step, onFinish } as never);
      for (const { providerOptions } of inner.doGenerateCalls) expect(providerOptions).toBeUndefined();
      return;
    }
    const doStream = async (asked: { readonly prompt: unknown }) => {
      const { content, ...end } = await doGenerate(asked);
      const parts = content.flatMap((part): readonly object[] =>
        part.type === "text"
          ? [
              { type: "text-start", id: "t" },
              { type: "text-delta", id: "t", delta: part.text },
              { type: "text-end", id: "t" },
            ]
          : [part],
      );
      return { stream: simulateReadableStream({ chunks: [...parts, { type: "finish", ...end }] as never[] }) };
    };
    const inner = new MockLanguageModelV4({ doGenerate, doStream });
    const model = wrapLanguageModel({ model: inner, middleware });
    const call = { model, tools: offered, prompt, stopWhen: isStepCount(20), ...own };
    if (version === "generateText") await generateText(call);
    else await streamText(call).consumeStream();
    for (const { providerOptions } of [...inner.doGenerateCalls, ...inner.doStreamCalls])
      expect(providerOptions).toBeUndefined();
  }

  it.each(doors.flatMap((door) => versions.map((version) => [door, version] as const)))(
    "each read their own thread with the recall tools, behind %s of %s",
    async (door, version) => {
      const session = await sessionIn("ai-sdk", { config: { maxInputTokens: 8_000, outputReserveTokens: 500 } });
      const recall = threadfoldTools(session);
      const meet = sideBySide(2);
      const found = await Promise.all(
        ["First", "Second"].map(async (name) => {
          const asked: string[] = [];
          let round = 0;
          const doGenerate = async ({ prompt }: { readonly prompt: unknown }): Promise<Generated> => {
            asked.push(JSON.stringify(prompt));
            await meet(round);
            const { content, ...rest } = await answers(0, 100)();
            if (round++ > 0) return { content, ...rest };
            const call = { type: "tool-call" as const, toolCallId: `call_${name}`, toolName: "search_thread" };
            return { ...rest, content: [{ ...call, input: '{"query":"quince"}' }] };
          };
          const prompt = [
            { role: "user" as const, content: `${name}, begin.` },
            ...Array.from({ length: 8 }, (_, at) => [
              { role: "assistant" as const, content: `${name} says quince ${at}. ${"word ".repeat(1_500)}` },
              { role: "user" as const, content: "Go on." },
            ]).flat(),
          ];
          await runOf(version, door, session, prompt, doGenerate, { ...recall, ...tools });
          return asked.at(-1);
        }),
      );
      expect(found[0]).toMatch(/search_thread.*First says quince/);
      expect(found[0]).not.toContain("Second says");
      expect(found[1]).toMatch(/search_thread.*Second says quince/);
      expect(found[1]).not.toContain("First says");
    },
  );

  it("are each folded for their own overflow", async () => {
    const session = await sessionIn("ai-sdk", { config: { maxInputTokens: 100_000 } });
    const meet = sideBySide(2);
    const inner = ["First.", "Second."].map((prompt) => {
      let round = 0;
      return new MockLanguageModelV4({
        doGenerate: async ({ prompt: asked }) => {
          if (round < 2) await meet(round);
          if (round++ === 0) throw overflow();
          expect(JSON.stringify(asked)).toContain(prompt);
          return answers(0, 100)();
        },
      });
    });
    await Promise.all(
      ["First.", "Second."].map((prompt, index) =>
        generateText({
          model: wrapLanguageModel({
            model: inner[index] as MockLanguageModelV4,
            middleware: compactionMiddleware({ session }),
          }),
          messages: [
            { role: "user", content: prompt },
            { role: "assistant", content: "word ".repeat(9_000) },
            { role: "user", content: "Go on." },
          ],
          maxRetries: 0,
          prepareStep: createPrepareStep({ session }),
          onEnd: createOnEnd({ session }),
        }),
      ),
    );
    for (const { doGenerateCalls } of inner) expect(doGenerateCalls).toHaveLength(2);
  });
});

describe("calls of recall tools that no run answers", () => {
  it("are not remembered for ever", async () => {
    const session = await sessionIn("ai-sdk");
    const state = aiSdkSession({ session });
    threadfoldTools(session);
    for (let index = 0; index < 1_000; index++)
      keepRecall(state, session, [{ type: "tool-call", toolName: "search_thread", toolCallId: `call-${index}` }]);
    expect(state.recalled.has("call-999")).toBe(true);
    expect(state.recalled.size).toBe(256);
  });
});
