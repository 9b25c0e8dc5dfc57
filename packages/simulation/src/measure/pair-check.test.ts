import { describe, expect, it } from "vitest";
import { pieceOf } from "../policy/prompt-policy.ts";
import { scriptedSession } from "../testing/scripted-log.ts";
import { PairCheck } from "./pair-check.ts";

const { messages } = scriptedSession([
  { user: "Look." },
  { calls: "read", id: "a", input: { path: "x" } },
  { result: "text", id: "a" },
  { calls: "read", id: "never_answered", input: { path: "y" } },
  { user: "Stop." },
]);
const pieces = messages.map(pieceOf);
const check = new PairCheck();
check.add(messages);

describe("PairCheck", () => {
  it("finds no broken pair in the log itself, even with a call that has no result", () => {
    expect(check.brokenPairs(pieces)).toBe(0);
  });

  it("finds a result without its call, and a call without its result", () => {
    expect(check.brokenPairs(pieces.slice(2))).toBe(1);
    expect(check.brokenPairs(pieces.slice(0, 2))).toBe(1);
    expect(check.brokenPairs([pieces[2], pieces[1]].flatMap((piece) => piece ?? []))).toBe(2);
  });
});
