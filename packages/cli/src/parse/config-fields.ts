import { type ContextCompactionConfig, compactionConfig, ThreadfoldError } from "@threadfold/core";
import { type CompactionPreset, presetByName } from "@threadfold/strategies";
import type { CliCall, CliOption } from "../command/cli-command.ts";
import { table } from "../output/page.ts";

/** The cap has its own option, `--budget`. */
type ConfigField = Exclude<keyof ContextCompactionConfig, "maxInputTokens">;

/**
 * The help text of each field; its docstring has the full meaning. A new field does not compile without an entry here.
 */
const MEANINGS: Readonly<Record<ConfigField, string>> = Object.freeze({
  softThresholdPercent: "folding starts above this share of the room",
  targetPercent: "and goes down to this one; 0 does all it can",
  minCallsPerFold: "deeper if the next fold would come sooner",
  minReclaimPercent: "a fold that frees a smaller share waits",
  outputReserveTokens: "kept free for the answer",
  safetyBufferTokens: "kept free, because counts are estimates",
  costModelEnabled: "weighs what a fold saves against the cache",
  promptCachePrice: "prices to calculate with, as in plan --prices",
  expectedCallsPrior: "calls that a session is still expected to make",
  maxPostponedCalls: "calls for which a fold may be postponed",
  breakerFailures: "folds without effect before a pause",
  enableExternalization: "large results are replaced by pointers",
  enableSummarization: "old turns are replaced by a summary",
  enableClearing: "old results are cleared",
  enableRetrieval: "what was folded is searched for each request",
  enableDropping: "old turns are left out",
  externalizeThresholdTokens: "what counts as a large result",
  artifactTtlSeconds: "how long it can be read; null for no limit",
  summarizeTargetRatio: "target summary size, as a share of its source",
  summaryMaxTokens: "maximum size of a summary",
  summaryMaxPercent: "and its maximum share of the room",
  preserveRecentTurns: "turns at the end that are folded last",
  preserveRecentPercent: "their maximum share of the target",
  summaryRole: "who it is from: assistant, user or pair",
  summaryWording: "the words around a summary",
  rehydrationEnabled: "what a request names is brought back for it",
  rehydrationReserveTokens: "kept free for what is brought back",
  rehydrationMaxArtifactsPerTurn: "maximum pieces brought back per turn",
  rehydrationMaxTokensPerArtifact: "maximum tokens of one piece",
  rehydrationTotalBudgetTokens: "maximum tokens of all pieces",
  rehydrationCooldownTurns: "turns before a piece is brought back again",
  autoRehydrateSensitivities: "of what may be brought back automatically",
  detectPins: "standing instructions stay word for word",
  detectedPinMaxTokens: "maximum tokens of those that users gave",
  defaultToolDurability: "or ephemeral, replayable, non_replayable",
  toolDurabilityOverrides: "the same, tool by tool",
  policyVersion: "names the policy in plans and journals",
});

const FIELDS = Object.keys(MEANINGS) as ConfigField[];

/** Overrides one field of the preset's configuration. */
export const CONFIG_OPTION: CliOption = {
  flags: "--config <field=value>",
  description: "override a field of the preset's configuration; may be repeated; compact --help lists the fields",
  list: true,
};

/**
 * Returns the preset that `--preset` names, with the fields that `--config` sets.
 *
 * @param budget maximum tokens of a request; undefined when it depends on the model.
 * @throws ThreadfoldError `USAGE` for a text that is not a field with a value, `INVALID_CONFIG` for an unknown field,
 *   an invalid value or an unknown preset.
 */
export function chosenPreset({ preset, config }: CliCall["options"], budget: number | undefined): CompactionPreset {
  const chosen = presetByName(String(preset));
  if (!Array.isArray(config)) return chosen;
  const fields = { ...chosen.config, ...Object.fromEntries(config.map(fieldAndValue)) };
  compactionConfig({ ...fields, ...(budget !== undefined && { maxInputTokens: budget }) });
  return { ...chosen, config: fields };
}

function fieldAndValue(text: string): readonly [field: string, value: unknown] {
  const [, field, value] = /^(\w+)=(.*)$/s.exec(text) ?? [];
  if (field === undefined || value === undefined)
    throw new ThreadfoldError("USAGE", `--config is ${JSON.stringify(text)}; it must be a field, = and its value.`, {
      hint: "Write it as targetPercent=0.4.",
    });
  if (field === "maxInputTokens")
    throw new ThreadfoldError("USAGE", "--config does not set maxInputTokens.", { hint: "Set it with --budget." });
  return [field, jsonOrText(value)];
}

/** Parses JSON such as `0.4`, `false`, `null` or `{"read_file":…}`; any other text is returned unchanged. */
function jsonOrText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/**
 * Returns every field with its value in the preset that `--preset` names, in the form in which it is typed.
 *
 * @throws ThreadfoldError `INVALID_CONFIG` for an unknown preset.
 */
export function configFieldTable({ preset }: CliCall["options"]): string {
  const { name, config } = presetByName(String(preset));
  const values = compactionConfig(config);
  const rows = FIELDS.map((field) => [typed(field, values[field]), MEANINGS[field]]);
  const title = `Fields of --config, and the values of the preset ${name}:`;
  return [title, ...table(rows, ["left", "left"]).map((row) => `  ${row}`)].join("\n");
}

const typed = (field: ConfigField, value: ContextCompactionConfig[ConfigField]): string =>
  value === undefined ? field : `${field}=${typeof value === "string" ? value : JSON.stringify(value)}`;
