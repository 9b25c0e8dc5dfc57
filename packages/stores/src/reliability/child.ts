import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** What the first child has compiled serves the others: starting them is most of what these tests cost. */
const compiled = join(tmpdir(), `threadfold-compiled-${process.pid}`);

/** Takes away what children have compiled; for `afterAll` of a file that starts some. */
export const removeCompiled = (): void => rmSync(compiled, { recursive: true, force: true });

/** How a process of the tests is run from its source, as arguments for Node. */
export const nodeArguments = (script: string, values: readonly string[]): readonly string[] => [
  "--conditions=threadfold-source",
  fileURLToPath(new URL(script, import.meta.url)),
  ...values,
];

/** The environment in which children start quickly. */
export function childEnvironment(): NodeJS.ProcessEnv {
  mkdirSync(compiled, { recursive: true });
  return { ...process.env, NODE_COMPILE_CACHE: compiled };
}

/** How a process ended, and what it printed. */
export interface EndedChild {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Collects what a child prints until it ends. */
export function untilEnd(child: ChildProcess): Promise<EndedChild> {
  const printed = { stdout: "", stderr: "" };
  child.stdout?.on("data", (chunk) => (printed.stdout += chunk));
  child.stderr?.on("data", (chunk) => (printed.stderr += chunk));
  return new Promise((resolve) => child.on("close", (code, signal) => resolve({ code, signal, ...printed })));
}

/** Runs a command to its end, with the environment of children. */
export const runChild = (command: string, values: readonly string[]): Promise<EndedChild> =>
  untilEnd(spawn(command, values, { stdio: ["ignore", "pipe", "pipe"], env: childEnvironment() }));
