import { describe, expect, it } from "vitest";
import { scriptedSession } from "../testing/scripted-log.ts";
import { recallQueries } from "./replay-policy.ts";

const session = scriptedSession([
  { user: "Fix parse_line." },
  { says: "I look at the reader first." },
  { calls: "read", id: "a", input: { path: "src/reader.ts" } },
  { result: "export function readLine() {}", id: "a" },
  { calls: "grep", id: "b", input: { pattern: "zeppelin" } },
]);

describe("the queries before a call", () => {
  it("are made of the last messages, of what the agent said last, and of the call", () => {
    const call = session.calls.at(-1);
    const { own, ownWords, callWords } = recallQueries(session.messages, { answer: call?.answer ?? [] });
    expect(own).toContain("readLine");
    expect(own).not.toContain("zeppelin");
    expect(ownWords).toBe("I look at the reader first.");
    expect(callWords).toContain("zeppelin");
  });
});
