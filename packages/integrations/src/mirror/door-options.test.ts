import type { LiveFormat } from "@threadfold/importers";
import { assistantMessage, userMessage } from "@threadfold/session";
import { describe, expect, it } from "vitest";
import { compactionMiddleware } from "../ai-sdk/compaction-middleware.ts";
import { createOnEnd, createPrepareStep } from "../ai-sdk/prepare-step.ts";
import { anthropicTurn, fromAnthropic, toAnthropicRequest } from "../anthropic/anthropic-turn.ts";
import { fromGemini, geminiTurn } from "../gemini/gemini-turn.ts";
import { threadfoldMiddleware } from "../langchain/threadfold-middleware.ts";
import { ThreadfoldProcessor } from "../mastra/threadfold-processor.ts";
import { fromOpenaiChat, openaiChatTurn } from "../openai/chat-completions.ts";
import { fromOpenaiResponse, openaiResponsesTurn } from "../openai/responses.ts";
import { ThreadProjection } from "../openai-agents/thread-projection.ts";
import { sessionIn } from "../testing/sessions.ts";
import { payloadOf } from "./ask-model.ts";

/** A client of every SDK, whose provider always returns the same. */
const clientOf = (answer: object) => {
  const create = async () => answer;
  return {
    messages: { create },
    chat: { completions: { create } },
    responses: { create },
    models: { generateContent: create },
  };
};
const client = clientOf({});

// biome-ignore lint/suspicious/noExplicitAny: what callers without types do
type Create = (options: any) => unknown;
type SessionLoop = { readonly send: (message: string) => Promise<unknown> };
const LOOPS: readonly (readonly [string, Create, LiveFormat])[] = [
  ["anthropicTurn", anthropicTurn, "anthropic-messages"],
  ["openaiChatTurn", openaiChatTurn, "openai-chat"],
  ["openaiResponsesTurn", openaiResponsesTurn, "openai-responses"],
  ["geminiTurn", geminiTurn, "gemini"],
];
const DOORS: readonly (readonly [string, Create])[] = [
  ...LOOPS.map(([name, create]) => [name, create] as const),
  ["createPrepareStep", createPrepareStep],
  ["createOnEnd", createOnEnd],
  ["compactionMiddleware", compactionMiddleware],
  ["threadfoldMiddleware", threadfoldMiddleware],
  ["ThreadfoldProcessor", (options) => new ThreadfoldProcessor(options)],
  ["ThreadProjection", (options) => new ThreadProjection(options)],
];

describe.each(DOORS)("%s, created from plain JavaScript", (_, create) => {
  it("refuses to go without a session, also one that is not awaited", () => {
    const refused = expect.objectContaining({ code: "INVALID_CONFIG", details: { name: "session" } });
    expect(() => create({ client })).toThrow(refused);
    expect(() => create({ client, session: sessionIn("neutral") })).toThrow(refused);
  });
});

describe.each(LOOPS)("%s, created from plain JavaScript", (_, create, format) => {
  it("refuses a session of another format before anything is said in it", async () => {
    const session = await sessionIn("ai-sdk");
    expect(() => create({ client, session })).toThrow(expect.objectContaining({ code: "INVALID_CONFIG" }));
  });

  it.each([undefined, {}, { messages: {}, chat: {}, models: null }])("refuses %j for a client", async (wrong) => {
    const session = await sessionIn(format);
    const refused = expect.objectContaining({ code: "INVALID_CONFIG", details: { name: "client" } });
    expect(() => create({ session, client: wrong })).toThrow(refused);
  });
});

describe.each(LOOPS)("%s, whose provider returns something else", (_, create, format) => {
  it.each([{}, { choices: [], output: null }])(
    "refuses %j as an answer, and the thread stays as it was",
    async (body) => {
      const session = await sessionIn(format);
      const turn = create({ session, client: clientOf(body) }) as SessionLoop;
      await expect(turn.send("Begin.")).rejects.toMatchObject({ code: "INVALID_MESSAGE" });
      expect(session.thread.length).toBe(1);
    },
  );
});

describe.each([fromAnthropic, fromOpenaiChat, fromOpenaiResponse, fromGemini])("%o", (convert) => {
  it.each([
    ["a promise", /promise/, /Await/, Promise.resolve({})],
    ["a page of the web", /it is a text/, /baseURL/, "<html>Log in</html>"],
    ["an error of the server", /error of the server/, /field error/, { error: { message: "no" } }],
    ["something else", /it has no [a-z]+\./, /SDK returned/, {}],
    ["nothing", /it is undefined/, /SDK returned/, undefined],
  ])("says that %s is no answer, and what to do", (_, problem, hint, given) => {
    const refused = {
      code: "INVALID_MESSAGE",
      message: expect.stringMatching(problem),
      hint: expect.stringMatching(hint),
    };
    expect(() => convert(given as never)).toThrow(expect.objectContaining(refused));
  });
});

describe("what a host sends besides the conversation", () => {
  it.each([
    ["tools", anthropicTurn, "anthropic-messages", { tools: { bash: {} } }],
    [
      "tools[1]",
      anthropicTurn,
      "anthropic-messages",
      { tools: [{ name: "bash" }, { type: "function", function: {} }] },
    ],
    ["system", anthropicTurn, "anthropic-messages", { system: 5 }],
    ["tools[0]", openaiChatTurn, "openai-chat", { tools: [{ type: "custom", custom: { name: "grep" } }] }],
    ["tools[0]", openaiResponsesTurn, "openai-responses", { tools: [{ description: "Runs a command." }] }],
    ["system", openaiResponsesTurn, "openai-responses", { instructions: {} }],
  ] as const)("is refused as %s where it would be left out", async (name, create: Create, format, wrong) => {
    const session = await sessionIn(format);
    const refused = expect.objectContaining({ code: "INVALID_CONFIG", details: { name } });
    expect(() => create({ session, client, ...wrong })).toThrow(refused);
  });
});

describe("the body of a prepared request", () => {
  it.each([undefined, null, "x", Promise.resolve({}), { messages: [] }])("is not read from %s", (wrong) => {
    const refused = expect.objectContaining({ code: "INVALID_CONFIG", details: { name: "prepared" } });
    expect(() => payloadOf(wrong as never, "anthropic-messages")).toThrow(refused);
  });

  it("is the host's own: what it changes in one is not in the next", async () => {
    const session = await sessionIn("anthropic-messages");
    for (let turn = 0; turn < 6; turn++) {
      await session.append([userMessage(`question ${turn}`), assistantMessage(`answer ${turn}`)]);
      const prepared = await session.prepare();
      const { messages } = toAnthropicRequest(prepared);
      expect(JSON.stringify(messages)).not.toContain("cache_control");
      for (const { content } of messages) Object.assign(content.at(-1) as object, { cache_control: {} });
      messages.push({ role: "user", content: "cache_control" });
    }
  });
});
