import { asMessageId, asThreadId, asToolCallId, type MessageInput } from "@threadfold/core";
import { anthropicMessages, type ProviderFormat } from "@threadfold/renderer";
import { describe, expect, it } from "vitest";
import { ContextSession } from "../loop/context-session.ts";

const createdAt = "2026-01-01T00:00:00.000Z";

/** A step of an agent: a call and its result. */
function step(index: number, toolName = "read"): readonly MessageInput[] {
  const callId = asToolCallId(`call-${index}`);
  const content = { type: "text", text: `Line ${index} of the file. `.repeat(25) } as const;
  return [
    {
      id: asMessageId(`a${index}`),
      role: "assistant",
      createdAt,
      parts: [{ type: "tool-call", callId, toolName, input: { line: index } }],
    },
    {
      id: asMessageId(`t${index}`),
      role: "tool",
      createdAt,
      parts: [{ type: "tool-result", result: { toolName, callId, outcome: "success", content } }],
    },
  ];
}

/** Work that uses a tool for the first time now and then. */
const toolAt = (index: number): string => ["read", "grep", "bash"][Math.floor(index / 60)] ?? "write";

describe("lowering a thread turn by turn", () => {
  it.each([
    ["with the tools that the host declares", [{ name: "read", inputSchema: { type: "object" as const } }]],
    ["where the host declares none, and those that the thread uses are declared for it", []],
  ])("lowers only new messages between commits, and each message once at a commit, %s", async (_case, tools) => {
    let lowered = 0;
    const counting: ProviderFormat = {
      ...anthropicMessages,
      lower: (request, options) => {
        lowered += request.messages.length;
        return anthropicMessages.lower(request, options);
      },
    };
    const session = await ContextSession.open({
      threadId: asThreadId("counted"),
      format: counting,
      frame: { system: ["Be brief."], tools },
      config: { maxInputTokens: 12_000 },
      clock: { now: () => 0 },
    });
    await session.append([{ id: asMessageId("u"), role: "user", createdAt, parts: [{ type: "text", text: "Read." }] }]);
    const turns: { readonly messages: number; readonly lowered: number; readonly committed: boolean }[] = [];
    for (let index = 0; index < 240; index++) {
      await session.append(step(index, tools.length === 0 ? toolAt(index) : undefined));
      lowered = 0;
      const { request, outcome, violations } = await session.prepare();
      expect(violations).toEqual([]);
      expect(request.tools.map(({ name }) => name)).toContain(tools.length === 0 ? toolAt(index) : "read");
      turns.push({ messages: request.messages.length, lowered, committed: outcome?.type === "committed" });
    }
    const commits = turns.filter(({ committed }) => committed);
    expect(commits.length).toBeGreaterThan(1);
    expect(Math.max(...turns.map(({ messages }) => messages))).toBeGreaterThan(60);
    // The step before, the new one, and the turn that stands for what was checked before.
    const others = turns.slice(1).filter(({ committed }) => !committed);
    expect(Math.max(...others.map((turn) => turn.lowered))).toBeLessThanOrEqual(5);
    // What was lowered to verify the new plan is what is sent.
    for (const { messages, lowered: count } of commits) expect(count).toBe(messages);
  });
});
