import type { CliIo } from "../cli-io.ts";
import { runCli } from "../run-cli.ts";

/** What a run of the command printed and how it ended. */
export interface CapturedRun {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CaptureOptions {
  readonly env?: CliIo["env"];
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly signal?: AbortSignal;
  /** Hears what is printed on stderr while the command runs. */
  readonly onStderr?: (text: string) => void;
  /** What time it is, in milliseconds. */
  readonly now?: () => number;
}

/** Runs the command in this process and keeps what it prints. */
export async function captureRun(argv: readonly string[], options: CaptureOptions = {}): Promise<CapturedRun> {
  const printed = { stdout: "", stderr: "" };
  const output = (name: keyof typeof printed) => ({
    write: (text: string) => {
      printed[name] += text;
      if (name === "stderr") options.onStderr?.(text);
    },
    isTTY: options.isTTY ?? false,
    columns: options.columns,
  });
  const io: CliIo = {
    stdout: output("stdout"),
    stderr: output("stderr"),
    env: options.env ?? {},
    signal: options.signal ?? new AbortController().signal,
    clock: { now: options.now ?? (() => 1_700_000_000_000) },
  };
  const code = await runCli(argv, io);
  return { code, ...printed };
}
