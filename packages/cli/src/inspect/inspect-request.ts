import { ThreadfoldError } from "@threadfold/core";
import type { BodyChoice } from "@threadfold/inspection";
import { formatById, type ProviderFormat } from "@threadfold/renderer";
import type { CompactionPreset } from "@threadfold/strategies";
import type { CliCall, CliOption } from "../command/cli-command.ts";
import { CONFIG_OPTION, chosenPreset } from "../parse/config-fields.ts";
import {
  FOLD_OPTIONS,
  PRICED_MODEL_OPTION,
  parsePricedModel,
  parseSource,
  parseTokens,
  SOURCE_OPTIONS,
  type SourceRequest,
} from "../parse/options.ts";

/** What to inspect, and how much of it to show. */
export interface InspectRequest {
  /** A store's address, or the path of a recorded session or an audit file. */
  readonly source: string;
  /** The thread of a store, or which thread of a file with several; undefined when none is named. */
  readonly thread: string | undefined;
  readonly bodies: BodyChoice;
  /** True to redact secrets in everything that is shown. */
  readonly redacted: boolean;
  /** How to read a recorded session, without regard to `thread`, which has a place only in a file. */
  readonly file: SourceRequest;
  readonly budget: number;
  readonly preset: CompactionPreset;
  readonly format: ProviderFormat;
  readonly tokenizer: string;
  /** True to also replay the same log under every preset. */
  readonly presets: boolean;
  /** The model whose prices apply to calls without a model; undefined when none is given. */
  readonly model: string | undefined;
}

const BODY_CHOICES: readonly BodyChoice[] = ["none", "short", "all"];

/** The options of every command that inspects a thread. */
export const INSPECT_OPTIONS: readonly CliOption[] = [
  // The thread is given as an argument instead.
  ...SOURCE_OPTIONS.filter(({ flags }) => !flags.startsWith("--thread")),
  ...[...FOLD_OPTIONS, CONFIG_OPTION].map((option) => ({
    ...option,
    description: `recorded session: ${option.description}`,
  })),
  PRICED_MODEL_OPTION,
];

/** Controls how much of the content is shown. */
export const BODIES_OPTION: CliOption = {
  flags: "--bodies <choice>",
  description: "how much of the content to include (default: short in a file, all when served)",
  choices: BODY_CHOICES,
};

export const UNREDACTED_OPTION: CliOption = {
  flags: "--unredacted",
  description: "leave secrets in; with --bodies all, also put the raw log into a file",
};

export const PRESETS_OPTION: CliOption = {
  flags: "--presets",
  description: "replay the log under every preset as well, within --budget",
};

/** Parses what to inspect. @throws ThreadfoldError `USAGE` or `INVALID_CONFIG`. */
export function parseInspectRequest(
  { arguments: [source = "", thread], options }: CliCall,
  bodies: BodyChoice,
): InspectRequest {
  if (source === "") throw new ThreadfoldError("USAGE", "The source is empty; it must be a store or a file.");
  if (thread === "")
    throw new ThreadfoldError(
      "USAGE",
      "The thread is empty; it must be an id, or the position or name of one in a file.",
    );
  const budget = parseTokens("--budget", String(options["budget"]));
  return {
    source,
    thread,
    bodies: (options["bodies"] as BodyChoice | undefined) ?? bodies,
    redacted: options["unredacted"] !== true,
    file: parseSource(source, { ...options, thread: "1" }),
    budget,
    preset: chosenPreset(options, budget),
    format: formatById(String(options["format"])),
    tokenizer: String(options["tokenizer"]),
    presets: options["presets"] === true,
    model: parsePricedModel(options),
  };
}
