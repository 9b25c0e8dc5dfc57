import { asThreadId, ThreadfoldError } from "@threadfold/core";
import { describe, expect, it } from "vitest";
import { ContextSession } from "./context-session.ts";

const threadId = asThreadId("checked");
const refusal = async (options: unknown): Promise<ThreadfoldError> => {
  const error = await ContextSession.open(options as never).then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (!ThreadfoldError.isInstance(error)) throw new Error(`It was opened, or ended in ${String(error)}.`);
  return error;
};

describe("a session that is opened from plain JavaScript", () => {
  it.each<readonly [string, unknown]>([
    ["options", undefined],
    ["threadId", {}],
    ["threadId", { threadId: "" }],
    ["threadId", { threadId: 7 }],
    ["store", { threadId, store: "threads.db" }],
    ["preset", { threadId, preset: "codex" }],
    ["format", { threadId, format: "openai-chat" }],
    ["tokenizer", { threadId, tokenizer: (text: string) => text.length }],
    ["summaryModel", { threadId, summaryModel: "claude-haiku-4-5" }],
    ["summarizer", { threadId, summarizer: async () => "all went well" }],
    ["frame", { threadId, frame: { system: "You are an agent.", tools: [] } }],
    ["frame", { threadId, frame: { system: ["You are an agent."] } }],
    ["frame", { threadId, frame: "You are an agent." }],
  ])("refuses %s that are not what they have to be, and names the option", async (name, options) => {
    const { code, message, hint } = await refusal(options);
    expect(code).toBe("INVALID_CONFIG");
    expect(message).toMatch(new RegExp(`^${name}: `));
    expect(hint).not.toBe("");
  });

  it("opens with a thread id alone", async () => {
    await (await ContextSession.open({ threadId })).close();
  });
});
