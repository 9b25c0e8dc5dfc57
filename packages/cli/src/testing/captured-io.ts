import { Readable } from "node:stream";
import type { CliIo } from "../output/cli-io.ts";
import { runCli } from "../run-cli.ts";

/** What a run of the command printed and how it ended. */
export interface CapturedRun {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CaptureOptions {
  readonly env?: CliIo["env"];
  /** Content of standard input, empty by default; null for one that stays open and silent. */
  readonly stdin?: string | null;
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly signal?: AbortSignal;
  /** Called with text printed on stderr while the command runs. */
  readonly onStderr?: (text: string) => void;
  /** The current time, in milliseconds. */
  readonly now?: () => number;
}

function standardInput({ stdin = "", signal }: CaptureOptions): Readable {
  if (stdin !== null) return Readable.from([Buffer.from(stdin)]);
  return new Readable({ read: () => undefined, ...(signal !== undefined && { signal }) });
}

/** Runs the command in this process and captures its output. */
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
    stdin: () => standardInput(options),
    stdout: output("stdout"),
    stderr: output("stderr"),
    env: options.env ?? {},
    signal: options.signal ?? new AbortController().signal,
    runChild: async () => {
      throw new Error("A program is run by the process, not here.");
    },
    clock: { now: options.now ?? (() => 1_700_000_000_000) },
  };
  const code = await runCli(argv, io);
  return { code, ...printed };
}
