import { basename } from "node:path";
import { ThreadfoldError } from "@threadfold/core";
import { IMPORTERS, type ImportFormat } from "@threadfold/importers";
import type { CliArgument, CliCall, CliOption } from "../cli-command.ts";

/** Which recorded session is meant. */
export interface SourceRequest {
  /** Path of the file, or {@link STANDARD_INPUT}. */
  readonly file: string;
  readonly from: ImportFormat | "auto";
  /** Which thread of a file that holds several: its place, from 1, or its name. */
  readonly thread: number | string;
}

/** Stands for standard input in the place of a file. */
export const STANDARD_INPUT = "-";

/** What a source is called on a page. */
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
    description: "which thread of a file that holds several, by place or name",
    fallback: "1",
  },
];

/** Reads which session is meant. @throws ThreadfoldError `USAGE`. */
export function parseSource(file: string | undefined, options: CliCall["options"]): SourceRequest {
  const thread = threadOf(String(options["thread"]));
  return { file: file ?? "", from: options["from"] as SourceRequest["from"], thread };
}

/** A number is a place; any other text is the name that the file gives the thread. */
function threadOf(text: string): number | string {
  const place = Number(text);
  if (text.trim() !== "" && Number.isNaN(place)) return text;
  if (text.trim() !== "" && Number.isSafeInteger(place) && place >= 1) return place;
  throw new ThreadfoldError(
    "USAGE",
    `--thread is ${JSON.stringify(text)}; it must be a whole number from 1, or a name.`,
  );
}
