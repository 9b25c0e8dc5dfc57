import { asMessageId, asToolCallId, type DeterminismMetadata, type MessageInput } from "@threadfold/core";
import { describe, expect, it } from "vitest";
import {
  type CaptureDeterminism,
  declaredOverrides,
  declaredProbe,
  declareTool,
  withDeterminism,
} from "./declared-tools.ts";

const at = { createdAt: "2026-01-01T00:00:00.000Z" };
const callOf = (toolName: string): MessageInput => ({
  ...at,
  id: asMessageId(`a-${toolName}`),
  role: "assistant",
  parts: [{ type: "tool-call", callId: asToolCallId(toolName), toolName, input: { path: `${toolName}.txt` } }],
});
const resultOf = (
  toolName: string,
  more: { determinism?: DeterminismMetadata; outcome?: "failure" } = {},
): MessageInput => ({
  ...at,
  id: asMessageId(`r-${toolName}`),
  role: "tool",
  parts: [
    {
      type: "tool-result",
      result: {
        ...{ toolName, callId: asToolCallId(toolName), outcome: "success", content: { type: "text", text: "x" } },
        ...more,
      },
    },
  ],
});
const noted = ([message]: readonly MessageInput[]) => {
  const part = message?.parts[0];
  return part?.type === "tool-result" ? part.result.determinism : "no result";
};
const none = () => undefined;
const read = (capture: CaptureDeterminism) =>
  declareTool("read", { durability: "replayable", captureDeterminism: capture });

describe("declareTool", () => {
  it("spec-60 sets in one line how the results of a tool are folded", () => {
    const order = declareTool("create_order", { durability: "anchoring", preserveFields: ["order_id", "total"] });
    expect(declaredOverrides([order])).toMatchObject({
      create_order: { durability: "anchoring", mustPreserveFields: ["order_id", "total"] },
    });
  });

  it("rejects unknown values and fields, naming the tool and the field", () => {
    expect(() => declareTool("pay", { durability: "forever" as never })).toThrow(/declareTool\.pay\.durability/);
    expect(() => declareTool("pay", { durability: "anchoring", fields: [] } as never)).toThrow(
      expect.objectContaining({ code: "INVALID_CONFIG" }),
    );
  });
});

describe("declareTool with wrong arguments", () => {
  const durability = "replayable";

  it.each([
    ["toolName", undefined, { durability }],
    ["toolName", "", { durability }],
    ["traits", "pay", undefined],
    ["traits", "pay", "replayable"],
    ["captureDeterminism", "pay", { durability, captureDeterminism: {} }],
  ])("refuses %s: %o, %o", (name, toolName, traits) => {
    expect(() => declareTool(toolName as never, traits as never)).toThrow(
      expect.objectContaining({ code: "INVALID_CONFIG", details: { name } }),
    );
  });
});

describe("withDeterminism", () => {
  it("records at call time each tool's source metadata, computed from the arguments of the call", async () => {
    const tool = read(async (input) => ({ etag: `of ${JSON.stringify(input)}` }));
    const expected = { etag: 'of {"path":"read.txt"}' };
    expect(noted((await withDeterminism([callOf("read"), resultOf("read")], [tool], none)).slice(1))).toEqual(expected);
    const inThread = await withDeterminism([resultOf("read")], [tool], () => ({ path: "read.txt" }));
    expect(noted(inThread)).toEqual(expected);
  });

  it.each<[string, CaptureDeterminism, MessageInput]>([
    ["of another tool", async () => ({ etag: "x" }), resultOf("bash")],
    ["of a call that failed", async () => ({ etag: "x" }), resultOf("read", { outcome: "failure" })],
    ["whose source is gone", async () => null, resultOf("read")],
    ["whose capture throws", () => Promise.reject(new Error("no")), resultOf("read")],
  ])("leaves a result unchanged %s", async (_, capture, message) => {
    expect(await withDeterminism([message], [read(capture)], () => ({}))).toEqual([message]);
  });

  it("keeps metadata that a result already has, and asks no tool when the call is unknown", async () => {
    const tool = read(async () => ({ etag: "captured" }));
    const own = resultOf("read", { determinism: { etag: "own" } });
    expect(noted(await withDeterminism([own], [tool], () => ({})))).toEqual({ etag: "own" });
    expect(noted(await withDeterminism([resultOf("read")], [tool], none))).toBeUndefined();
  });
});

describe("declaredProbe", () => {
  const look = (toolName: string, probe: ReturnType<typeof declaredProbe>) =>
    probe.probe(
      { messageId: asMessageId("m"), toolName, input: {}, determinism: { etag: "1" } },
      new AbortController().signal,
    );

  it("asks each tool about its own sources, and the session's probe about all others", async () => {
    const changed = declaredProbe([read(async () => ({ etag: "2" }))], { probe: async () => "matches" });
    expect([await look("read", changed), await look("fetch", changed)]).toEqual(["changed", "matches"]);
    const gone = declaredProbe([read(async () => null)]);
    expect([await look("read", gone), await look("fetch", gone)]).toEqual(["changed", "unverifiable"]);
    expect(await look("read", declaredProbe([read(async () => ({ etag: "1" }))]))).toBe("matches");
  });

  it("has the time limit of the session's probe", () => {
    const others = { probe: async () => "matches" as const };
    expect(declaredProbe([], { ...others, timeLimitMs: 70 }).timeLimitMs).toBe(70);
    expect(declaredProbe([], others)).not.toHaveProperty("timeLimitMs");
  });
});

describe("withDeterminism on unusual messages", () => {
  it("leaves malformed messages and messages without a result unchanged", async () => {
    const tool = read(async () => ({ etag: "captured" }));
    const malformed = [{ id: "m" }, undefined] as unknown as readonly MessageInput[];
    expect(await withDeterminism(malformed, [tool], () => ({}))).toBe(malformed);
    const messages = [callOf("read"), { ...callOf("read"), parts: [] }];
    expect(await withDeterminism(messages, [tool], () => ({}))).toEqual(messages);
  });

  it("prefers arguments next to the result to those of the thread, and adds only the metadata", async () => {
    const tool = read(async (input) => ({ etag: JSON.stringify(input) }));
    const [, message] = await withDeterminism([callOf("read"), resultOf("read")], [tool], () => ({ path: "other" }));
    const [part] = resultOf("read").parts;
    const result = part?.type === "tool-result" ? part.result : undefined;
    const expected = { type: "tool-result", result: { ...result, determinism: { etag: '{"path":"read.txt"}' } } };
    expect(message).toEqual({ ...resultOf("read"), parts: [expected] });
  });
});
