import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";

/** What was compiled for the first child is reused by the others: starting them is most of the cost of these tests. */
const compiled = join(tmpdir(), `threadfold-compiled-${process.pid}`);

/** Removes what was compiled for children; for the `afterAll` of a file that starts some. */
export function removeCompiled(): void {
  rmSync(compiled, { recursive: true, force: true });
  bundles.clear();
}

/** Arguments with which every supported Node runs TypeScript: older ones need a flag, and call it experimental. */
export const SOURCE_ARGUMENTS: readonly string[] = [
  "--conditions=threadfold-source",
  "--experimental-strip-types",
  "--disable-warning=ExperimentalWarning",
];

const bundles = new Map<string, string>();

/**
 * Returns Node's arguments for running a test process, given its path within the sources, as one bundle, which starts
 * in half the time of its sources.
 */
export function nodeArguments(script: string, values: readonly string[]): readonly string[] {
  const source = fileURLToPath(new URL(`../${script}`, import.meta.url));
  const bundle = bundles.get(source) ?? bundleOf(source);
  bundles.set(source, bundle);
  return [bundle, ...values];
}

function bundleOf(source: string): string {
  const folder = join(compiled, basename(source, ".process.ts"));
  buildSync({
    entryPoints: { main: source },
    outdir: folder,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    // What a process imports only sometimes is a separate file.
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node22",
    conditions: ["threadfold-source"],
    banner: { js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);' },
    logLevel: "error",
  });
  return join(folder, "main.mjs");
}

/** Returns an environment in which children start quickly. */
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

/**
 * Waits for an output of a child, and fails if the child could not be started or ended before: the test would wait for
 * the output in vain.
 */
export async function unlessEnded<Result>(child: ChildProcess, awaited: Promise<Result>): Promise<Result> {
  let forget = (): void => undefined;
  const ended = new Promise<never>((_, reject) => {
    const tell = (code: number | null, signal: NodeJS.Signals | null): void =>
      reject(new Error(`The child ended with ${signal ?? code}.`));
    forget = () => void child.off("error", reject).off("exit", tell);
    child.once("error", reject).once("exit", tell);
  });
  try {
    return await Promise.race([awaited, ended]);
  } finally {
    forget();
  }
}

/** Collects what a child prints until it ends. Fails when it cannot be started. */
export function untilEnd(child: ChildProcess): Promise<EndedChild> {
  const printed = { stdout: "", stderr: "" };
  child.stdout?.on("data", (chunk) => (printed.stdout += chunk));
  child.stderr?.on("data", (chunk) => (printed.stderr += chunk));
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code, signal) => resolve({ code, signal, ...printed }));
  });
}

/** Runs a command to its end, in the environment of children. */
export const runChild = (command: string, values: readonly string[]): Promise<EndedChild> =>
  untilEnd(spawn(command, values, { stdio: ["ignore", "pipe", "pipe"], env: childEnvironment() }));
