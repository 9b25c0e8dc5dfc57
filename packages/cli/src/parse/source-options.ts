import { ThreadfoldError } from "@threadfold/core";
import { IMPORTERS, type ImportFormat } from "@threadfold/importers";
import type { CliArgument, CliCall, CliOption } from "../cli-command.ts";

/** Which recorded session is meant. */
export interface SourceRequest {
  readonly file: string;
  readonly from: ImportFormat | "auto";
  /** Which thread of a file that holds several, from 1. */
  readonly thread: number;
}

export const SOURCE_ARGUMENT: CliArgument = { name: "file", description: "recorded session, plain or gzip" };

export const SOURCE_OPTIONS: readonly CliOption[] = [
  {
    flags: "--from <format>",
    description: "format of the file",
    fallback: "auto",
    choices: ["auto", ...IMPORTERS.map(({ format }) => format)],
  },
  { flags: "--thread <number>", description: "which thread of a file that holds several", fallback: "1" },
];

/** Reads which session is meant. @throws ThreadfoldError `USAGE`. */
export function parseSource(file: string | undefined, options: CliCall["options"]): SourceRequest {
  const thread = Number(options["thread"]);
  if (!Number.isSafeInteger(thread) || thread < 1) {
    throw new ThreadfoldError(
      "USAGE",
      `--thread is ${JSON.stringify(options["thread"])}; it must be a whole number from 1.`,
    );
  }
  return { file: file ?? "", from: options["from"] as SourceRequest["from"], thread };
}
