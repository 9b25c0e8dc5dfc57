import { AgentThread, asMessageId, asThreadId, asToolCallId, compactionConfig, summaryItemId } from "@threadfold/core";
import { message } from "@threadfold/core/laws";
import { externalizeStrategy, threadfoldPreset } from "@threadfold/strategies";
import { describe, expect, it } from "vitest";
import { answers, calls, shapeOf, threadOf } from "../testing/fold-case.ts";
import { foldedPlan } from "../testing/run-fold.ts";
import { externalizationRecord } from "./externalization-record.ts";

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
  it("keeps names from the body: paths, definitions and recurring identifiers", async () => {
    const { names } = await recordOf(
      `${filler}import { x } from "../model/ids.ts";\nexport function loadSessionState() {}\nuser_home user_home\n`,
    );
    expect(names).toEqual(["../model/ids.ts", "loadSessionState", "user_home"]);
  });

  it("has no names field when the body has no names", async () => {
    expect((await recordOf(filler)).keyFields).not.toHaveProperty("names");
  });

  it("keeps at most 32 names with 640 characters in total", async () => {
    const many = Array.from({ length: 900 }, (_, index) => `table_${index}.column_${index}`).join("\n");
    const { names } = await recordOf(many);
    expect(names.length).toBe(32);
    expect(names.join("").length).toBeLessThanOrEqual(640);
    const long = Array.from({ length: 400 }, (_, index) => `src/${"deep_folder/".repeat(5)}file_${index}.ts`).join(
      "\n",
    );
    expect((await recordOf(long)).names.join("").length).toBeLessThanOrEqual(640);
  });

  it("keeps the names beside the result's other key fields", async () => {
    const { keyFields } = await recordOf(`${filler}exit code: 3 in src/a_b.ts`);
    expect(keyFields).toMatchObject({ exitCode: 3, names: ["src/a_b.ts"] });
  });
});

describe("externalizationRecord", () => {
  const input = { query: { deep: 1 }, pattern: "x".repeat(121), path: "src/a.ts", zone: "b" };
  const thread = threadOf(
    calls("a1", "c1", "ask", input),
    answers("t1", "c1", "ask", "Error: none", { outcome: "failure" }),
    calls("a2", "c2", "ask", { pattern: "x".repeat(121) }),
    answers("t2", "c2", "ask", "fine"),
    calls("a3", "c3", "ask", "src/a.ts"),
    answers("t3", "c3", "ask", "fine"),
  );
  const shape = shapeOf(thread);
  const fulfilment = {
    thread,
    shape,
    config: compactionConfig(),
    planVersion: 4,
    artifactOf: (at: number) => `artifact-${at}`,
  };
  const record = (ordinal: number) =>
    externalizationRecord(
      { ...{ action: "externalize", strategy: "externalize", reason: "large", ordinals: [ordinal] } } as never,
      fulfilment as never,
    );

  it("takes the hint from the first short argument of the call", () => {
    expect([2, 4, 6].map((at) => record(at).rehydrateHint)).toEqual([
      ...["full result of ask src/a.ts", "full result of ask", "full result of ask"],
    ]);
    expect(record(0).rehydrateHint).toContain("user message of turn 1");
  });

  it("takes the file path of the call as the hint, and the end of a long path", () => {
    const folder = "/home/someone/worktrees/of-a-project-with-a-long-name/packages/something";
    const file = `${folder}/docs/reports/2026-06-25-how-the-search-was-made-faster-and-what-is-left.md`;
    const hintOf = (asked: object) => {
      const read = threadOf(calls("a1", "c1", "read", asked as never), answers("t1", "c1", "read", "# Search"));
      const others = { ...fulfilment, thread: read, shape: shapeOf(read) };
      return externalizationRecord({ action: "externalize", ordinals: [2] } as never, others as never).rehydrateHint;
    };
    const end = "something/docs/reports/2026-06-25-how-the-search-was-made-faster-and-what-is-left.md";
    for (const name of ["filePath", "file_path", "path"])
      expect(hintOf({ [name]: file, limit: 40 })).toMatch(new RegExp(`^full result of read …[^ ]*${end}$`));
    expect(hintOf({ content: "# Search", file_path: "a.md" })).toBe("full result of read a.md");
    expect(hintOf({ path: file, pattern: "search" })).toBe("full result of read search");
    expect(hintOf({ filePath: "", query: "search" })).toBe("full result of read search");
    expect(hintOf({ filePath: 7, path: ["a"] })).toBe("full result of read");
  });

  it("summarizes how the call ended, with its error, or how a message begins", () => {
    expect(record(2)).toMatchObject({
      artifactId: "artifact-2",
      form: "body",
      sincePlanVersion: 4,
      span: { messageIds: ["t1"] },
    });
    const { toolOutcomes, facts } = record(2).summary;
    expect([facts, toolOutcomes]).toMatchObject([
      [],
      [{ toolName: "ask", outcome: "failure", errorMessage: "Error: none", sources: ["t1"], keyFields: {} }],
    ]);
    expect(record(4).summary.toolOutcomes[0]).toMatchObject({ errorMessage: null, keyFields: { begins: "fine" } });
    const long = threadOf(message("u1", "user", "y".repeat(200)));
    const { summary } = externalizationRecord(
      { action: "externalize", ordinals: [1] } as never,
      { ...fulfilment, thread: long, shape: shapeOf(long) } as never,
    );
    expect(summary).toMatchObject({ toolOutcomes: [], facts: [{ text: "y".repeat(160), sources: ["u1"] }] });
    // An item has the id that it has in every summary.
    for (const { id, ...fact } of summary.facts) expect(id).toBe(summaryItemId("facts", fact));
    for (const { id, ...outcome } of record(2).summary.toolOutcomes)
      expect(id).toBe(summaryItemId("toolOutcomes", outcome));
  });
});
