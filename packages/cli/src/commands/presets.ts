import { type ContextCompactionConfig, compactionConfig } from "@threadfold/core";
import { type CompactionPreset, PRESETS } from "@threadfold/strategies";
import { type CliCommand, NDJSON_OPTION } from "../command/cli-command.ts";
import { type Page, table, wrap } from "../output/page.ts";

/** `presets`: lists the presets with their triggers, their ladders and every effective parameter. */
export const presetsCommand: CliCommand = {
  arguments: [],
  options: [NDJSON_OPTION],
  examples: ["presets", "presets --json"],
  async run() {
    const presets = PRESETS.map(describePreset);
    return {
      data: { presets },
      items: presets,
      text: (page) => [...presets.map((preset) => presetText(preset, page)), defaultsText(page)].join("\n\n"),
    };
  },
};

type Values = Readonly<Record<string, unknown>>;

/** A preset with its effective values when nothing overrides it. */
interface PresetDescription {
  readonly name: string;
  readonly description: string;
  /** The trigger at the default cap. */
  readonly trigger: string;
  readonly ladder: readonly string[];
  readonly figures: CompactionPreset["figures"];
  readonly promptVersion: string;
  readonly parameters: ContextCompactionConfig;
  /** The parameters that the preset itself sets. */
  readonly sets: Values;
}

function describePreset({
  name,
  description,
  ladder,
  figures,
  config,
  trigger,
  promptVersion,
}: CompactionPreset): PresetDescription {
  const parameters = compactionConfig(config);
  return {
    name,
    description,
    trigger: trigger(parameters).name,
    ladder: ladder.map((strategy) => strategy.name),
    figures,
    promptVersion,
    parameters,
    sets: config,
  };
}

function presetText(preset: PresetDescription, { paint, columns }: Page): string {
  const rows: readonly (readonly [string, string])[] = [
    ["fires", preset.trigger],
    ["ladder", preset.ladder.join(", ")],
    ["figures", listed(preset.figures)],
    ["sets", listed(preset.sets)],
    ["prompt", preset.promptVersion],
  ];
  const lines = rows
    .filter(([, value]) => value !== "")
    .flatMap(([title, value]) =>
      wrap(value, columns - INDENT).map((line, index) => `  ${(index === 0 ? title : "").padEnd(INDENT - 2)}${line}`),
    );
  return [
    paint("bold", preset.name),
    ...wrap(preset.description, columns - 2).map((line) => `  ${line}`),
    ...lines,
  ].join("\n");
}

/** Column at which values start. */
const INDENT = 11;

function defaultsText({ paint }: Page): string {
  const defaults = compactionConfig();
  const rows = Object.entries(defaults).map(([key, value]) => [key, printed(value)]);
  const lines = table(rows, ["left", "left"]).map((line) => `  ${line}`);
  const title = `Defaults for what a preset does not set, at a cap of ${defaults.maxInputTokens} tokens`;
  return [paint("bold", title), ...lines].join("\n");
}

const listed = (values: Values): string =>
  Object.entries(values)
    .map(([key, value]) => `${key}=${printed(value)}`)
    .join(", ");

function printed(value: unknown): string {
  if (Array.isArray(value)) return value.join(", ");
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
