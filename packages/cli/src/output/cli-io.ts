import type { Clock } from "@threadfold/core";

/** A stream for text, with the properties of its terminal. */
export interface CliOutput {
  write(text: string): unknown;
  /** True when the stream is a terminal. */
  readonly isTTY: boolean;
  /** Width in columns, if known. */
  readonly columns: number | undefined;
  /** The stream itself, on which a progress bar can draw. */
  readonly stream?: NodeJS.WritableStream;
}

/** Everything that the command uses of its process, so that tests can replace it. */
export interface CliIo {
  /** Opens standard input, which is not touched until a command reads it. Aborting the signal ends it with an error. */
  readonly stdin: () => AsyncIterable<Uint8Array>;
  /** Output of data, which another program may read. */
  readonly stdout: CliOutput;
  /** Messages and progress. */
  readonly stderr: CliOutput;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Aborted on Ctrl-C. */
  readonly signal: AbortSignal;
  readonly clock: Clock;
  /**
   * Runs a program with this process's streams and signals until it ends, and returns its exit code. The variables are
   * added to its environment.
   *
   * @throws ThreadfoldError `USAGE` for a program that cannot be started.
   */
  readonly runChild: (
    program: string,
    given: readonly string[],
    variables: Readonly<Record<string, string>>,
  ) => Promise<number>;
}
