import {
  actionOf,
  asMessageId,
  asToolCallId,
  type CompactionPlan,
  type MessageInput,
  planRecords,
  viewThread,
} from "@threadfold/core";
import { message, runs } from "@threadfold/core/laws";
import { clearStrategy, pruneStrategy, summarizeStrategy } from "@threadfold/strategies";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { answers, bodyOf, calls, fold, folded, threadOf, threadsWithResults } from "../testing/fold-case.ts";
import { runFold } from "../testing/run-fold.ts";

const CODE = `import { header } from "./model/message-header.ts";\n${"const value = compute(value);\n".repeat(80)}`;
const recordOf = (plan: CompactionPlan, id: string) => actionOf(plan, asMessageId(id)).record;
const actions = (plan: CompactionPlan, ...ids: readonly string[]) =>
  ids.map((id) => actionOf(plan, asMessageId(id)).action);
const output = (at: number, text: string): readonly MessageInput[] => [
  calls(`c${at}`, `x${at}`, "bash", { command: `step ${at}` }),
  answers(`r${at}`, `x${at}`, "bash", text),
];

describe("S29: a placeholder larger than the body it would replace", () => {
  it("S29: is not used: small bodies and bodies with large key fields stay", async () => {
    const thread = threadOf(
      ...output(1, "ok"),
      ...output(2, "x".repeat(2_000)),
      calls("c3", "x3", "create_order"),
      answers("r3", "x3", "create_order", "y".repeat(600), { keyFields: { order: "z".repeat(700) } }),
      calls("c4", "x4", "write", { path: "a.ts", lines: Array.from({ length: 18 }, () => "s".repeat(150)) }),
    );
    const { plan } = await folded(thread);
    expect(actions(plan, "r1", "r2", "r3", "c4")).toEqual(["include", "clear", "include", "include"]);
  });

  /** Key fields of every size beside bodies of one size. */
  const threads = threadsWithResults((result, index) => ({
    ...result,
    durability: "anchoring",
    keyFields: { note: "n".repeat((97 * index) % 900) },
    content: { type: "text", text: "x".repeat(500) },
  }));

  it("S29: never appears on random threads: no cleared result shows more than it held", async () => {
    await fc.assert(
      fc.asyncProperty(threads, async (thread) => {
        const result = await fold(thread, {}, { maxInputTokens: 400 });
        if (result.type !== "ready") return;
        for (const { targets, preservedFields, span, keep } of result.plan.clearings) {
          if (!targets.includes("tool-result") || keep !== undefined) continue;
          const [id = ""] = span.messageIds;
          expect(JSON.stringify(preservedFields).length).toBeLessThan(bodyOf(thread, id).length);
        }
      }),
      runs(120),
    );
  });
});

describe("S30: old tool output", () => {
  const turns = threadOf(
    ...Array.from({ length: 8 }, (_, at) => output(at, "x".repeat(400))).flat(),
    message("u1", "user", "On."),
    ...output(8, "x".repeat(400)),
  );
  const prune = (protectTokens: number, minimumTokens: number) =>
    fold(turns, { ladder: [pruneStrategy({ protectTokens, minimumTokens })] }, { targetPercent: 0.4 });

  it("S30: is masked beyond the protected window only if it adds up to the minimum", async () => {
    const result = await prune(300, 500);
    if (result.type !== "ready") throw new Error(result.type);
    expect(result.plan.clearings.flatMap(({ span }) => span.messageIds)).toEqual(["r0", "r1", "r2", "r3", "r4", "r5"]);
    expect((await prune(300, 600)).type).toBe("no-op");
  });

  it("S30: is kept in the newest turn while there is room", async () => {
    const { plan } = await folded(turns, {}, { targetPercent: 0.4, preserveRecentTurns: 2 });
    expect(actions(plan, "r0", "r8")).toEqual(["clear", "include"]);
  });
});

describe("S31: a body that is already masked", () => {
  it("S31: is not proposed again by the next fold, and keeps its record", async () => {
    const thread = threadOf(...Array.from({ length: 6 }, (_, at) => output(at, "x".repeat(1_200))).flat());
    const ports = { ladder: [clearStrategy] };
    const config = { maxInputTokens: 2_000, preserveRecentTurns: 0 };
    const first = await runFold(thread, { ports, config: { ...config, targetPercent: 0.7 } }).result;
    if (first.type !== "ready") throw new Error(first.type);
    const proposed: (readonly number[])[] = [];
    const second = await runFold(thread, {
      plan: first.plan,
      config: { ...config, targetPercent: 0.2 },
      ports: { ...ports, onProposal: ({ ordinals }) => proposed.push(ordinals) },
    }).result;
    if (second.type !== "ready") throw new Error(second.type);
    const masked = first.plan.clearings.flatMap(({ span }) => span.messageIds);
    expect(masked.length).toBeGreaterThan(0);
    const again = proposed.flat().map((ordinal) => thread.messageAt(ordinal)?.id);
    expect(again.filter((id) => masked.includes(id as never))).toEqual([]);
    for (const id of masked) expect(recordOf(second.plan, id)).toEqual(recordOf(first.plan, id));
  });

  it("S31: does not hide the other parts of its message: only the named targets are cleared", async () => {
    const seen: MessageInput = {
      ...message("a1", "assistant", "I see it."),
      parts: [
        { type: "reasoning", text: "a long thought ".repeat(40) },
        { type: "text", text: "I see it." },
        { type: "tool-call", callId: asToolCallId("x"), toolName: "look", input: { path: "a.png" } },
      ],
    };
    const shot: MessageInput = {
      ...message("u1", "user", "Look."),
      parts: [
        { type: "text", text: "Look." },
        { type: "image", source: { kind: "url", url: "https://example.com/a.png" } },
      ],
    };
    // Reasoning of the newest step goes back with what answers it, so another step follows.
    const next = [calls("a2", "y", "bash", { command: "ls" }), answers("r2", "y", "bash", "ok")];
    const { plan } = await folded(threadOf(shot, seen, answers("r1", "x", "look", "a cat"), ...next));
    expect(recordOf(plan, "u1")).toMatchObject({ action: "clear", targets: ["media"] });
    expect(recordOf(plan, "a1")).toMatchObject({ action: "clear", targets: ["reasoning"] });
    expect(recordOf(plan, "r1")).toBeNull();
  });
});

describe("S37: large arguments of old calls", () => {
  const thread = threadOf(
    calls("c1", "x1", "write", { path: "src/a.ts", content: CODE }),
    answers("r1", "x1", "write", "ok"),
    calls("c2", "x2", "bash", { command: "npm test" }),
    answers("r2", "x2", "bash", "ok"),
    calls("c3", "x3", "apply_patch", CODE),
    answers("r3", "x3", "apply_patch", "ok"),
    message("u1", "user", "On."),
    calls("c4", "x4", "write", { path: "src/b.ts", content: CODE }),
    answers("r4", "x4", "write", "ok"),
  );

  it("S37: are shortened for any tool, but small and recent ones stay, and so does every pair", async () => {
    const { plan } = await folded(
      thread,
      {},
      { preserveRecentTurns: 2, targetPercent: 0.6, preserveRecentPercent: 0.9 },
    );
    expect(actions(plan, "c1", "r1", "c2", "r2", "c3", "r3", "c4", "r4")).toEqual([
      "clear",
      "include",
      "include",
      "include",
      "clear",
      "include",
      "include",
      "include",
    ]);
    expect(viewThread(thread, plan)).toHaveLength(thread.length);
  });

  it("S37: keep their first characters and the names in them, in the plan", async () => {
    const { plan } = await folded(thread);
    expect(recordOf(plan, "c1")).toMatchObject({
      targets: ["tool-input"],
      keep: { headCharacters: 80, tailCharacters: 0 },
      preservedFields: { names: { x1: ["./model/message-header.ts"] } },
    });
  });

  it("S37: are shortened without changing the thread or its original token count", async () => {
    const before = thread.digest;
    const { plan, tokens } = await folded(thread);
    expect([thread.digest, plan.originalTokens]).toEqual([before, (await folded(thread)).plan.originalTokens]);
    expect(tokens.after).toBeLessThan(tokens.before);
  });
});

describe("S38: folds on folds", () => {
  it("S38: name the thread's own messages, each once and in order, over three folds", async () => {
    let thread = threadOf(...output(0, "x".repeat(600)));
    let plan: CompactionPlan | undefined;
    for (let round = 1; round <= 3; round++) {
      thread = thread.append(Array.from({ length: 6 }, (_, at) => output(10 * round + at, "x".repeat(600))).flat());
      thread = thread.append([message(`u${round}x`, "user", "On.")]);
      const run = runFold(thread, {
        config: { maxInputTokens: 1_200, preserveRecentTurns: 1, targetPercent: 0.4 },
        ports: { ladder: [summarizeStrategy] },
        ...(plan !== undefined && { plan }),
      });
      const result = await run.result;
      if (result.type !== "ready") throw new Error(result.type);
      plan = result.plan;
      const named = planRecords(plan).flatMap(({ span }) => span.messageIds);
      const ordinals = named.map((id) => thread.message(id)?.ordinal ?? -1);
      expect(ordinals).toEqual(Array.from({ length: ordinals.length }, (_, at) => (ordinals[0] as number) + at));
      expect([plan.version, plan.summarizations.length]).toEqual([round, 1]);
    }
    expect(plan?.summarizations[0]?.summary.round).toBe(3);
    expect(plan?.summarizations[0]?.span.messageIds[0]).toBe("u0");
  });
});
