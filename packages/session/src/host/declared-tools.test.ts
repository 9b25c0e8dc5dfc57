import { message } from "@threadfold/core/laws";
import { declareTool, ladderPreset } from "@threadfold/strategies";
import { describe, expect, it } from "vitest";
import { openSession, work } from "../testing/agent-work.ts";

/** Folds work of `bash` by emptying bodies alone, with a source that may change between the call and the fold. */
async function folded(now: () => string) {
  const bash = declareTool("bash", {
    durability: "replayable",
    captureDeterminism: async (input) => ({ version: "1", etag: `${now()} ${JSON.stringify(input)}` }),
  });
  const session = await openSession({
    declaredTools: [bash],
    preset: ladderPreset,
    config: { maxInputTokens: 10_000, enableSummarization: false, externalizeThresholdTokens: 5_000 },
  });
  await session.append([message("u0", "user", "Build it."), ...work(0, 14, 600)]);
  return session;
}

describe("declaredTools", () => {
  it("spec-59 records what a tool reports about its sources, and clears its results while the sources are unchanged", async () => {
    const session = await folded(() => "same");
    const part = session.thread.messageAt(2)?.parts[0];
    expect(part?.type === "tool-result" && part.result.determinism?.etag).toBe('same {"command":"make step-0"}');
    const { plan } = await session.prepare();
    expect(plan.clearings.length).toBeGreaterThan(0);
    expect(plan.externalizations).toEqual([]);
  });

  it("externalizes a tool's results once their sources have changed", async () => {
    let calls = 0;
    const session = await folded(() => `look ${calls++}`);
    const { plan } = await session.prepare();
    expect(plan.clearings).toEqual([]);
    expect(plan.externalizations.length).toBeGreaterThan(0);
  });

  it("spec-56 spec-60 yields to the configuration, and keeps the fields that the tool declared", async () => {
    const declared = declareTool("bash", { durability: "non_replayable", preserveFields: ["id"] });
    const own = { bash: declareTool("bash", { durability: "ephemeral" }).policy };
    const plain = await openSession({ declaredTools: [declared] });
    expect(plain.config.toolDurabilityOverrides["bash"]).toMatchObject({
      durability: "non_replayable",
      mustPreserveFields: ["id"],
    });
    const overridden = await openSession({ declaredTools: [declared], config: { toolDurabilityOverrides: own } });
    expect(overridden.config.toolDurabilityOverrides["bash"]?.durability).toBe("ephemeral");
  });
});
