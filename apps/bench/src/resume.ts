import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { spreadOf } from "./median.ts";
import { makeResumableStore } from "./resume-store.ts";

/**
 * Measures the cost of resuming a long thread (P9): a fresh process opens a SQLite store, opens a session and prepares
 * the next request. Threads of 1 000 and of 1 000 000 messages were folded once, to windows of the same size, and have
 * the same number of messages after the fold. Processes for the two threads alternate. `--json` prints one line per
 * size and the comparison at the end; a number sets the size of the long thread.
 */
const SHORT = 1_000;
const json = process.argv.includes("--json");
const long = Number(process.argv.find((argument) => /^\d+$/.test(argument)) ?? 1_000_000);
const ROUNDS = 7;

interface Resumed {
  readonly first: number;
  readonly later: readonly number[];
  readonly megabytes: number;
  readonly digest: string;
  readonly tokens: number;
}

const print = (data: unknown, text: string): unknown => process.stdout.write(`${json ? JSON.stringify(data) : text}\n`);

function resumeOnce(path: string): Resumed {
  const script = join(import.meta.dirname, "resume-child.ts");
  const output = execFileSync(process.execPath, ["--conditions=threadfold-source", script, path], { encoding: "utf8" });
  return JSON.parse(output) as Resumed;
}

const folder = mkdtempSync(join(tmpdir(), "threadfold-resume-"));
try {
  const threads: {
    messages: number;
    path: string;
    expected: Awaited<ReturnType<typeof makeResumableStore>>;
    runs: Resumed[];
  }[] = [];
  for (const messages of [SHORT, long]) {
    const path = join(folder, `${messages}.db`);
    const start = performance.now();
    const expected = await makeResumableStore(path, messages);
    const seconds = (performance.now() - start) / 1_000;
    const megabytes = statSync(path).size / 1e6;
    if (!json)
      process.stdout.write(
        `${messages.toLocaleString("en-US").padStart(9)} messages: store of ${megabytes.toFixed(0)} MB made in ${seconds.toFixed(0)} s\n`,
      );
    threads.push({ messages, path, expected, runs: [] });
  }
  for (let round = 0; round < ROUNDS; round++) for (const thread of threads) thread.runs.push(resumeOnce(thread.path));
  const results = threads.map(({ messages, expected, runs }) => ({
    messages,
    firstMs: spreadOf(runs.map(({ first }) => first)).median,
    laterMs: spreadOf(runs.flatMap(({ later }) => later)).median,
    megabytes: Math.max(...runs.map((run) => run.megabytes)),
    windowTokens: expected.tokens,
    sameRequest: runs.every(({ digest }) => digest === expected.digest),
  }));
  for (const result of results)
    print(
      result,
      `${result.messages.toLocaleString("en-US").padStart(9)} messages: ${result.firstMs.toFixed(0)} ms in a fresh process, ` +
        `${result.laterMs.toFixed(1)} ms again, at most ${result.megabytes.toFixed(0)} MB above idle ` +
        `(window ${result.windowTokens} tokens, ${result.sameRequest ? "the same request" : "A DIFFERENT REQUEST"})`,
    );
  const [a, b] = results as [(typeof results)[0], (typeof results)[0]];
  const ratio = b.firstMs / a.firstMs;
  const laterRatio = b.laterMs / a.laterMs;
  print(
    { ratio, laterRatio },
    `The long thread takes ${ratio.toFixed(2)} times as long, and ${laterRatio.toFixed(2)} times when resumed again.`,
  );
} finally {
  rmSync(folder, { recursive: true, force: true });
}
