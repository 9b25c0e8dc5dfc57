// Measures how many source files one must read to follow a turn: the files of ours in which some function runs while a
// session appends, prepares a request, and prepares one that folds. V8 itself counts them, on a SQLite store and
// Anthropic's format.
//
// npm run trace:turn [-- --json] [-- --files]
import { mkdtempSync, rmSync } from "node:fs";
import { Session } from "node:inspector/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { assistantMessage, asToolCallId, ContextSession, toolMessage, userMessage } from "threadfold";

/** The most files that each call may enter; exceeding this fails. */
const LIMITS = { append: 36, prepare: 116, fold: 215 };
const SOURCE = /\/packages\/[^/]+\/src\//;

const inspector = new Session();
inspector.connect();
await inspector.post("Profiler.enable");
await inspector.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });

/** Returns the files of ours that work enters, sorted. Code that runs while a module is loaded does not count. */
async function entered(work: () => Promise<unknown>): Promise<readonly string[]> {
  await inspector.post("Profiler.takePreciseCoverage");
  await work();
  const { result } = await inspector.post("Profiler.takePreciseCoverage");
  const run = result.filter(({ url, functions }) => SOURCE.test(url) && functions.some(isEntered));
  return run.map(({ url }) => fileURLToPath(url).replace(/^.*\/packages\//, "")).sort();
}

interface Counted {
  readonly functionName: string;
  readonly ranges: readonly { readonly startOffset: number; readonly count: number }[];
}

/** The function that spans a whole module is the loading of the module; it begins where the file does. */
const isEntered = ({ functionName, ranges }: Counted): boolean =>
  ranges.some(({ startOffset, count }) => count > 0 && !(functionName === "" && startOffset === 0));

/** Returns a tool call and its result. */
function exchange(step: number, words = 400) {
  const call = { callId: asToolCallId(`call-${step}`), toolName: "read_file" };
  return [
    assistantMessage([{ type: "tool-call", ...call, input: { path: `src/file-${step}.ts` } }]),
    toolMessage(call, `const value${step} = "word";\n`.repeat(words)),
  ];
}

const folder = mkdtempSync(join(tmpdir(), "threadfold-trace-"));
try {
  const session = await ContextSession.open({ store: join(folder, "threads.db"), config: { maxInputTokens: 20_000 } });
  await session.append([userMessage("Read every file of src, and never touch package-lock.json.")]);
  // Warm-up: what happens once in a session is not part of a turn.
  for (let step = 0; step < 3; step++) {
    await session.append(exchange(step, 10));
    await session.prepare();
  }
  const messages = exchange(10, 10);
  const append = await entered(() => session.append(messages));
  const prepare = await entered(() => session.prepare());
  for (let step = 20; step < 32; step++) await session.append(exchange(step));
  const fold = await entered(() => session.prepare());
  if (session.plan.version === 0) throw new Error("nothing was folded");
  await session.close();
  report({ append, prepare, fold });
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function report(calls: Readonly<Record<keyof typeof LIMITS, readonly string[]>>): void {
  const counts = Object.fromEntries(Object.entries(calls).map(([call, files]) => [call, files.length]));
  if (process.argv.includes("--json")) process.stdout.write(`${JSON.stringify(counts)}\n`);
  else
    for (const [call, files] of Object.entries(calls)) {
      process.stdout.write(`${call.padEnd(8)} enters ${files.length} files\n`);
      if (process.argv.includes("--files")) process.stdout.write(files.map((file) => `  ${file}\n`).join(""));
    }
  for (const [call, limit] of Object.entries(LIMITS)) {
    const { length } = calls[call as keyof typeof LIMITS];
    if (length <= limit) continue;
    process.stderr.write(`${call} enters ${length} files but may enter at most ${limit}.\n`);
    process.exitCode = 1;
  }
}
