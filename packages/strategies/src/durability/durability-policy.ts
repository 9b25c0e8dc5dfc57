import type { ContextCompactionConfig, DurabilityOf, ToolDurability, ToolDurabilityPolicy } from "@threadfold/core";
import { BUILT_IN_DURABILITY, plainToolName } from "./built-in-durability.ts";

/** What a configuration says of a tool by its exact name; undefined when it says nothing. */
export function toolOverride(config: ContextCompactionConfig, toolName: string): ToolDurabilityPolicy | undefined {
  return Object.hasOwn(config.toolDurabilityOverrides, toolName) ? config.toolDurabilityOverrides[toolName] : undefined;
}

/** The policy that a configuration sets for a tool: an override by exact name, else the built-in table, else the default. */
export function toolPolicy(config: ContextCompactionConfig, toolName: string): ToolDurabilityPolicy {
  const override = toolOverride(config, toolName);
  if (override !== undefined) return override;
  return { durability: builtIn(toolName) ?? config.defaultToolDurability, mustPreserveFields: [], replayCost: "cheap" };
}

/** Classifies results for the ledger. A result's own word comes first and is not asked here. */
export function durabilityPolicy(config: ContextCompactionConfig): DurabilityOf {
  const known = new Map<string, ToolDurability>();
  return (result) => {
    let durability = known.get(result.toolName);
    if (durability === undefined) {
      durability = toolPolicy(config, result.toolName).durability;
      known.set(result.toolName, durability);
    }
    return durability;
  };
}

function builtIn(toolName: string): ToolDurability | undefined {
  const name = plainToolName(toolName);
  return Object.hasOwn(BUILT_IN_DURABILITY, name) ? BUILT_IN_DURABILITY[name] : undefined;
}
