import {
  type ArtifactId,
  type ArtifactStore,
  type Message,
  type MessageInput,
  planRecords,
  spanOf,
  visibleText,
} from "@threadfold/core";
import { message, runs } from "@threadfold/core/laws";
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
import { bodyArchive, type StorageProblem } from "./body-archive.ts";
import { floorSummaryChanges } from "./floor-summary.ts";

const searches = (count: number): readonly MessageInput[] =>
  Array.from({ length: count }, (_, at) => [
    calls(`c${at}`, `call${at}`, "web_search", { query: `q${at}` }),
    answers(`r${at}`, `call${at}`, "web_search", `${at} ${"result ".repeat(200)}`),
  ]).flat();

const idsOf = (records: readonly { readonly span: { readonly messageIds: readonly string[] } }[]): readonly string[] =>
  records.flatMap(({ span }) => span.messageIds);

describe("a store that fails while bodies are externalized", () => {
  it("S40: keeps a body that the store refuses, externalizes the others, and reports the problem", async () => {
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

  it("S40: stops asking after three refusals, and the fold uses the next strategy", async () => {
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

  it("stores nothing while externalization is switched off, however deep the fold", async () => {
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

  it("spec-135 stores bodies with the configured time to live, or without one", async () => {
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

  it("stores each body once, however many attempts a fold makes", async () => {
    const artifacts = artifactsThat();
    await folded(threadOf(...searches(6)), { artifacts, ladder: [externalizeStrategy, clearStrategy] });
    expect(new Set(artifacts.asked).size).toBe(artifacts.asked.length);
  });

  /** Bodies of many lengths, all of them large. */
  const threads = threadsWithResults((result, index) => ({
    ...result,
    content: { type: "text", text: `body of result ${index} ${"x".repeat(4_000 + index)}` },
  }));

  it("S40: never points to a body that is not stored, and loses no refused one, on random threads", async () => {
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

  it("ends as aborted when the fold is aborted during a write", async () => {
    const controller = new AbortController();
    const artifacts = artifactsThat(() => {
      controller.abort();
      return true;
    });
    expect((await fold(threadOf(...searches(3)), { artifacts }, {}, controller.signal)).type).toBe("aborted");
  });
});

describe("S41: the size threshold of externalization", () => {
  const threshold = 300;
  /** `shares.toolResult` is one token for four characters. */
  const sized = (tokens: number, fields = {}, toolName = "bash") =>
    threadOf(calls("c", "x", toolName), answers("r", "x", toolName, "x".repeat(4 * tokens), fields));
  async function externalized(thread: ReturnType<typeof sized>): Promise<readonly string[]> {
    const result = await fold(thread, { ladder: [externalizeStrategy] }, { externalizeThresholdTokens: threshold });
    return result.type === "ready" ? idsOf(result.plan.externalizations) : [];
  }

  it.each<[string, ReturnType<typeof sized>, readonly string[]]>([
    ["S41: leaves a body under the threshold in place", sized(threshold - 1), []],
    ["S41: leaves a body at the threshold in place", sized(threshold), []],
    ["S41: externalizes a body over the threshold", sized(threshold + 1), ["r"]],
    ["S41: externalizes a failed result like any other", sized(threshold + 1, { outcome: "failure" }), ["r"]],
    [
      "S41: treats a cancelled call as a failure, and externalizes it too",
      sized(threshold + 1, { outcome: "failure" }),
      ["r"],
    ],
    ["S41: does not store again what a retrieval tool returned", sized(threshold + 1, {}, "read_artifact"), []],
  ])("%s", async (_, thread, expected) => {
    expect(shapeOf(thread).header(2).role).toBe("tool");
    expect(await externalized(thread)).toEqual(expected);
  });
});

describe("a body in the artifact store", () => {
  const told: unknown[] = [];
  const artifacts: ArtifactStore = {
    ...artifactsThat(),
    store: async (content, metadata) => {
      told.push([content, metadata]);
      return `artifact-${told.length}` as ArtifactId;
    },
  };
  const thread = threadOf(
    { ...message("u1", "user", "A long text."), metadata: { sensitivity: "restricted" } },
    calls("c", "x", "bash"),
    answers("r", "x", "bash", "the body"),
  );
  const owner = { tenantId: "acme", now: "2026-01-02T03:04:05.000Z", ttlSeconds: 60 };

  it("is stored once, with its tenant, time to live and the sensitivity of its message", async () => {
    const archive = bodyArchive(thread, artifacts, owner);
    expect([archive.artifactOf(3), archive.mayStore(3), archive.problems]).toEqual([undefined, true, []]);
    expect(await archive.store([1, 3, 3])).toBe(true);
    expect(await archive.store([3])).toBe(true);
    const metadata = {
      ...{ threadId: thread.id, tenantId: "acme", createdAt: owner.now, ttlSeconds: 60, mediaType: "text/plain" },
    };
    expect(told).toEqual([
      ["A long text.", { ...metadata, sensitivity: "restricted" }],
      ["the body", { ...metadata, sensitivity: "internal" }],
    ]);
    expect([archive.artifactOf(1), archive.artifactOf(3)]).toEqual(["artifact-1", "artifact-2"]);
    await archive.storeText("made of both", [...thread.messages]);
    expect(told[2]).toEqual(["made of both", { ...metadata, sensitivity: "restricted" }]);
  });

  it("is not stored after a refusal, and no other body is tried after three refusals", async () => {
    const bodies = threadOf(...searches(5));
    const refusing = artifactsThat((content) => !content.startsWith("0 "));
    const archive = bodyArchive(bodies, refusing, owner);
    const results = [2, 4, 6, 8, 10];
    expect(await archive.store(results)).toBe(false);
    expect(refusing.asked).toHaveLength(4);
    expect(await archive.store([2])).toBe(true);
    expect(await archive.store([4])).toBe(false);
    expect(refusing.asked).toHaveLength(4);
    expect(results.map(archive.mayStore)).toEqual([true, false, false, false, false]);
    expect(archive.problems.map(({ messageId }) => messageId)).toEqual(["r1", "r2", "r3"]);
  });
});

describe("a summary without a summarizer", () => {
  it("states how much was folded, and the first request of a user as the original task", () => {
    const thread = threadOf(
      calls("c", "x", "bash"),
      answers("r", "x", "bash", "the body"),
      { ...message("n", "user", "Time is up."), origin: "harness" },
      message("u1", "user", `Next. ${"z".repeat(400)}`),
    );
    const messages = [...thread.messages];
    const changesOf = (from: number) => floorSummaryChanges(messages.slice(from), spanOf(messages.slice(from)));
    expect(changesOf(0)).toEqual([
      {
        op: "add",
        section: "facts",
        item: {
          text: expect.stringMatching(/^Turns 1–3 held 7 messages with 1 tool call, folded without/),
          sources: ["u0"],
        },
      },
      { op: "set-original-task", task: { text: "Go.", sources: ["u0"] } },
    ]);
    const later = changesOf(1)[1];
    expect(later).toMatchObject({ op: "set-original-task", task: { sources: ["u1"] } });
    expect(later?.op === "set-original-task" && later.task.text).toBe(`Next. ${"z".repeat(394)}`);
    expect(floorSummaryChanges(messages.slice(1, 3), spanOf(messages.slice(1, 3)))).toHaveLength(1);
  });
});
