import { spawn } from "node:child_process";
import { once } from "node:events";
import { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { runCli } from "@threadfold/cli";

const COMMAND = fileURLToPath(new URL("../../../packages/cli/src/main.ts", import.meta.url));
const TIME = Date.parse("2026-03-03T08:00:00.000Z");

interface Running {
  /** What the command printed for people. */
  readonly stderr: string;
  readonly code: number;
}

/** Runs a `threadfold` command in this process. */
async function run(argv: readonly string[], signal: AbortSignal, hear: (text: string) => void): Promise<Running> {
  let stderr = "";
  const silent = { write: () => undefined, isTTY: false, columns: 100 };
  const code = await runCli(argv, {
    stdin: () => Readable.from([]),
    stdout: silent,
    stderr: {
      ...silent,
      write: (text: string) => {
        stderr += text;
        hear(text);
      },
    },
    env: {},
    signal,
    clock: { now: () => TIME },
    runChild: () => Promise.reject(new Error("nothing is run here")),
  });
  return { stderr, code };
}

/** Runs a command to its end. @throws Error with the command's output, when it fails. */
export async function runCommand(...argv: readonly string[]): Promise<void> {
  const { code, stderr } = await run(argv, new AbortController().signal, () => undefined);
  if (code !== 0) throw new Error(`${argv[0]} exited with ${code}: ${stderr}`);
}

/** Writes a page as `inspect --out` does. @throws Error with the command's output, when it fails. */
export async function writePage(argv: readonly string[], path: string): Promise<string> {
  await runCommand("inspect", ...argv, "--out", path);
  return `file://${path}`;
}

/** A page that is served until it is closed. */
interface ServedPage {
  readonly url: string;
  close(): Promise<void>;
}

/** Serves a page as `inspect` does. */
export async function servePage(argv: readonly string[]): Promise<ServedPage> {
  const stop = new AbortController();
  const { promise: url, resolve, reject } = Promise.withResolvers<string>();
  const running = run(["inspect", ...argv], stop.signal, (text) => {
    const [found] = /http:\/\/\S+/.exec(text) ?? [];
    if (found !== undefined) resolve(found);
  });
  running.then(({ stderr }) => reject(new Error(`inspect exited: ${stderr}`)), reject);
  return {
    url: await url,
    close: async () => {
      stop.abort();
      await running;
    },
  };
}

/**
 * Serves a page in a separate process, as at a terminal. @throws Error with the command's output, when it ends early.
 */
export async function serveInProcess(argv: readonly string[]): Promise<ServedPage> {
  const child = spawn(process.execPath, ["--conditions=threadfold-source", COMMAND, "inspect", ...argv], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  const ended = once(child, "exit");
  const { promise: url, resolve, reject } = Promise.withResolvers<string>();
  let said = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    said += text;
    const [found] = /http:\/\/\S+/.exec(said) ?? [];
    if (found !== undefined) resolve(found);
  });
  ended.then(() => reject(new Error(`inspect exited: ${said}`)), reject);
  return {
    url: await url,
    close: async () => {
      child.kill("SIGINT");
      await ended;
    },
  };
}
