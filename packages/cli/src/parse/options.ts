import { readFileSync } from "node:fs";
import { basename } from "node:path";
import {
  type Checkpoint,
  MODELS,
  modelName,
  modelRow,
  nearestName,
  promptCachePriceOfModel,
  ThreadfoldError,
} from "@threadfold/core";
import { DEFAULT_IMPORT_LIMITS, IMPORTERS, type ImportFormat, type ImportLimits } from "@threadfold/importers";
import { FORMAT_NAMES } from "@threadfold/renderer";
import type { Pauses } from "@threadfold/simulation";
import { ed25519PublicKey, parseCheckpoint } from "@threadfold/stores";
import { PRESETS } from "@threadfold/strategies";
import { TOKENIZER_IDS } from "@threadfold/tokenizers";
import type { CliArgument, CliCall, CliOption } from "../command/cli-command.ts";
import { fileProblem } from "../output/output-folder.ts";

export const SINCE_OPTION: CliOption = {
  flags: "--since <file>",
  description: "checkpoint that was kept elsewhere: what it saw must still be there",
};

export const PUBLIC_KEY_OPTION: CliOption = {
  flags: "--public-key <file>",
  description: "Ed25519 key in PEM that checkpoints must be signed with",
};

/** Returns the checkpoint that `--since` names. @throws ThreadfoldError `UNREADABLE_SOURCE` or `INVALID_JSON`. */
export function checkpointOption({ since }: CliCall["options"]): Checkpoint | undefined {
  return typeof since === "string" ? parsedFile("--since", since, parseCheckpoint) : undefined;
}

/** Returns the key that `--public-key` names. @throws ThreadfoldError `UNREADABLE_SOURCE` or `INVALID_CONFIG`. */
export function publicKeyOption({ publicKey }: CliCall["options"]): string | undefined {
  return typeof publicKey === "string" ? parsedFile("--public-key", publicKey, ed25519PublicKey) : undefined;
}

/**
 * Parses a small text file that an option names.
 *
 * @throws ThreadfoldError `UNREADABLE_SOURCE`, and what parsing throws, with the file and the option.
 */
export function parsedFile<Result>(option: string, path: string, parse: (text: string) => Result): Result {
  const text = readText(path);
  try {
    return parse(text);
  } catch (cause) {
    if (!ThreadfoldError.isInstance(cause)) throw cause;
    const { code, message, hint, details } = cause;
    throw new ThreadfoldError(code, `${path}, which ${option} names: ${message}`, { hint, details, cause });
  }
}

/** Reads a small text file that an option names. @throws ThreadfoldError `UNREADABLE_SOURCE`. */
function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (cause) {
    throw new ThreadfoldError("UNREADABLE_SOURCE", `${path} cannot be read: ${fileProblem(cause)}.`, {
      details: { path },
      cause,
    });
  }
}

const MULTIPLES: Readonly<Record<string, number>> = Object.freeze({ "": 1, k: 1_000, m: 1_000_000 });

/** Maximum number of tokens: far above any window, and far below where numbers lose precision. */
const MOST_TOKENS = 1_000_000_000;

/**
 * Parses a number of tokens: `100000`, `100_000`, `100,000`, `100k`, `1m`.
 *
 * @throws ThreadfoldError `USAGE`.
 */
export function parseTokens(option: string, text: string): number {
  const [, digits = "", unit = ""] = /^(\d[\d_,]{0,20})([km]?)$/i.exec(text) ?? [];
  const tokens = Number(digits.replace(/[_,]/g, "")) * (MULTIPLES[unit.toLowerCase()] ?? 1);
  if (digits !== "" && tokens >= 1 && tokens <= MOST_TOKENS) return tokens;
  throw new ThreadfoldError(
    "USAGE",
    `${option} is ${JSON.stringify(text)}; it must be a number of tokens from 1 to ${MOST_TOKENS}.`,
    {
      hint: "Write it as 100000, 100_000 or 100k.",
    },
  );
}

/**
 * Parses the version of a plan: an integer from 0, which is the plan that folds nothing.
 *
 * @throws ThreadfoldError `USAGE`.
 */
export function parsePlanVersion(name: string, text: string): number {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new ThreadfoldError(
    "USAGE",
    `${name} is ${JSON.stringify(text)}; it must be the version of a plan, a whole number, 0 or higher.`,
    {
      hint: "List the plans of the thread with threadfold plans.",
    },
  );
}

/** Parses a port, 0 for a free one. @throws ThreadfoldError `USAGE`. */
export function parsePort(option: string, given: CliCall["options"][string]): number {
  const port = typeof given === "string" && /^\d{1,5}$/.test(given) ? Number(given) : Number.NaN;
  if (port <= 65_535) return port;
  throw new ThreadfoldError("USAGE", `${option} is ${JSON.stringify(given)}; it must be a port from 0 to 65535.`);
}

const LONGEST_PAUSE_MINUTES = 100_000;

/** Parses the pause before each user message; a number is in minutes. @throws ThreadfoldError `USAGE`. */
export function parsePauses(text: string): Pauses {
  if (text === "recorded" || text === "none") return text;
  const minutes = Number(text);
  if (text.trim() !== "" && minutes >= 0 && minutes <= LONGEST_PAUSE_MINUTES) return minutes * 60_000;
  throw new ThreadfoldError("USAGE", `--pauses is ${JSON.stringify(text)}; it must be recorded, none, or minutes.`);
}

/** Selects the store that a command uses. */
export const STORE_OPTION: CliOption = {
  flags: "--store <file>",
  description: "store to use (default: $THREADFOLD_STORE, else ./threadfold.db)",
};

/** Sets the model whose prices apply to calls for which the journal names none. */
export const PRICED_MODEL_OPTION: CliOption = {
  flags: "--model <name>",
  description: "price calls that name no model as calls of this one",
};

/**
 * Returns the model whose prices are asked for, if there is one.
 *
 * @throws ThreadfoldError `USAGE` for one whose prices are not known: it would be dropped without a word.
 */
export function parsePricedModel({ model }: CliCall["options"]): string | undefined {
  if (typeof model !== "string") return undefined;
  if (isPriced(model)) return model;
  const names = MODELS.map(({ name }) => name).filter(isPriced);
  const meant = nearestName(model, names);
  throw new ThreadfoldError("USAGE", `The price of ${JSON.stringify(model)}, which --model names, is not known.`, {
    hint: `${meant === undefined ? "" : `Did you mean ${meant}? `}threadfold models lists the models whose prices are known.`,
  });
}

const isPriced = (model: string): boolean =>
  modelRow(model)?.inputPrice !== undefined && promptCachePriceOfModel(modelName(model)) !== undefined;

/** Selects the plan that a command shows. */
export const PLAN_OPTION: CliOption = {
  flags: "--plan <version>",
  description: "version of the plan (default: the newest; 0 folds nothing)",
};

/** Returns the selected plan. @throws ThreadfoldError `USAGE`. */
export function planVersion({ plan }: CliCall["options"]): number | "newest" {
  return typeof plan === "string" ? parsePlanVersion("--plan", plan) : "newest";
}

/** Which recorded session to read. */
export interface SourceRequest {
  /** Path of the file, or {@link STANDARD_INPUT}. */
  readonly file: string;
  readonly from: ImportFormat | "auto";
  /** Which thread of a file with several: its position, from 1, or its name. */
  readonly thread: number | string;
  /** Limits that override an import's defaults. */
  readonly limits: Partial<ImportLimits>;
}

/** Given instead of a file, selects standard input. */
export const STANDARD_INPUT = "-";

/** Returns the name of a source for a page. */
export const sourceName = ({ file }: SourceRequest): string =>
  file === STANDARD_INPUT ? "standard input" : basename(file);

export const SOURCE_ARGUMENT: CliArgument = {
  name: "file",
  description: "recorded session, plain or gzip; - for standard input",
};

export const SOURCE_OPTIONS: readonly CliOption[] = [
  {
    flags: "--from <format>",
    description: "format of the file",
    fallback: "auto",
    choices: ["auto", ...IMPORTERS.map(({ format }) => format)],
  },
  {
    flags: "--thread <number>",
    description: "which thread of a file that holds several, by position or name",
    fallback: "1",
  },
  {
    flags: "--max-size <bytes>",
    description: `maximum size of a file, and of a line in it, like 400m (default: ${defaultSizes()})`,
  },
];

/** Options of every command that folds a recorded session. */
export const FOLD_OPTIONS: readonly CliOption[] = [
  {
    flags: "--budget <tokens>",
    description: "tokens that the request may take, as --tokenizer counts them, like 100000 or 100k",
    fallback: "100000",
  },
  {
    flags: "--preset <name>",
    description: `policy: ${PRESETS.map(({ name }) => name).join(", ")}`,
    fallback: "threadfold",
  },
  { flags: "--format <format>", description: "request format", fallback: "anthropic", choices: FORMAT_NAMES },
  {
    flags: "--tokenizer <id>",
    description: `token counter: ${TOKENIZER_IDS.join(", ")}`,
    fallback: "character-classes",
  },
];

/** Parses which session to read. @throws ThreadfoldError `USAGE`. */
export function parseSource(file: string | undefined, options: CliCall["options"]): SourceRequest {
  const thread = placeOfThread(String(options["thread"]), "--thread");
  const limits = options["maxSize"] === undefined ? {} : sizeLimits(String(options["maxSize"]));
  return { file: file ?? "", from: options["from"] as SourceRequest["from"], thread, limits };
}

const SIZE_UNITS = "kmg";

/**
 * Returns both limits of an import from one size in bytes, such as `400m` or `1_000_000`. Large sessions are often a
 * single line of JSON, so whoever raises one limit means the other as well.
 */
function sizeLimits(text: string): ImportLimits {
  const [, digits = "", unit = ""] = /^(\d[\d_,]{0,15})([kmg]?)b?$/i.exec(text) ?? [];
  const size =
    Number(digits.replace(/[_,]/g, "")) * 1024 ** (unit === "" ? 0 : SIZE_UNITS.indexOf(unit.toLowerCase()) + 1);
  if (digits !== "" && size >= 1 && Number.isSafeInteger(size)) return { maxBytes: size, maxLineLength: size };
  throw new ThreadfoldError(
    "USAGE",
    `--max-size is ${JSON.stringify(text)}; it must be a number of bytes, 1 or higher.`,
    {
      hint: "Write it as 400m, 1g or 1_000_000.",
    },
  );
}

function defaultSizes(): string {
  const { maxBytes, maxLineLength } = DEFAULT_IMPORT_LIMITS;
  return `${maxBytes / 1024 ** 2}m, a line ${maxLineLength / 1024 ** 2}m`;
}

/**
 * Parses which thread of a file to read: a number is a position, any other text is the name of a thread in the file.
 *
 * @param name what the command calls the thread, for the error.
 * @throws ThreadfoldError `USAGE`.
 */
export function placeOfThread(text: string, name: string): number | string {
  const place = Number(text);
  if (text.trim() !== "" && Number.isNaN(place)) return text;
  if (text.trim() !== "" && Number.isSafeInteger(place) && place >= 1) return place;
  throw new ThreadfoldError(
    "USAGE",
    `${name} is ${JSON.stringify(text)}; it must be a whole number, 1 or higher, or a name.`,
  );
}
