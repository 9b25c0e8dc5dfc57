import { asToolCallId, compactionConfig, type ToolResultEnvelope } from "@threadfold/core";
import { toolPolicy } from "@threadfold/strategies";
import { describe, expect, it } from "vitest";
import { resultKeyFields } from "./declared-fields.ts";

const config = compactionConfig({
  toolDurabilityOverrides: { create_order: { durability: "anchoring", mustPreserveFields: ["order_id", "total"] } },
});
const fieldsOf = (result: Partial<ToolResultEnvelope>) => {
  const envelope: ToolResultEnvelope = {
    toolName: "bash",
    callId: asToolCallId("c"),
    outcome: "success",
    content: { type: "text", text: "" },
    ...result,
  };
  return resultKeyFields(envelope, toolPolicy(config, envelope.toolName));
};

describe("resultKeyFields", () => {
  it("keeps what the tool declared and what the policy names, and nothing else", () => {
    const value = { order_id: "A-17", total: 12, lines: ["long"], __proto__x: 1 };
    expect(
      fieldsOf({ toolName: "create_order", content: { type: "json", value }, keyFields: { status: "paid" } }),
    ).toEqual({
      status: "paid",
      order_id: "A-17",
      total: 12,
    });
  });

  it("finds exit code and error line of a command that failed", () => {
    const text = "> vitest run\nrunning\nError: expected 2 to be 3\nmore\nCommand exited with code 1";
    expect(fieldsOf({ outcome: "failure", content: { type: "text", text } })).toEqual({
      exitCode: 1,
      error: "Error: expected 2 to be 3",
    });
  });

  it("takes no word of a file that was read for an error, and no bracket for its beginning", () => {
    const text = "{\n  // throws an error when the lock is not found\n  retry: 3\n}";
    expect(fieldsOf({ content: { type: "text", text } })).toEqual({
      begins: "// throws an error when the lock is not found",
    });
  });

  it("shows how a plain text begins, and nothing of an ephemeral one", () => {
    expect(fieldsOf({ content: { type: "text", text: "\n\n  src/index.ts\nsrc/main.ts" } })).toEqual({
      begins: "src/index.ts",
    });
    expect(fieldsOf({ toolName: "ls", content: { type: "text", text: "src" } })).toEqual({});
  });

  it("stays small on a huge body", () => {
    const text = `${"x".repeat(1_000_000)}\nexit code: 7`;
    expect(JSON.stringify(fieldsOf({ content: { type: "text", text } })).length).toBeLessThan(300);
    expect(fieldsOf({ content: { type: "text", text } })).toMatchObject({ exitCode: 7 });
  });
});
