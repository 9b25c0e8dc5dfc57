import { Readable } from "node:stream";
import { type CliOutput, runCli } from "@threadfold/cli";

/** What the command printed and how it ended. */
export interface CommandResult {
  readonly exitCode: number;
  readonly envelope: {
    readonly ok: boolean;
    readonly data?: unknown;
    readonly error?: { readonly code: string; readonly message: string };
  };
}

/** Calls the `threadfold` command in this process, through the entry that the bin calls. The arguments must ask for JSON. */
export async function callThreadfold(argv: readonly string[]): Promise<CommandResult> {
  const printed: string[] = [];
  const exitCode = await runCli(argv, {
    stdin: () => Readable.from([]),
    stdout: output((text) => printed.push(text)),
    stderr: output(() => undefined),
    env: {},
    signal: new AbortController().signal,
    clock: { now: () => Date.UTC(2026, 0, 1) },
  });
  return { exitCode, envelope: JSON.parse(printed.join("")) as CommandResult["envelope"] };
}

const output = (write: (text: string) => unknown): CliOutput => ({ write, isTTY: false, columns: undefined });
