import {
  AgentThread,
  afterReported,
  asThreadId,
  canonicalJson,
  type JsonObject,
  type MessageInput,
  SEARCH_THREAD_TOOL_NAME,
  unreported,
} from "@threadfold/core";
import { assistant, call, message, result, tool } from "@threadfold/core/laws";
import { type FormatId, formatById } from "@threadfold/renderer";
import { createMemoryStore } from "@threadfold/stores";
import { describe, expect, it, vi } from "vitest";
import type { PreparedRequest } from "../host/prepared-request.ts";
import type { SessionOptions } from "../host/session-options.ts";
import { ContextSession } from "../loop/context-session.ts";
import { replayThread } from "../replay/replay-thread.ts";

const MARKS = ["cache_control", "prompt_cache_breakpoint", "cacheControl"];
const threadId = asThreadId("marked");
const said = (index: number): MessageInput =>
  message(`m${index}`, index % 2 === 0 ? "user" : "assistant", `Message ${index}, and so on.`);

/** Requests after one, two and three turns of an agent. */
async function threeRequests(format: FormatId, options: Partial<SessionOptions>) {
  const store = createMemoryStore();
  const frame = { system: ["You are careful."], tools: [] };
  const session = await ContextSession.open({ threadId, store, format: formatById(format), frame, ...options });
  const requests: PreparedRequest[] = [];
  for (const turn of [0, 1, 2]) {
    await session.append(turn === 0 ? [said(0)] : [said(2 * turn - 1), said(2 * turn)]);
    requests.push(await session.prepare());
  }
  return { requests, store };
}

/** Indexes of the messages of a payload that carry a mark. */
const markedMessages = (payload: JsonObject): readonly number[] =>
  ((payload["messages"] ?? payload["input"] ?? payload["contents"]) as readonly JsonObject[]).flatMap(
    (message, index) => (MARKS.some((mark) => canonicalJson(message).includes(`"${mark}"`)) ? [index] : []),
  );

describe("the record of a request", () => {
  it("has the tokens that were compared with the limit beside those of the tokenizer", async () => {
    const halved = [1_000, 2_000, 3_000, 4_000].reduce(
      (estimate, counted) => afterReported(estimate, { counted, reported: counted / 2 }),
      unreported(),
    );
    const { requests, store } = await threeRequests("anthropic-messages", { model: "m", calibration: { m: halved } });
    const records = (await store.journal.read(threadId)).flatMap(({ record }) =>
      record.type === "request-rendered" ? [record] : [],
    );
    expect(records.map(({ estimatedTokens }) => estimatedTokens)).toEqual(requests.map(({ tokens }) => tokens));
    for (const { tokens, estimatedTokens } of records) expect(estimatedTokens).toBeLessThan(tokens);
  });
});

describe("the first request of a long thread", () => {
  /** A step of an agent: every fifth searches the thread. */
  const step = (at: number): readonly MessageInput[] => {
    const name = at % 5 === 0 ? SEARCH_THREAD_TOOL_NAME : "read";
    return [
      assistant(`a${at}`, call(`c${at}`, name)),
      tool(`t${at}`, result(`c${at}`, "It is there.", { toolName: name })),
    ];
  };
  const steps = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => step(from + at)).flat();

  it("counts what the recall tools answered, and reads a few thousand messages at a time", async () => {
    const store = createMemoryStore();
    const session = await ContextSession.open({ threadId, store, format: formatById("anthropic-messages") });
    await session.append([said(0), ...steps(0, 5_000)]);
    const read = vi.spyOn(AgentThread.prototype, "messagesBetween");
    await session.prepare();
    const longest = Math.max(...read.mock.results.map(({ value }) => value.length));
    read.mockRestore();
    await session.append(steps(5_000, 5_002));
    await session.prepare();
    const records = (await store.journal.read(threadId)).flatMap(({ record }) =>
      record.type === "request-rendered" ? [record.cache?.recall] : [],
    );
    const each = records[1]?.tokens ?? 0;
    expect(records).toEqual([
      { answers: 1_000, tokens: 1_000 * each },
      { answers: 1, tokens: each },
    ]);
    expect(each).toBeGreaterThan(0);
    expect(longest).toBeLessThan(3_000);
  });
});

describe("the session option cacheBreakpoints", () => {
  it.each([
    // System text is the first message of OpenAI Chat and stands beside the messages elsewhere.
    ["anthropic-messages", undefined, [[0], [0, 2], [2, 4]]],
    ["ai-sdk", undefined, [[0], [0, 2], [2, 4]]],
    [
      "openai-chat",
      "gpt-5.6",
      [
        [0, 1],
        [0, 1, 3],
        [0, 3, 5],
      ],
    ],
    ["openai-responses", "gpt-5.6", [[0], [0, 2], [2, 4]]],
    ["openai-chat", "gpt-5.4", [[], [], []]],
    ["gemini", "gemini-3-pro", [[], [], []]],
  ] as const)("marks in %s for %s the ends of this request and of the one before it", async (format, model, marked) => {
    const { requests } = await threeRequests(format, { cacheBreakpoints: true, ...(model !== undefined && { model }) });
    expect(requests.map(({ payload }) => markedMessages(payload))).toEqual(marked);
  });

  it("leaves digest, recorded bytes and replay unchanged", async () => {
    const plain = await threeRequests("anthropic-messages", {});
    const { requests, store } = await threeRequests("anthropic-messages", { cacheBreakpoints: { ttl: "1h" } });
    expect(requests.map(({ digest }) => digest)).toEqual(plain.requests.map(({ digest }) => digest));
    expect(requests.map(({ payloadText }) => payloadText)).toEqual(
      plain.requests.map(({ payloadText }) => payloadText),
    );
    expect(canonicalJson(requests[2]?.payload)).toContain('{"ttl":"1h","type":"ephemeral"}');
    expect(plain.requests.flatMap(({ payload }) => markedMessages(payload))).toEqual([]);
    const replayed = await replayThread(store, threadId);
    expect(replayed.map(({ equal }) => equal)).toEqual([true, true, true]);
  });
});
