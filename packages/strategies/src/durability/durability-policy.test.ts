import { asToolCallId, compactionConfig, type ToolResultEnvelope } from "@threadfold/core";
import { describe, expect, it } from "vitest";
import { durabilityPolicy, isRetrieval, toolOverride, toolPolicy } from "./durability-policy.ts";

const resultOf = (toolName: string): ToolResultEnvelope => ({
  toolName,
  callId: asToolCallId("c"),
  outcome: "success",
  content: { type: "text", text: "" },
});

describe("durabilityPolicy", () => {
  it("recognizes common tools in any spelling of their names", () => {
    const durabilityOf = durabilityPolicy(compactionConfig());
    expect(["read", "Read", "read_file", "readFile"].map((name) => durabilityOf(resultOf(name)))).toEqual(
      Array(4).fill("replayable"),
    );
    expect(["LS", "list_dir", "Grep"].map((name) => durabilityOf(resultOf(name)))).toEqual(Array(3).fill("ephemeral"));
    expect(durabilityOf(resultOf("WebSearch"))).toBe("non_replayable");
  });

  it("spec-55 spec-62 falls back to the configured default and lets an override win", () => {
    const config = compactionConfig({
      defaultToolDurability: "non_replayable",
      toolDurabilityOverrides: { bash: { durability: "ephemeral" } },
    });
    const durabilityOf = durabilityPolicy(config);
    expect(durabilityOf(resultOf("create_order"))).toBe("non_replayable");
    expect(durabilityOf(resultOf("bash"))).toBe("ephemeral");
    expect(durabilityOf(resultOf("constructor"))).toBe("non_replayable");
    expect(toolPolicy(config, "bash").replayCost).toBe("cheap");
  });

  it("applies an override only to the exact tool name, and none for inherited property names", () => {
    const config = compactionConfig({ toolDurabilityOverrides: { Bash: { durability: "ephemeral" } } });
    expect(toolOverride(config, "Bash")?.durability).toBe("ephemeral");
    expect([toolOverride(config, "bash"), toolOverride(config, "toString")]).toEqual([undefined, undefined]);
    expect([toolPolicy(config, "Bash").durability, toolPolicy(config, "bash").durability]).toEqual([
      ...["ephemeral", "anchoring"],
    ]);
    expect(toolPolicy(config, "bash")).toMatchObject({ mustPreserveFields: [], replayCost: "cheap" });
  });

  it("recognizes retrieval tools in any spelling of their names", () => {
    expect(["read_artifact", "ReadArtifact", "recall", "Recall", "read_file", undefined].map(isRetrieval)).toEqual([
      ...[true, true, true, true, false, false],
    ]);
    const durabilityOf = durabilityPolicy(compactionConfig({ defaultToolDurability: "anchoring" }));
    expect(["read_artifact", "recall"].map((name) => durabilityOf(resultOf(name)))).toEqual(["ephemeral", "ephemeral"]);
  });
});
