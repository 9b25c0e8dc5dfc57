import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Anthropic from "@anthropic-ai/sdk";
import { asMessageId, asThreadId, asToolCallId, type MessageInput, type Part } from "@threadfold/core";
import { pinnedClock } from "@threadfold/core/laws";
import { type FormatId, formatById } from "@threadfold/renderer";
import { ContextSession, type ModelResponse } from "@threadfold/session";
import { createMemoryStore } from "@threadfold/stores";
import { openSqliteStore } from "@threadfold/stores/sqlite";
import OpenAI from "openai";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { anthropicTurn, fromAnthropic } from "../anthropic/index.ts";
import { fromGemini, geminiTurn } from "../gemini/index.ts";
import { fromOpenaiChat, fromOpenaiResponse, openaiChatTurn, openaiResponsesTurn } from "../openai/index.ts";
import { scriptedFetch } from "../testing/doubles.ts";
import { NOON, sessionIn, workedSession } from "../testing/sessions.ts";

/** What a scripted model answers: the call of a tool, or a text. */
interface Scripted {
  /** Without it the answer has no id. */
  readonly id?: string;
  readonly call?: string;
  readonly text?: string;
}

/** A turn with an SDK, in the terms that all of them share. */
interface SomeTurn {
  /** @returns the ids of the calls to run. */
  say(text: string): Promise<readonly string[]>;
  /** Hands in a result for each of these calls. */
  answer(callIds: readonly string[]): Promise<unknown>;
}

interface TurnCase {
  readonly name: string;
  readonly format: FormatId;
  /** An answer as the provider's API returns it. */
  readonly bodyOf: (scripted: Scripted) => object;
  readonly read: (body: never) => ModelResponse;
  readonly begin: (session: ContextSession, bodies: readonly object[]) => SomeTurn;
}

const model = "m";
const clock = pinnedClock(NOON);
const TOOL = "book_order";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "threadfold-turn-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function clientOptions(bodies: readonly object[]) {
  return { apiKey: "test", maxRetries: 0, fetch: scriptedFetch(bodies.map((body) => ({ body }))).fetch };
}

const TURNS: readonly TurnCase[] = [
  {
    name: "anthropicTurn",
    format: "anthropic-messages",
    bodyOf: ({ id, call, text }) => ({
      ...{ id, type: "message", role: "assistant", model, usage: { input_tokens: 9, output_tokens: 5 } },
      ...{ stop_reason: call === undefined ? "end_turn" : "tool_use", stop_sequence: null },
      content: [call === undefined ? { type: "text", text } : { type: "tool_use", id: call, name: TOOL, input: {} }],
    }),
    read: fromAnthropic,
    begin(session, bodies) {
      const client = new Anthropic(clientOptions(bodies));
      const turn = anthropicTurn({ session, client, model, clock, max_tokens: 9 });
      return {
        say: async (text) => (await turn.send(text)).calls.map(({ id }) => id),
        answer: (ids) =>
          turn.send({
            role: "user",
            content: ids.map((id) => ({ type: "tool_result", tool_use_id: id, content: "Booked." })),
          }),
      };
    },
  },
  {
    name: "openaiChatTurn",
    format: "openai-chat",
    bodyOf({ id, call, text = null }) {
      const tool_calls = [{ id: call, type: "function", function: { name: TOOL, arguments: "{}" } }];
      const message = { role: "assistant", content: text, ...(call !== undefined && { tool_calls }) };
      const finish_reason = call === undefined ? "stop" : "tool_calls";
      return { id, object: "chat.completion", created: 1, model, choices: [{ index: 0, message, finish_reason }] };
    },
    read: fromOpenaiChat,
    begin(session, bodies) {
      const turn = openaiChatTurn({ session, client: new OpenAI(clientOptions(bodies)), model, clock });
      return {
        say: async (text) => (await turn.send(text)).calls.map(({ id }) => id),
        answer: (ids) => turn.send(ids.map((id) => ({ role: "tool", tool_call_id: id, content: "Booked." }))),
      };
    },
  },
  {
    name: "openaiResponsesTurn",
    format: "openai-responses",
    bodyOf({ id, call, text }) {
      const said = { type: "message", role: "assistant", content: [{ type: "output_text", text }] };
      const item = call === undefined ? said : { type: "function_call", call_id: call, name: TOOL, arguments: "{}" };
      return { id, object: "response", model, status: "completed", error: null, output: [item] };
    },
    read: fromOpenaiResponse,
    begin(session, bodies) {
      const turn = openaiResponsesTurn({ session, client: new OpenAI(clientOptions(bodies)), model, clock });
      return {
        say: async (text) => (await turn.send(text)).calls.map(({ call_id }) => call_id),
        answer: (ids) =>
          turn.send(ids.map((call_id) => ({ type: "function_call_output", call_id, output: "Booked." }))),
      };
    },
  },
  {
    name: "geminiTurn",
    format: "gemini",
    bodyOf({ id, call, text }) {
      const part = call === undefined ? { text } : { functionCall: { name: TOOL, args: {}, id: call } };
      const candidates = [{ content: { role: "model", parts: [part] }, finishReason: "STOP" }];
      return { candidates, modelVersion: model, ...(id !== undefined && { responseId: id }) };
    },
    read: fromGemini,
    begin(session, bodies) {
      const script = [...bodies];
      const client = { models: { generateContent: async () => script.shift() } } as never;
      const turn = geminiTurn({ session, client, model, clock });
      return {
        say: async (text) => (await turn.send(text)).calls.map(({ id = "" }) => id),
        answer: (ids) => turn.send(ids.map((id) => ({ functionResponse: { id, response: { output: "Booked." } } }))),
      };
    },
  },
];

const resultsIn = (session: ContextSession) =>
  [...session.thread.messagesInMemory()].flatMap(({ parts }) =>
    parts.flatMap((part) => (part.type === "tool-result" ? [part.result] : [])),
  );

describe.each(TURNS)("tool results handed to $name", ({ format, bodyOf, begin }) => {
  const called = bodyOf({ id: "a_1", call: "c_1" });
  const done = (id: string) => bodyOf({ id, text: "Done." });

  it("carry the name of the tool that the model called", async () => {
    const session = await sessionIn(format);
    const turn = begin(session, [called, done("a_2")]);
    await turn.answer(await turn.say("Book it."));
    expect(resultsIn(session)).toMatchObject([{ callId: "c_1", toolName: TOOL }]);
  });

  it("belong to the newest call when the provider reuses an id", async () => {
    const session = await sessionIn(format);
    const other = JSON.parse(JSON.stringify(called).replaceAll(TOOL, "cancel_order").replaceAll("a_1", "a_3"));
    const turn = begin(session, [called, done("a_2"), other, done("a_4")]);
    await turn.answer(await turn.say("Book it."));
    await turn.answer(await turn.say("Cancel it."));
    expect(resultsIn(session).map(({ toolName }) => toolName)).toEqual([TOOL, "cancel_order"]);
  });

  it("carry their tool's name after the session was reopened with only part of the thread in memory", async () => {
    const store = await openSqliteStore(join(folder, "thread.db"));
    const before = await workedSession(format, 20, { store, config: { maxInputTokens: 40_000 } });
    await before.compact({ force: true });
    const callIds = await begin(before, [called]).say("Book it.");
    const session = await ContextSession.open({
      ...{ threadId: asThreadId("work"), store, clock, format: formatById(format) },
      config: { maxInputTokens: 40_000 },
    });
    expect(session.thread.isWhole).toBe(false);
    const turn = begin(session, [done("a_2"), done("a_3")]);
    await turn.answer(callIds);
    expect(resultsIn(session).at(-1)).toMatchObject({ callId: "c_1", toolName: TOOL });
    expect(session.thread.isWhole).toBe(false);
    // The call is in the store only.
    await turn.answer(["work_0"]);
    expect(resultsIn(session).at(-1)).toMatchObject({ callId: "work_0", toolName: "run" });
    await store.close();
  });
});

describe.each(TURNS)("answers without an id, through $name", ({ format, bodyOf, begin, read }) => {
  const [first, second, third] = [bodyOf({ text: "Done." }), bodyOf({ text: "Done." }), bodyOf({ text: "Other." })];

  it("are all appended, including equal ones", async () => {
    const session = await sessionIn(format);
    const turn = begin(session, [first, second, third]);
    for (const text of ["First.", "Second.", "Third."]) await turn.say(text);
    const messages = session.thread.messagesBetween(0);
    expect(messages.map(({ role }) => role)).toEqual(Array.from({ length: 3 }, () => ["user", "assistant"]).flat());
    expect(new Set(messages.map(({ id }) => id)).size).toBe(6);
  });

  it("are all appended in the host's own loop, but the same converted answer only once", async () => {
    const session = await workedSession(format, 1);
    const response = read(first as never);
    for (const answer of [response, response, read(second as never), read(third as never)]) {
      await session.prepare();
      await session.complete(answer);
    }
    expect(session.thread.messagesBetween(3).map(({ role }) => role)).toEqual(["assistant", "assistant", "assistant"]);
  });
});

describe("calls without ids in Gemini's answers without ids", () => {
  it("get unique ids in every turn", async () => {
    const [, , , gemini] = TURNS;
    const body = {
      candidates: [{ content: { role: "model", parts: [{ functionCall: { name: TOOL, args: {} } }] } }],
    };
    const session = await sessionIn("gemini");
    const turn = (gemini as TurnCase).begin(session, [body, body]);
    const callIds = [...(await turn.say("Book it.")), ...(await turn.say("Book another."))];
    const own = [fromGemini(body), fromGemini(body)].flatMap(({ messages }) =>
      messages.flatMap(({ parts }) => parts.flatMap((part) => (part.type === "tool-call" ? [part.callId] : []))),
    );
    expect(new Set([...callIds, ...own]).size).toBe(4);
  });
});

describe.each(TURNS)("a second writer on the thread of $name", ({ format, bodyOf, begin }) => {
  const message = (id: string, role: "user" | "assistant", ...parts: Part[]): MessageInput => ({
    ...{ id: asMessageId(id), role, parts, createdAt: new Date(NOON).toISOString() },
  });
  const text = (value: string): Part => ({ type: "text", text: value });
  const twoSessions = async () => {
    const store = createMemoryStore({ clock });
    return [await sessionIn(format, { store }), await sessionIn(format, { store })] as const;
  };
  const roles = (session: ContextSession) => session.thread.messagesBetween(0).map(({ role }) => role);

  it("does not prevent repeating the same message after a refresh", async () => {
    const [session, other] = await twoSessions();
    const turn = begin(session, [bodyOf({ id: "a_1", text: "Done." })]);
    await begin(other, [bodyOf({ id: "b_1", text: "Hello." })]).say("I was first.");
    await expect(turn.say("Begin.")).rejects.toMatchObject({ code: "VERSION_CONFLICT" });
    await session.refresh();
    await turn.say("Begin.");
    expect(roles(session)).toEqual(["user", "assistant", "user", "assistant"]);
  });

  const pending = { type: "tool-call", callId: asToolCallId("other_1"), toolName: "read", input: {} } as const;
  it.each([
    ["a question", message("between", "user", text("By the way."))],
    ["a call that waits for its result", message("between", "assistant", pending)],
  ])("may append %s during the model call, and the answer and its results are still kept", async (_, between) => {
    const [session, other] = await twoSessions();
    const bodies = [bodyOf({ id: "a_1", call: "c_1" }), bodyOf({ id: "a_2", text: "Done." })];
    const { prepare } = session;
    session.prepare = async (...options) => {
      const request = await prepare.apply(session, options);
      await other.refresh();
      if (other.thread.length === 1) await other.append([between]);
      return request;
    };
    const turn = begin(session, bodies);
    await turn.answer(await turn.say("Book it."));
    expect(roles(session)).toEqual(["user", between.role, "assistant", "tool", "assistant"]);
    expect((await session.prepare()).violations).toEqual([]);
  });
});

/** The chunks of a stream of Chat Completions. */
const chunk = (delta: object, finish_reason: string | null = null) => ({
  ...{ id: "c_1", object: "chat.completion.chunk", created: 1, model },
  choices: [{ index: 0, delta, finish_reason, logprobs: null }],
});

describe("a stream from OpenAI", () => {
  const clientOf = (events: readonly object[]) =>
    new OpenAI({ apiKey: "test", maxRetries: 0, fetch: scriptedFetch([{ events }]).fetch });
  const item = { type: "function_call", id: "fc_1", call_id: "c_1", name: TOOL };
  const response = { id: "resp_1", object: "response", created_at: 1, model, error: null, output: [], tools: [] };
  const created = { type: "response.created", response: { ...response, status: "in_progress" } };
  const added = {
    ...{ type: "response.output_item.added", output_index: 0 },
    item: { ...item, arguments: "", status: "in_progress" },
  };
  const delta = {
    ...{ type: "response.function_call_arguments.delta", item_id: "fc_1", output_index: 0, delta: '{"path":"a' },
  };
  const respond = (session: ContextSession, events: readonly object[]) =>
    openaiResponsesTurn({ session, client: clientOf(events), model, clock, onStream: () => {} }).send("Begin.");

  it.each([
    ["after a text began", [created]],
    ["inside the arguments of a call", [created, added, delta]],
  ])("that breaks off %s yields no answer in Responses", async (_, events) => {
    const session = await sessionIn("openai-responses");
    await expect(respond(session, events)).rejects.toMatchObject({
      ...{ code: "MODEL_CALL_FAILED", retryable: true, details: { kind: "unavailable" } },
    });
    expect(session.thread.length).toBe(1);
  });

  it("that ends at the output limit yields a Responses answer without the cut-off call", async () => {
    const cut = { status: "incomplete", incomplete_details: { reason: "content_filter" } };
    const output = [{ ...item, arguments: '{"path":"a', status: "in_progress" }];
    const end = { type: "response.incomplete", response: { ...response, ...cut, output } };
    const session = await sessionIn("openai-responses");
    expect((await respond(session, [created, added, delta, end])).calls).toEqual([]);
  });

  it.each(["length", "content_filter"])(
    "that ends by %s with strict tools yields an answer in Chat Completions",
    async (reason) => {
      const strict = {
        type: "function" as const,
        function: { name: TOOL, strict: true, parameters: { type: "object" } },
      };
      const call = (index: number, args: string) => ({
        tool_calls: [{ index, id: `c_${index}`, type: "function", function: { name: TOOL, arguments: args } }],
      });
      const events = [
        chunk({ role: "assistant", content: null }),
        chunk(call(0, "{}")),
        chunk(call(1, '{"pa')),
        chunk({}, reason),
      ];
      const session = await sessionIn("openai-chat");
      const turn = openaiChatTurn({
        session,
        client: clientOf(events),
        model,
        clock,
        tools: [strict],
        onStream: () => {},
      });
      const { calls } = await turn.send("Begin.");
      if (reason === "length") expect(calls.map(({ id }) => id)).toEqual(["c_0"]);
      expect(session.thread.length).toBe(2);
    },
  );

  it("whose calls follow an empty text causes no warning in Chat Completions", async () => {
    const call = { index: 0, id: "c_0", type: "function", function: { name: TOOL, arguments: "{}" } };
    const events = [chunk({ role: "assistant", content: "" }), chunk({ tool_calls: [call] }), chunk({}, "tool_calls")];
    const session = await sessionIn("openai-chat");
    await openaiChatTurn({ session, client: clientOf(events), model, clock, onStream: () => {} }).send("Begin.");
    const { warnings } = await session.prepare();
    expect(warnings.map(({ kind }) => kind)).not.toContain("blank-text-left-out");
    expect(session.thread.messagesBetween(1)[0]?.parts).toMatchObject([{ type: "tool-call" }]);
  });
});
