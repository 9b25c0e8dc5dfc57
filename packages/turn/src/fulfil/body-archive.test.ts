import { type Message, type MessageInput, planRecords, visibleText } from "@threadfold/core";
import { runs } from "@threadfold/core/laws";
import { clearStrategy, externalizeStrategy, summarizeStrategy } from "@threadfold/strategies";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  answers,
  artifactsThat,
  bodyOf,
  calls,
  fold,
  folded,
  shapeOf,
  threadOf,
  threadsWithResults,
} from "../testing/fold-case.ts";
import type { StorageProblem } from "./body-archive.ts";

const searches = (count: number): readonly MessageInput[] =>
  Array.from({ length: count }, (_, at) => [
    calls(`c${at}`, `call${at}`, "web_search", { query: `q${at}` }),
    answers(`r${at}`, `call${at}`, "web_search", `${at} ${"result ".repeat(200)}`),
  ]).flat();

const idsOf = (records: readonly { readonly span: { readonly messageIds: readonly string[] } }[]): readonly string[] =>
  records.flatMap(({ span }) => span.messageIds);

describe("a store that fails while bodies are externalized", () => {
  it("S40: keeps the original of each body that it did not take, externalizes the others, and says so", async () => {
    const thread = threadOf(...searches(4));
    const artifacts = artifactsThat((content) => content.startsWith("2 "));
    const problems: StorageProblem[] = [];
    const onStorageProblem = (problem: StorageProblem) => problems.push(problem);
    const { plan, notStored } = await folded(thread, { artifacts, onStorageProblem }, { targetPercent: 0.3 });
    expect(idsOf(plan.externalizations)).toEqual(["r0", "r1", "r3"]);
    expect(idsOf(planRecords(plan))).not.toContain("r2");
    expect(notStored).toEqual(["r2"]);
    expect(problems).toEqual([{ messageId: "r2", problem: "Error", cause: new Error("disk is full") }]);
    expect(plan.externalizations.map(({ artifactId }) => artifacts.contents.get(artifactId))).toEqual(
      ["r0", "r1", "r3"].map((id) => bodyOf(thread, id)),
    );
  });

  it("S40: folds by other means when it takes nothing, and stops asking soon", async () => {
    const artifacts = artifactsThat(() => true);
    const ladder = [externalizeStrategy, summarizeStrategy];
    const { plan, notStored, floor } = await folded(
      threadOf(...searches(12)),
      { artifacts, ladder },
      { externalizeThresholdTokens: 100, targetPercent: 0.5 },
    );
    expect([plan.externalizations.length, plan.summarizations.length, floor]).toEqual([0, 1, false]);
    expect(notStored).toHaveLength(3);
    expect(artifacts.asked).toHaveLength(3);
  });

  it("takes nothing while externalization is switched off, whatever may not be cleared and however far a fold goes", async () => {
    const artifacts = artifactsThat();
    const thread = threadOf(...searches(6));
    for (const targetPercent of [0.9, 0.02]) {
      const ladder = [externalizeStrategy, clearStrategy];
      await fold(thread, { artifacts, ladder }, { enableExternalization: false, targetPercent, maxInputTokens: 3_000 });
    }
    expect(artifacts.asked).toEqual([]);
  });

  it("R22: stores a body under the sensitivity that its message names, so that nothing guarded comes back on its own", async () => {
    const kept = artifactsThat();
    const sensitivities: string[] = [];
    const artifacts: typeof kept = {
      ...kept,
      store: (content, metadata) => {
        sensitivities.push(`${content.slice(0, 1)} ${metadata.sensitivity}`);
        return kept.store(content, metadata);
      },
    };
    const guarded = searches(3).map((message) =>
      message.id === "r1" ? { ...message, metadata: { sensitivity: "restricted" } } : message,
    );
    await folded(threadOf(...guarded), { artifacts });
    expect(sensitivities).toEqual(["0 internal", "1 restricted", "2 internal"]);
  });

  it("spec-135 lets what it stores expire after the configured time, and never by default", async () => {
    for (const artifactTtlSeconds of [60, null]) {
      const kept = artifactsThat();
      const lives: (number | null)[] = [];
      const store: typeof kept.store = (content, metadata) => {
        lives.push(metadata.ttlSeconds);
        return kept.store(content, metadata);
      };
      await folded(threadOf(...searches(3)), { artifacts: { ...kept, store } }, { artifactTtlSeconds });
      expect(new Set(lives)).toEqual(new Set([artifactTtlSeconds]));
    }
  });

  it("takes each body once, however many attempts a fold makes", async () => {
    const artifacts = artifactsThat();
    await folded(threadOf(...searches(6)), { artifacts, ladder: [externalizeStrategy, clearStrategy] });
    expect(new Set(artifacts.asked).size).toBe(artifacts.asked.length);
  });

  /** Bodies of many lengths, all of them large. */
  const threads = threadsWithResults((result, index) => ({
    ...result,
    content: { type: "text", text: `body of result ${index} ${"x".repeat(4_000 + index)}` },
  }));

  it("S40: on random threads no pointer ever names a body that is not stored, and a refused one is not lost", async () => {
    await fc.assert(
      fc.asyncProperty(threads, fc.nat(3), async (thread, modulus) => {
        const artifacts = artifactsThat((content) => content.length % 5 <= modulus);
        const ladder = [externalizeStrategy, clearStrategy, summarizeStrategy];
        const result = await fold(thread, { artifacts, ladder }, { maxInputTokens: 2_000, targetPercent: 0.5 });
        if (result.type !== "ready") return;
        const refused = result.notStored ?? [];
        expect(refused.length).toBeLessThanOrEqual(3);
        for (const { artifactId } of result.plan.externalizations)
          expect(artifacts.contents.has(artifactId)).toBe(true);
        expect(idsOf(result.plan.externalizations).filter((id) => refused.includes(id as never))).toEqual([]);
        // A refused body may be a long text of a user, too.
        for (const id of refused) expect(visibleText(thread.message(id) as Message)).not.toBe("");
      }),
      runs(120),
    );
  });

  it("ends as aborted when the fold is aborted while it writes", async () => {
    const controller = new AbortController();
    const artifacts = artifactsThat(() => {
      controller.abort();
      return true;
    });
    expect((await fold(threadOf(...searches(3)), { artifacts }, {}, controller.signal)).type).toBe("aborted");
  });
});

describe("S41: what is large enough for the artifact store", () => {
  const threshold = 300;
  /** `shares.toolResult` is one token for four characters. */
  const sized = (tokens: number, fields = {}, toolName = "bash") =>
    threadOf(calls("c", "x", toolName), answers("r", "x", toolName, "x".repeat(4 * tokens), fields));
  async function externalized(thread: ReturnType<typeof sized>): Promise<readonly string[]> {
    const result = await fold(thread, { ladder: [externalizeStrategy] }, { externalizeThresholdTokens: threshold });
    return result.type === "ready" ? idsOf(result.plan.externalizations) : [];
  }

  it.each<[string, ReturnType<typeof sized>, readonly string[]]>([
    ["S41: under the threshold it passes", sized(threshold - 1), []],
    ["S41: at the threshold it passes", sized(threshold), []],
    ["S41: over the threshold it is externalized", sized(threshold + 1), ["r"]],
    ["S41: a failed result is externalized like any other", sized(threshold + 1, { outcome: "failure" }), ["r"]],
    [
      "S41: a cancelled call is a failure in our model, and no exception",
      sized(threshold + 1, { outcome: "failure" }),
      ["r"],
    ],
    ["S41: what a retrieval tool brought back is not stored again", sized(threshold + 1, {}, "read_artifact"), []],
  ])("%s", async (_, thread, expected) => {
    expect(shapeOf(thread).header(2).role).toBe("tool");
    expect(await externalized(thread)).toEqual(expected);
  });
});
