import { compactionConfig } from "@threadfold/core";
import { PRESETS } from "@threadfold/strategies";
import type { CliCommand } from "../cli-command.ts";
import { table } from "../output/table.ts";

/** `presets`: lists the presets with every parameter that is in force. */
export const presetsCommand: CliCommand = {
  arguments: [],
  options: [],
  examples: ["presets", "presets --json"],
  async run() {
    const presets = PRESETS.map(({ name, description, ladder, config }) => ({
      name,
      description,
      ladder: ladder.map((strategy) => strategy.name),
      parameters: compactionConfig(config),
    }));
    return {
      data: { presets },
      text: ({ paint }) =>
        presets
          .map(({ name, description, ladder, parameters }) => {
            const rows = Object.entries(parameters).map(([key, value]) => [key, printed(value)]);
            const lines = table([["ladder", ladder.join(", ")], ...rows], ["left", "left"]).map((line) => `  ${line}`);
            return [`${paint("bold", name)}  ${description}`, ...lines].join("\n");
          })
          .join("\n\n"),
    };
  },
};

function printed(value: unknown): string {
  if (Array.isArray(value)) return value.join(", ");
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
