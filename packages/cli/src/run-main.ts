import type { ChildProcess } from "node:child_process";
import { constants } from "node:os";
import { addAbortSignal } from "node:stream";
import { ThreadfoldError } from "@threadfold/core";
import { EXIT_CODES } from "./command/exit-codes.ts";
import type { CliIo, CliOutput } from "./output/cli-io.ts";
import { runCli } from "./run-cli.ts";

/** How long an interrupted command may take to stop, in milliseconds. A read from a silent pipe never stops. */
const GRACE_MS = 2_000;

/**
 * Runs the command in this process: with its arguments, streams, signals and exit code.
 *
 * Ctrl-C asks the command to stop at a point where nothing is left half-written; a second one stops it immediately.
 * When the reader of the output goes away (`| head`), the command ends quietly.
 */
export async function runMain(): Promise<void> {
  const interrupts = new Interrupts();
  let exitCode: number = EXIT_CODES.ok;
  for (const stream of [process.stdout, process.stderr]) {
    stream.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "EPIPE") process.exit(exitCode);
      if (stream === process.stdout) process.stderr.write(unwritableOutput(error));
      process.exit(EXIT_CODES.failed);
    });
  }
  exitCode = await runCli(process.argv.slice(2), processIo(interrupts));
  // Not process.exit, which would cut off output that is still on its way to a pipe.
  process.exitCode = exitCode;
}

/** Returns what is printed when standard output cannot be written to, such as a file on a full disk. */
function unwritableOutput({ message: why }: Error): string {
  const { message, code, hint } = new ThreadfoldError(
    "OUTPUT_UNWRITABLE",
    `Standard output cannot be written: ${why}.`,
  );
  return `error: ${message} (${code})\nhint: ${hint}\n`;
}

/** Handles Ctrl-C and termination signals for this process. */
class Interrupts {
  readonly #interrupt = new AbortController();
  #child: ChildProcess | undefined;

  constructor() {
    for (const name of SIGNALS) process.on(name, () => this.#take(name));
  }

  get signal(): AbortSignal {
    return this.#interrupt.signal;
  }

  /** Leaves signals to a child process until it ends: the child decides what Ctrl-C does. */
  async leaveTo(child: ChildProcess): Promise<number> {
    const { promise, resolve, reject } = Promise.withResolvers<number>();
    child.once("error", reject);
    child.once("close", (code, signal) => resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal])));
    this.#child = child;
    try {
      return await promise;
    } finally {
      this.#child = undefined;
    }
  }

  #take(name: NodeJS.Signals): void {
    // A terminal sends Ctrl-C to the child as well; a kill reaches only this process.
    if (this.#child !== undefined) return void (name === "SIGTERM" && this.#child.kill(name));
    if (this.signal.aborted) return dieOf(name);
    this.#interrupt.abort();
    setTimeout(() => dieOf(name), GRACE_MS).unref();
  }
}

const SIGNALS: readonly NodeJS.Signals[] = ["SIGINT", "SIGTERM"];

/** Ends the process as the signal would without a listener. process.exit would wait for hanging reads. */
function dieOf(name: NodeJS.Signals): void {
  for (const each of SIGNALS) process.removeAllListeners(each);
  process.kill(process.pid, name);
}

function processIo(interrupts: Interrupts): CliIo {
  const { signal } = interrupts;
  const clock = { now: () => Date.now() };
  const stdin = () => addAbortSignal(signal, process.stdin);
  const runChild: CliIo["runChild"] = async (program, given, variables) => {
    // Loaded here rather than imported, because loading it takes longer than parsing the command line.
    const { spawn } = process.getBuiltinModule("node:child_process");
    const child = spawn(program, [...given], { stdio: "inherit", env: { ...process.env, ...variables } });
    try {
      return await interrupts.leaveTo(child);
    } catch (cause) {
      const { code = "unknown" } = cause as NodeJS.ErrnoException;
      const why = code === "ENOENT" ? "there is no such program (ENOENT)" : code;
      throw new ThreadfoldError("USAGE", `${program} cannot be started: ${why}.`, { cause });
    }
  };
  return {
    ...{ stdin, stdout: outputTo(process.stdout), stderr: outputTo(process.stderr), env: process.env },
    ...{ signal, clock, runChild },
  };
}

function outputTo(stream: NodeJS.WriteStream): CliOutput {
  return {
    write: (text) => stream.write(text),
    isTTY: stream.isTTY === true,
    get columns() {
      return stream.columns;
    },
    stream,
  };
}
