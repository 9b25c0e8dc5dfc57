import {
  actionOf,
  asMessageId,
  type DeterminismProbe,
  type ProbeVerdict,
  type ReplayableResult,
  type ToolDurability,
} from "@threadfold/core";
import { runs } from "@threadfold/core/laws";
import { type CompactionStrategy, clearStrategy, externalizeStrategy, pruneStrategy } from "@threadfold/strategies";
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
import { replayChecks } from "./replay-checks.ts";

const LARGE = "line of the file\n".repeat(100);
const determinism = { contentHash: "0123456789abcdef" };

/** Reads of a.ts, b.ts, … as large files, each with the determinism metadata given for it. */
const reads = (...noted: readonly (object | undefined)[]) =>
  threadOf(
    ...noted.flatMap((metadata, at) => {
      const path = `${"abcdefghijklmnop"[at]}.ts`;
      return [
        calls(`c${at}`, `call${at}`, "read", { path }),
        answers(`r${at}`, `call${at}`, "read", `${path}\n${LARGE}`, {
          ...(metadata !== undefined && { determinism: metadata }),
        }),
      ];
    }),
  );

/** A probe that answers by path and remembers what it was asked. */
function probeOf(verdicts: Readonly<Record<string, ProbeVerdict>>) {
  const asked: ReplayableResult[] = [];
  const probe: DeterminismProbe = {
    probe: async (result) => {
      asked.push(result);
      return verdicts[(result.input as { path: string }).path] ?? "unverifiable";
    },
  };
  return { probe, asked };
}

const fate = (plan: Parameters<typeof actionOf>[0], id: string) => {
  const { action, record } = actionOf(plan, asMessageId(id));
  return [action, record?.reason];
};

describe("replayable results in a fold", () => {
  const thread = reads(determinism, determinism, determinism);

  it("spec-50 spec-52 are cleared if their source matches, and otherwise externalized with the reason", async () => {
    const { probe } = probeOf({ "a.ts": "matches", "b.ts": "changed" });
    const artifacts = artifactsThat();
    const { plan, changes } = await folded(thread, { determinismProbe: probe, artifacts });
    expect(fate(plan, "r0")).toEqual(["clear", "The replayable result of read is old; its key fields stay."]);
    expect(fate(plan, "r1")).toEqual([
      "externalize",
      "The result of read may not be cleared because its source has changed since; its body is in the artifact store.",
    ]);
    expect(fate(plan, "r2")).toEqual([
      "externalize",
      "The result of read may not be cleared because nothing verifies that its source is unchanged; its body is in the artifact store.",
    ]);
    expect(changes.map(({ rule, messageIds }) => [rule, ...messageIds])).toEqual([
      ["durable-results", "r1"],
      ["durable-results", "r2"],
    ]);
    expect([...artifacts.contents.values()]).toEqual([bodyOf(thread, "r1"), bodyOf(thread, "r2")]);
  });

  it("are externalized without a probe, and never probed without determinism metadata", async () => {
    const { plan } = await folded(thread);
    expect(["r0", "r1", "r2"].map((id) => fate(plan, id)[0])).toEqual(Array(3).fill("externalize"));
    const { probe, asked } = probeOf({ "a.ts": "matches" });
    const bare = reads(undefined, undefined);
    expect((await folded(bare, { determinismProbe: probe })).plan.clearings).toEqual([]);
    expect(asked).toEqual([]);
  });

  it("are probed only if a strategy would clear them, once each, with the arguments of their call", async () => {
    const { probe, asked } = probeOf({ "a.ts": "matches", "b.ts": "matches", "c.ts": "matches" });
    await folded(thread, { determinismProbe: probe }, { targetPercent: 0.45 });
    expect(asked.map(({ messageId, toolName, input }) => [messageId, toolName, input])).toEqual([
      ["r0", "read", { path: "a.ts" }],
      ["r1", "read", { path: "b.ts" }],
    ]);
    expect(asked[0]?.determinism).toEqual(determinism);
  });

  it("are externalized instead of cleared under prune too, and small bodies stay", async () => {
    const mixed = threadOf(
      calls("c0", "x", "web_search", { query: "q" }),
      answers("r0", "x", "web_search", LARGE),
      calls("c1", "y", "web_search", { query: "q" }),
      answers("r1", "y", "web_search", "z".repeat(300)),
      calls("c2", "z", "bash", { command: "ls" }),
      answers("r2", "z", "bash", LARGE),
    );
    const ladder = [pruneStrategy({ protectTokens: 0, minimumTokens: 0 })];
    const { plan } = await folded(mixed, { ladder }, { targetPercent: 0.1 });
    expect(["r0", "r1", "r2"].map((id) => fate(plan, id)[0])).toEqual(["externalize", "include", "clear"]);
    expect(plan.externalizations[0]?.strategy).toBe("prune");
  });
});

describe("the replay cost of a tool", () => {
  const worked = threadOf(
    calls("c0", "x", "bash", { command: "make" }),
    answers("r0", "x", "bash", LARGE),
    calls("c1", "y", "grep", { pattern: "q" }),
    answers("r1", "y", "grep", LARGE),
    calls("c2", "z", "web_search", { query: "q" }),
    answers("r2", "z", "web_search", LARGE),
  );
  const fates = async (replayCost: "free" | "cheap" | "expensive", ladder: CompactionStrategy[]) => {
    const policy = (durability: ToolDurability) => ({ durability, mustPreserveFields: [], replayCost });
    const toolDurabilityOverrides = {
      bash: policy("anchoring"),
      grep: policy("ephemeral"),
      web_search: policy("non_replayable"),
    };
    const { plan } = await folded(
      worked,
      { ladder },
      { targetPercent: 0, externalizeThresholdTokens: 200, toolDurabilityOverrides },
    );
    return ["r0", "r1", "r2"].map((id) => fate(plan, id)[0]);
  };

  it("spec-58 makes a fold externalize results that are expensive to replay instead of clearing them", async () => {
    expect(await fates("cheap", [clearStrategy])).toEqual(["clear", "clear", "externalize"]);
    expect(await fates("expensive", [clearStrategy])).toEqual(["externalize", "externalize", "externalize"]);
  });

  it("keeps large results that are free to replay out of the artifact store, but not non-replayable ones", async () => {
    expect(await fates("cheap", [externalizeStrategy, clearStrategy])).toEqual([
      "externalize",
      "externalize",
      "externalize",
    ]);
    expect(await fates("free", [externalizeStrategy, clearStrategy])).toEqual(["externalize", "clear", "externalize"]);
  });
});

describe("a probe that misbehaves", () => {
  const thread = reads(determinism, determinism);

  it.each<[string, DeterminismProbe["probe"]]>([
    ["throws", () => Promise.reject(new Error("no such host"))],
    [
      "throws at once",
      () => {
        throw new Error("not a promise");
      },
    ],
    ["answers nonsense", async () => "yes" as ProbeVerdict],
  ])("%s and so verifies nothing", async (_, probe) => {
    const { plan } = await folded(thread, { determinismProbe: { probe } });
    expect(plan.clearings).toEqual([]);
    expect(plan.externalizations).toHaveLength(2);
  });

  it("is aborted by its signal if it never answers", async () => {
    const told: boolean[] = [];
    const probe: DeterminismProbe["probe"] = (_, signal) =>
      new Promise(() => signal.addEventListener("abort", () => told.push(true)));
    const { plan } = await folded(thread, { determinismProbe: { probe } });
    expect(plan.externalizations).toHaveLength(2);
    expect(told).toEqual([true, true]);
  });

  it("is aborted together with the fold", async () => {
    const controller = new AbortController();
    const probe: DeterminismProbe["probe"] = (_, signal) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener("abort", () => reject(new Error("aborted")));
        controller.abort();
      });
    expect((await fold(thread, { determinismProbe: { probe } }, {}, controller.signal)).type).toBe("aborted");
  });

  it("is asked about at most eight sources at once", async () => {
    let running = 0;
    let most = 0;
    const probe: DeterminismProbe["probe"] = async () => {
      most = Math.max(most, ++running);
      await new Promise((resolve) => setTimeout(resolve, 1));
      running--;
      return "matches";
    };
    const many = reads(...Array.from({ length: 16 }, () => determinism));
    expect((await folded(many, { determinismProbe: { probe } })).plan.clearings).toHaveLength(16);
    expect(most).toBe(8);
  });
});

describe("laws of durability", () => {
  const verdicts = fc.array(fc.constantFrom<ProbeVerdict>("matches", "changed", "unverifiable"), { minLength: 8 });
  const strategies = fc.constantFrom("clear", "prune");

  /** Every result says what could be checked of its source, and is worth clearing. */
  const threads = threadsWithResults((result) => ({
    ...result,
    determinism,
    content: { type: "text", text: LARGE },
  }));

  it("spec-11 spec-50 no fold clears a non-replayable result, or a replayable one whose source does not match", async () => {
    await fc.assert(
      fc.asyncProperty(threads, verdicts, strategies, async (thread, answered, strategy) => {
        const probe: DeterminismProbe = {
          probe: async ({ messageId }) => answered[messageId.length % answered.length] as ProbeVerdict,
        };
        const ladder = strategy === "prune" ? [pruneStrategy({ protectTokens: 0, minimumTokens: 0 })] : undefined;
        const result = await fold(
          thread,
          { determinismProbe: probe, ...(ladder && { ladder }) },
          { maxInputTokens: 400, externalizeThresholdTokens: 1 },
        );
        if (result.type !== "ready") return;
        const shape = shapeOf(thread);
        for (const record of result.plan.clearings) {
          if (!record.targets.includes("tool-result") || record.keep !== undefined) continue;
          for (const id of record.span.messageIds) {
            const header = shape.headerOf(id);
            expect(header?.durability).not.toBe("non_replayable");
            if (header?.durability === "replayable") expect(answered[id.length % answered.length]).toBe("matches");
          }
        }
      }),
      runs(150),
    );
  });

  it("after a few looks, the checks of a fold call every other result unverifiable, so that the fold ends", async () => {
    const thread = reads(...Array.from({ length: 6 }, () => determinism));
    const checks = replayChecks(thread, shapeOf(thread), probeOf({}).probe);
    const ordinals = [2, 4, 6, 8];
    for (const ordinal of ordinals) {
      expect(checks.verdictOf(ordinal)).toBeUndefined();
      await checks.look([ordinal]);
    }
    expect(checks.verdictOf(10)).toBe("unverifiable");
    expect(checks.drifted).toEqual(ordinals);
  });
});
