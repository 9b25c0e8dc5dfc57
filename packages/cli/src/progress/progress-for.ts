import type { CliIo } from "../cli-io.ts";
import { BarProgress } from "./bar-progress.ts";
import { LineProgress } from "./line-progress.ts";
import { type Progress, SILENT_PROGRESS } from "./progress.ts";

/** How the caller wants to be told. */
export interface ProgressWishes {
  readonly json: boolean;
  readonly quiet: boolean;
}

/** The progress that fits: none when quiet, a bar for a person at a terminal, else a line now and then. */
export function progressFor(io: CliIo, { json, quiet }: ProgressWishes): Progress {
  if (quiet) return SILENT_PROGRESS;
  const { stream } = io.stderr;
  const automatic = json || isSet(io.env["CI"]) || io.env["TERM"] === "dumb";
  if (stream !== undefined && io.stderr.isTTY && !automatic) return new BarProgress(stream, io.clock);
  return new LineProgress(io.stderr, io.clock);
}

const isSet = (value: string | undefined): boolean =>
  value !== undefined && value !== "" && value !== "0" && value !== "false";
