import { type ContextCompactionConfig, compactionConfig, ThreadfoldError } from "@threadfold/core";
import { type CompactionPreset, presetByName } from "@threadfold/strategies";
import type { CliCall, CliOption } from "../command/cli-command.ts";
import { table } from "../output/page.ts";

/** The cap has an option of its own, `--budget`. */
type ConfigField = Exclude<keyof ContextCompactionConfig, "maxInputTokens">;

/** What the help says of each field; what it means in full stands in its docstring. A new field does not compile without. */
const MEANINGS: Readonly<Record<ConfigField, string>> = Object.freeze({
  softThresholdPercent: "folding starts above this share of the room",
  targetPercent: "and goes down to this one; 0 does all it can",
  minCallsPerFold: "deeper where the next fold would come sooner",
  minReclaimPercent: "a fold that frees a smaller share waits",
  outputReserveTokens: "kept free for the answer",
  safetyBufferTokens: "kept free, as a count is an estimate",
  costModelEnabled: "weighs what a fold saves against the cache",
  promptCachePrice: "prices to weigh by, as --prices of plan",
  expectedCallsPrior: "calls that a session is expected to make yet",
  maxPostponedCalls: "calls for which a fold may be put off",
  breakerFailures: "folds without effect before a pause",
  enableExternalization: "large results go behind pointers",
  enableSummarization: "old turns become a summary",
  enableClearing: "old results are emptied",
  enableRetrieval: "what was folded is searched for each request",
  enableDropping: "old turns are left out",
  externalizeThresholdTokens: "what a large result is",
  artifactTtlSeconds: "how long it can be read; null for ever",
  summarizeTargetRatio: "share of its source that a summary aims at",
  summaryMaxTokens: "most that a summary takes",
  summaryMaxPercent: "and most of the room",
  preserveRecentTurns: "turns at the end that are folded last",
  preserveRecentPercent: "most of the target that they keep",
  summaryRole: "whose message it is: assistant, user or pair",
  summaryWording: "the words around a summary",
  rehydrationEnabled: "what a request names comes back for it",
  rehydrationReserveTokens: "kept free for what comes back",
  rehydrationMaxArtifactsPerTurn: "pieces that come back in a turn",
  rehydrationMaxTokensPerArtifact: "tokens of one piece",
  rehydrationTotalBudgetTokens: "tokens of all pieces",
  rehydrationCooldownTurns: "turns before a piece comes again",
  autoRehydrateSensitivities: "of what may come back by itself",
  detectPins: "standing instructions stay word for word",
  detectedPinMaxTokens: "most of those that users gave",
  defaultToolDurability: "or ephemeral, replayable, non_replayable",
  toolDurabilityOverrides: "the same, tool by tool",
  policyVersion: "names the policy in plans and journals",
});

const FIELDS = Object.keys(MEANINGS) as ConfigField[];

/** Sets one field of the configuration over the preset's. */
export const CONFIG_OPTION: CliOption = {
  flags: "--config <field=value>",
  description: "field of the configuration, over the preset's, as often as wanted; compact --help lists them",
  list: true,
};

/**
 * The preset that `--preset` names, with the fields that `--config` sets.
 *
 * @param budget tokens that a request may take; undefined where the model decides.
 *
 * @throws ThreadfoldError `USAGE` for what is no field with a value, `INVALID_CONFIG` for a field or a value that there is
 * not, and for a preset that there is not.
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

/** JSON where it is some, `0.4`, `false`, `null` or `{"read_file":…}`; a text as it stands where not. */
function jsonOrText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Every field with what it is where neither preset nor `--config` sets it, as one would type it. */
export function configFieldTable(): string {
  const defaults = compactionConfig();
  const rows = FIELDS.map((field) => [typed(field, defaults[field]), MEANINGS[field]]);
  return ["Fields of --config, and their defaults:", ...table(rows, ["left", "left"]).map((row) => `  ${row}`)].join(
    "\n",
  );
}

const typed = (field: ConfigField, value: ContextCompactionConfig[ConfigField]): string =>
  value === undefined ? field : `${field}=${typeof value === "string" ? value : JSON.stringify(value)}`;
