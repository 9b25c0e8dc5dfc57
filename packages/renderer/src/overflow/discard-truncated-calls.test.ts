import type { Part } from "@threadfold/core";
import { call, text } from "@threadfold/core/laws";
import { describe, expect, it } from "vitest";
import { signed } from "../testing/sample-thread.ts";
import { discardTruncatedCalls, isMaxOutputStop } from "./discard-truncated-calls.ts";

const assistant = (...parts: Part[]) => ({ role: "assistant", parts }) as const;
const broken: Part = { ...call("b"), input: '{"path":', invalidInput: '{"path":' } as Part;

describe("discardTruncatedCalls", () => {
  it("discards the last call of a response that reached its output limit, valid JSON or not", () => {
    const message = assistant(text("I read."), call("a"), call("b"));
    for (const stop of ["max_tokens", "length", "MAX_TOKENS", "max_output_tokens"]) {
      expect(discardTruncatedCalls(message, stop)).toEqual({
        message: assistant(text("I read."), call("a")),
        discarded: [call("b")],
      });
    }
    expect(discardTruncatedCalls(assistant(text("I read."), broken), "length").discarded).toEqual([broken]);
  });

  it("discards the reasoning before the call too, and returns null when nothing is left", () => {
    expect(discardTruncatedCalls(assistant(text("so"), signed, call("a")), "max_tokens").message).toEqual(
      assistant(text("so")),
    );
    expect(discardTruncatedCalls(assistant(signed, call("a")), "max_tokens").message).toBeNull();
  });

  it("leaves a message alone with another stop reason, a text at its end, or another role", () => {
    const message = assistant(text("I read."), call("a"));
    expect(discardTruncatedCalls(message, "tool_use").message).toBe(message);
    expect(discardTruncatedCalls(message, null).message).toBe(message);
    const talking = assistant(call("a"), text("and th"));
    expect(discardTruncatedCalls(talking, "length").message).toBe(talking);
    const user = { role: "user", parts: [text("go")] } as const;
    expect(discardTruncatedCalls(user, "length").message).toBe(user);
    expect(isMaxOutputStop("end_turn")).toBe(false);
  });
});
