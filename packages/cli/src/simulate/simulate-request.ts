import { ThreadfoldError } from "@threadfold/core";
import {
  BASELINES,
  baselineById,
  type PolicyOffer,
  presetOffers,
  type ScriptedSummarizer,
  type ScriptedSummarizerId,
  scriptedSummarizer,
} from "@threadfold/simulation";
import { PRESETS, presetByName } from "@threadfold/strategies";
import type { CliCall } from "../cli-command.ts";
import { parseTokens } from "../parse/numbers.ts";
import { parseSource, type SourceRequest } from "../parse/source-options.ts";

/** What `simulate` was asked for. */
export interface SimulateRequest {
  readonly sources: readonly SourceRequest[];
  readonly presets: readonly PolicyOffer[];
  readonly baselines: readonly PolicyOffer[];
  readonly budgets: readonly number[];
  readonly summarizer: ScriptedSummarizer;
  /** Where to write the page; absent when none is wanted. */
  readonly html: string | undefined;
}

/** Names that stand for every one, and for none. */
const ALL = "all";
const NONE = "none";

/** Reads what `simulate` was called with. @throws ThreadfoldError `USAGE` or `INVALID_CONFIG`. */
export function parseSimulateRequest({ arguments: files, options }: CliCall): SimulateRequest {
  const summarizer = scriptedSummarizer(options["summarizer"] as ScriptedSummarizerId);
  const presets = listOf("--preset", options["preset"]);
  const baselines = listOf("--policy", options["policy"]);
  const html = options["html"];
  if (chosen([...presets, ...baselines]).length === 0)
    throw new ThreadfoldError("USAGE", "--preset and --policy are both none, so there is nothing to replay.");
  if (html === "") throw new ThreadfoldError("USAGE", "--html is empty; it must be a path.");
  return {
    sources: files.map((file) => parseSource(file, options)),
    presets: presetOffers(summarizer, presets.includes(ALL) ? PRESETS : chosen(presets).map(presetByName)),
    baselines: baselines.includes(ALL) ? BASELINES : chosen(baselines).map(baselineById),
    budgets: [...new Set(listOf("--budget", options["budget"]).map((text) => parseTokens("--budget", text)))],
    summarizer,
    html: typeof html === "string" ? html : undefined,
  };
}

/** Values separated by commas, each once. Thousands are not: `--budget 20000,50000` names two budgets. */
function listOf(option: string, given: CliCall["options"][string]): readonly string[] {
  const text = String(given);
  const values = text.split(",").map((value) => value.trim());
  if (!values.includes("")) return [...new Set(values)];
  throw new ThreadfoldError("USAGE", `${option} is ${JSON.stringify(text)}; it must be values separated by commas.`);
}

const chosen = (names: readonly string[]): readonly string[] => names.filter((name) => name !== NONE);
