import { addAbortSignal } from "node:stream";
import { EXIT_CODES } from "./command/exit-codes.ts";
import type { CliIo, CliOutput } from "./output/cli-io.ts";
import { runCli } from "./run-cli.ts";

/** How long an interrupted command may take to stop, in milliseconds. A read from a silent pipe never does. */
const GRACE_MS = 2_000;

/**
 * Runs the command in this process: its arguments, its streams, its signals, and its exit code.
 *
 * Ctrl-C asks the command to stop where nothing is left half-written; a second one stops it at once. A reader that goes
 * away (`| head`) ends the command quietly.
 */
export async function runMain(): Promise<void> {
  const signal = interruptSignal();
  let exitCode: number = EXIT_CODES.ok;
  for (const stream of [process.stdout, process.stderr]) {
    stream.on("error", (error: NodeJS.ErrnoException) =>
      process.exit(error.code === "EPIPE" ? exitCode : EXIT_CODES.failed),
    );
  }
  exitCode = await runCli(process.argv.slice(2), processIo(signal));
  // Not process.exit: what is still on its way to a pipe would be cut off.
  process.exitCode = exitCode;
}

/** A signal that Ctrl-C or a polite kill aborts. */
function interruptSignal(): AbortSignal {
  const interrupt = new AbortController();
  const onSignal = (name: NodeJS.Signals) => {
    if (interrupt.signal.aborted) return dieOf(name);
    interrupt.abort();
    setTimeout(() => dieOf(name), GRACE_MS).unref();
  };
  for (const name of SIGNALS) process.on(name, onSignal);
  return interrupt.signal;
}

const SIGNALS: readonly NodeJS.Signals[] = ["SIGINT", "SIGTERM"];

/** Ends the process as the signal would have without a listener. A process.exit would wait for reads that hang. */
function dieOf(name: NodeJS.Signals): void {
  for (const each of SIGNALS) process.removeAllListeners(each);
  process.kill(process.pid, name);
}

function processIo(signal: AbortSignal): CliIo {
  const clock = { now: () => Date.now() };
  const stdin = () => addAbortSignal(signal, process.stdin);
  return { stdin, stdout: outputTo(process.stdout), stderr: outputTo(process.stderr), env: process.env, signal, clock };
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
