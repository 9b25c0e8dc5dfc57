import { ThreadfoldError } from "@threadfold/core";
import { formatById, type ProviderFormat } from "@threadfold/renderer";
import { type CompactionPreset, presetByName } from "@threadfold/strategies";
import type { CliCall } from "../cli-command.ts";
import { parseTokens } from "../parse/numbers.ts";
import { parseSource, type SourceRequest } from "../parse/source-options.ts";

/** What `compact` was asked for. */
export interface CompactRequest extends SourceRequest {
  /** Tokens that the request may take. */
  readonly budget: number;
  readonly preset: CompactionPreset;
  readonly format: ProviderFormat;
  readonly tokenizer: string;
  /** Where to keep everything; in memory when it is absent. */
  readonly store: string | undefined;
  /** Folder for the result's files. */
  readonly out: string | undefined;
  /** Text of a user message to put at the end. */
  readonly ask: string | undefined;
}

/** Reads what `compact` was called with. @throws ThreadfoldError `USAGE` or `INVALID_CONFIG`. */
export function parseCompactRequest({ arguments: [file], options }: CliCall): CompactRequest {
  const ask = optionalText(options["ask"]);
  if (ask?.trim() === "") throw new ThreadfoldError("USAGE", "--ask is blank; it must say something.");
  return {
    ...parseSource(file, options),
    budget: parseTokens("--budget", String(options["budget"])),
    preset: presetByName(String(options["preset"])),
    format: formatById(String(options["format"])),
    tokenizer: String(options["tokenizer"]),
    store: optionalPath("--store", options["store"]),
    out: optionalPath("--out", options["out"]),
    ask,
  };
}

const optionalText = (value: CliCall["options"][string]): string | undefined =>
  typeof value === "string" ? value : undefined;

function optionalPath(option: string, value: CliCall["options"][string]): string | undefined {
  if (value === "") throw new ThreadfoldError("USAGE", `${option} is empty; it must be a path.`);
  return optionalText(value);
}
