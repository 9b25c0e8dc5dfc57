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

/** What is to be looked at, and how much of it. */
export interface InspectRequest {
  /** A store's address, or the path of a recorded session or an audit file. */
  readonly source: string;
  /** The thread of a store, or which thread of a file that holds several; undefined where none is named. */
  readonly thread: string | undefined;
  readonly bodies: BodyChoice;
  /** True to take secrets out of everything that is shown. */
  readonly redacted: boolean;
  /** How a recorded session is read and folded. */
  readonly file: SourceRequest;
  readonly budget: number;
  readonly preset: CompactionPreset;
  readonly format: ProviderFormat;
  readonly tokenizer: string;
  /** True to replay the same log under every preset as well. */
  readonly presets: boolean;
  /** The model that calls are priced as which name none; undefined where nobody says. */
  readonly model: string | undefined;
}

const BODY_CHOICES: readonly BodyChoice[] = ["none", "short", "all"];

/** The options of everything that looks at a thread. */
export const INSPECT_OPTIONS: readonly CliOption[] = [
  // Which thread is meant, an argument says.
  ...SOURCE_OPTIONS.filter(({ flags }) => !flags.startsWith("--thread")),
  ...[...FOLD_OPTIONS, CONFIG_OPTION].map((option) => ({
    ...option,
    description: `recorded session: ${option.description}`,
  })),
  PRICED_MODEL_OPTION,
];

/** Decides how much of what was said is shown. */
export const BODIES_OPTION: CliOption = {
  flags: "--bodies <choice>",
  description: "how much of what was said is in it (default: short in a file, all where it is served)",
  choices: BODY_CHOICES,
};

export const UNREDACTED_OPTION: CliOption = {
  flags: "--unredacted",
  description: "leave secrets in, and with all bodies put the raw log into a file",
};

export const PRESETS_OPTION: CliOption = {
  flags: "--presets",
  description: "replay the log under every preset as well, within --budget",
};

/** Reads what is to be looked at. @throws ThreadfoldError `USAGE` or `INVALID_CONFIG`. */
export function parseInspectRequest(
  { arguments: [source = "", thread], options }: CliCall,
  bodies: BodyChoice,
): InspectRequest {
  if (source === "") throw new ThreadfoldError("USAGE", "The source is empty; it must be a store or a file.");
  const budget = parseTokens("--budget", String(options["budget"]));
  return {
    source,
    thread,
    bodies: (options["bodies"] as BodyChoice | undefined) ?? bodies,
    redacted: options["unredacted"] !== true,
    file: parseSource(source, { ...options, thread: thread ?? "1" }),
    budget,
    preset: chosenPreset(options, budget),
    format: formatById(String(options["format"])),
    tokenizer: String(options["tokenizer"]),
    presets: options["presets"] === true,
    model: parsePricedModel(options),
  };
}
