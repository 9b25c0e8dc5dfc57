import { AgentThread, asMessageId, asThreadId, asToolCallId } from "@threadfold/core";
import { message } from "@threadfold/core/laws";
import { externalizeStrategy, threadfoldPreset } from "@threadfold/strategies";
import { describe, expect, it } from "vitest";
import { foldedPlan } from "../testing/run-fold.ts";

const createdAt = "2026-01-01T00:00:00.000Z";
/** The record of a body that a tool gave back. */
async function recordOf(body: string) {
  const callId = asToolCallId("call");
  const result = { toolName: "read", callId, outcome: "success", content: { type: "text", text: body } } as const;
  const input = { path: "src/session.ts" };
  const thread = AgentThread.empty(asThreadId("t")).append([
    message("u", "user", "Look at the session."),
    {
      id: asMessageId("a"),
      role: "assistant",
      createdAt,
      parts: [{ type: "tool-call", callId, toolName: "read", input }],
    },
    { id: asMessageId("t"), role: "tool", createdAt, parts: [{ type: "tool-result", result }] },
    message("b", "assistant", "Read."),
    message("u2", "user", "And now?"),
  ]);
  const plan = await foldedPlan(thread, {
    preset: { ...threadfoldPreset, ladder: [externalizeStrategy] },
    config: { maxInputTokens: 900, preserveRecentTurns: 0 },
  });
  const outcome = plan.externalizations[0]?.summary.toolOutcomes[0];
  return { names: (outcome?.keyFields["names"] ?? []) as readonly string[], keyFields: outcome?.keyFields, thread };
}

const filler = "some plain words of no account at all\n".repeat(300);

describe("the record of an externalized body", () => {
  it("keeps the names that the body is about: paths, what it defines, what recurs", async () => {
    const { names } = await recordOf(
      `${filler}import { x } from "../model/ids.ts";\nexport function loadSessionState() {}\nuser_home user_home\n`,
    );
    expect(names).toEqual(["../model/ids.ts", "loadSessionState", "user_home"]);
  });

  it("says nothing of names when the body has none", async () => {
    expect((await recordOf(filler)).keyFields).not.toHaveProperty("names");
  });

  it("keeps a bounded share: at most 32 names of 640 characters, and no more than an eighth of a body", async () => {
    const many = Array.from({ length: 900 }, (_, index) => `table_${index}.column_${index}`).join("\n");
    const { names } = await recordOf(many);
    expect(names.length).toBe(32);
    expect(names.join("").length).toBeLessThanOrEqual(640);
    const long = Array.from({ length: 400 }, (_, index) => `src/${"deep_folder/".repeat(5)}file_${index}.ts`).join(
      "\n",
    );
    expect((await recordOf(long)).names.join("").length).toBeLessThanOrEqual(640);
  });

  it("lets the names stand beside what else the result has to say", async () => {
    const { keyFields } = await recordOf(`${filler}exit code: 3 in src/a_b.ts`);
    expect(keyFields).toMatchObject({ exitCode: 3, names: ["src/a_b.ts"] });
  });
});
