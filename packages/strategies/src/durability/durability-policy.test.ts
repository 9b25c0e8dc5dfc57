import { asToolCallId, compactionConfig, type ToolResultEnvelope } from "@threadfold/core";
import { describe, expect, it } from "vitest";
import { durabilityPolicy, toolPolicy } from "./durability-policy.ts";

const resultOf = (toolName: string): ToolResultEnvelope => ({
  toolName,
  callId: asToolCallId("c"),
  outcome: "success",
  content: { type: "text", text: "" },
});

describe("durabilityPolicy", () => {
  it("knows common tools however their names are written", () => {
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
});
