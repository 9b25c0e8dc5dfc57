import { describe, expect, it } from "vitest";
import { anthropicMessagesProtocol } from "./anthropic-protocol.ts";
import type { Thought } from "./provider-protocol.ts";
import { ThoughtsSent } from "./thoughts-sent.ts";

const user = (text: string) => ({ role: "user", content: [{ type: "text", text }] });
const result = (id: string) => ({ role: "user", content: [{ type: "tool_result", tool_use_id: `toolu_${id}` }] });
const step = (id: string, ...thoughts: readonly Thought[]) => ({
  role: "assistant",
  content: [
    ...thoughts.map(({ text, proof }) => ({ type: "thinking", thinking: text, signature: proof })),
    { type: "tool_use", id: `toolu_${id}`, name: "read", input: {} },
  ],
});

/** Two steps of a loop, as the model of that name thought them. */
function loop(model: string) {
  const sent = new ThoughtsSent(anthropicMessagesProtocol);
  const body = (...messages: readonly object[]) => ({ model, thinking: {}, messages });
  const first = sent.sign(body(user("go")), "First.", ["a"]) as Thought;
  const opening = [user("go"), step("a", first), result("a")];
  const second = sent.sign(body(...opening), "Second.", ["b"]) as Thought;
  return { sent, body, first, second, opening, end: [step("b", second), result("b")] };
}

describe("thoughts that come back to the provider", () => {
  it("are refused when they are altered, wherever they stand", () => {
    const { sent, body, second, opening, end } = loop("claude-haiku-4-5");
    expect(sent.problemOf(body(...opening, ...end))).toBeNull();
    expect(sent.problemOf(body(...opening, step("b", { ...second, text: "Other." }), result("b")))).toContain(
      "Invalid",
    );
    expect(sent.problemOf(body(...opening, step("b", { ...second, proof: "none" }), result("b")))).toContain("Invalid");
  });

  it("may follow another prefix only where they are not bound to it", () => {
    for (const [model, isRefused] of [
      ["claude-haiku-4-5", false],
      ["claude-opus-5-5", true],
    ] as const) {
      const { sent, body, end } = loop(model);
      expect(sent.problemOf(body(user("A summary."), ...end)) !== null, model).toBe(isRefused);
    }
  });

  it("may be left out up to some step where they are bound, and not from between others", () => {
    const { sent, body, first, opening, end } = loop("claude-opus-5-5");
    const third = sent.sign(body(...opening, ...end), "Third.", ["c"]) as Thought;
    const without = [step("b"), result("b"), step("c", third), result("c")];
    expect(sent.problemOf(body(user("go"), step("a"), result("a"), ...without))).toBeNull();
    expect(sent.problemOf(body(user("go"), step("a", first), result("a"), ...without))).toContain("left out");
  });

  it("count in the open loop alone, and where the provider would take them", () => {
    const { sent, body, opening, end } = loop("claude-opus-5-5");
    sent.count(body(...opening, ...end));
    expect(sent.figures).toEqual({ allowed: 2, kept: 2 });
    sent.count(body(...opening, step("b"), result("b")));
    expect(sent.figures).toEqual({ allowed: 4, kept: 3 });
    sent.count(body(user("A summary."), ...end));
    sent.count(body(...opening, ...end, user("Next.")));
    expect(sent.figures).toEqual({ allowed: 4, kept: 3 });
  });
});
