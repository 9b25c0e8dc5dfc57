import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { result } from "../laws/messages.ts";
import { agentThreads } from "../laws/thread-arbitrary.ts";
import { asToolCallId } from "../model/ids.ts";
import { visibleText } from "../model/message.ts";
import type { Part } from "../model/part.ts";
import { startsTurn } from "../thread/thread-addition.ts";
import { headerOf } from "./message-header.ts";

const shares = { text: 1, toolInput: 2, toolResult: 3, reasoning: 4, media: 5 };

describe("headerOf", () => {
  it("matches the message's body", () => {
    fc.assert(
      fc.property(agentThreads({ malformed: true, maxMessages: 12, pins: false }), (thread) => {
        for (const message of thread.messages) {
          const header = headerOf(message, 7, shares, "ephemeral");
          const types = message.parts.map((part) => part.type);
          const calls = message.parts.flatMap((part) => (part.type === "tool-call" ? [part.callId] : []));
          const [result] = message.parts.flatMap((part) => (part.type === "tool-result" ? [part.result] : []));
          const { id, ordinal, role, turn, step, branch, origin } = message;
          expect(header).toMatchObject({ id, ordinal, role, turn, step, tokens: 7, shares, calls });
          expect([header.branch, header.origin]).toEqual([branch, origin]);
          expect([header.answers, header.toolName, header.outcome]).toEqual([
            result?.callId,
            result?.toolName,
            result?.outcome,
          ]);
          expect(header.durability).toBe(result && "ephemeral");
          expect(header.reasoningOnly).toBe(types.length > 0 && types.every((type) => type === "reasoning"));
          expect(header.opaque).toBe(types.includes("opaque"));
          expect(header.startsTurn).toBe(startsTurn(message));
        }
      }),
      { numRuns: 100 },
    );
  });

  it("marks reasoning as signed if only its provider can read it back", () => {
    const signed = (...parts: readonly object[]) =>
      headerOf(
        { id: "m", role: "assistant", parts, createdAt: "", ordinal: 0, turn: 0, step: 1 } as never,
        0,
        shares,
        undefined,
      ).signedReasoning;
    const reasoning = { type: "reasoning", text: "hm" };
    expect(signed(reasoning, { type: "text", text: "x" })).toBe(false);
    expect(signed({ ...reasoning, signature: "c2ln" })).toBe(true);
    expect(signed({ ...reasoning, encrypted: "ZW5j" })).toBe(true);
    expect(signed(reasoning, { ...reasoning, signature: "c2ln" })).toBe(true);
    expect(signed()).toBe(false);
  });

  it("has no fields for absent values", () => {
    const header = headerOf(
      { id: "m", role: "tool", parts: [result("c", "x")], createdAt: "", ordinal: 0, turn: 0, step: 1 } as never,
      0,
      shares,
      undefined,
    );
    for (const field of ["durability", "branch", "origin"]) expect(Object.hasOwn(header, field)).toBe(false);
  });

  it("holds no text of the body", () => {
    const secret = "s3cret";
    const parts: Part[] = [
      { type: "text", text: secret },
      { type: "reasoning", text: secret, signature: secret },
      { type: "tool-call", callId: asToolCallId("c"), toolName: "t", input: secret },
    ];
    const message = {
      id: "m" as never,
      role: "assistant" as const,
      parts,
      createdAt: "",
      ordinal: 0,
      turn: 0,
      step: 1,
    };
    expect(JSON.stringify(headerOf(message, 0, shares, undefined))).not.toContain(secret);
  });
});

describe("visibleText", () => {
  it("shows each kind of part as readable text", () => {
    const callId = asToolCallId("c");
    const parts: Part[] = [
      { type: "text", text: "Look:" },
      { type: "reasoning", text: "hm", signature: "sig" },
      { type: "tool-call", callId, toolName: "read", input: { path: "a" } },
      { type: "tool-call", callId, toolName: "bash", input: "{", invalidInput: "{" },
      { type: "image", source: { kind: "url", url: "u" } },
      { type: "file", source: { kind: "file-id", fileId: "f" }, name: "a.pdf" },
      { type: "opaque", provider: "openai", value: 1 },
    ];
    expect(visibleText({ parts })).toBe('Look:\nhm\nread({"path":"a"})\nbash({)\n[image]\n[file a.pdf]\n[openai item]');
    const result = (content: unknown): Part =>
      ({ type: "tool-result", result: { toolName: "t", callId, outcome: "success", content } }) as Part;
    expect(visibleText({ parts: [result({ type: "text", text: "x" })] })).toBe("x");
    expect(visibleText({ parts: [result({ type: "json", value: { a: [1] } })] })).toBe('{"a":[1]}');
    expect(visibleText({ parts: [result({ type: "blocks", blocks: [{ type: "text", text: "x" }, parts[4]] })] })).toBe(
      "x\n[image]",
    );
  });
});
