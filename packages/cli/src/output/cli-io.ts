import type { Clock } from "@threadfold/core";

/** A stream for text, and what is known of the terminal behind it. */
export interface CliOutput {
  write(text: string): unknown;
  /** True when a person looks at it. */
  readonly isTTY: boolean;
  /** Width in columns, when it is known. */
  readonly columns: number | undefined;
  /** The stream itself, where a progress bar may draw. */
  readonly stream?: NodeJS.WritableStream;
}

/** Everything the command touches of the process it runs in, so that tests can stand in for it. */
export interface CliIo {
  /** Opens standard input, which is left alone until a command reads it. Aborting the signal ends it with an error. */
  readonly stdin: () => AsyncIterable<Uint8Array>;
  /** Where data goes: what another program may read. */
  readonly stdout: CliOutput;
  /** Messages and progress. */
  readonly stderr: CliOutput;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal;
  readonly clock: Clock;
  /**
   * Runs a program with this process's streams and signals until it ends, and returns its exit code. Variables are added to
   * its environment.
   *
   * @throws ThreadfoldError `USAGE` for a program that cannot be started.
   */
  readonly runChild: (
    program: string,
    given: readonly string[],
    variables: Readonly<Record<string, string>>,
  ) => Promise<number>;
}
