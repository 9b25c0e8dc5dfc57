import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { gunzipSync } from "node:zlib";
import { ContextSession, formatById, importSessionFile } from "threadfold";
import { spreadOf } from "./median.ts";

/**
 * Compares the cost of `compact` with reading, parsing and hashing the same file, alternating between them in one run:
 * warm, in this process, stage by stage; and cold, as whole processes. Prints medians; `--json` prints them for
 * machines.
 */
const ROUNDS = 15;
const WARM_UP = 5;
const COLD_ROUNDS = 7;
const BUDGET = 100_000;

const root = resolve(import.meta.dirname, "../../..");
const data = resolve(process.env["THREADFOLD_DATA"] ?? join(root, "../shared/data"));
const recorded = ["claude-code/entire-cli/cd-95adddad32-0.jsonl.gz", "pi/before-compaction.jsonl.gz"].map((name) =>
  join(data, name),
);
const files = [join(root, "examples/sessions/a-day-on-threadfold.jsonl"), ...recorded].filter((path) =>
  existsSync(path),
);

/** Reads, decompresses, parses every line and hashes: the minimum cost of looking at a file once. */
function baseline(path: string): void {
  const bytes = readFileSync(path);
  const text = (bytes[0] === 0x1f ? gunzipSync(bytes) : bytes).toString("utf8");
  for (const line of text.split("\n")) {
    try {
      if (line !== "") JSON.parse(line);
    } catch {
      // One recorded file has a line that is not JSON; the importer meets it too.
    }
  }
  createHash("sha256").update(text).digest("hex");
}

async function compact(
  path: string,
): Promise<{ readonly import: number; readonly append: number; readonly prepare: number }> {
  const start = performance.now();
  const imported = await importSessionFile(path);
  const read = performance.now();
  const session = await ContextSession.open({
    threadId: imported.threadId,
    config: { maxInputTokens: BUDGET },
    format: formatById("anthropic-messages"),
    frame: { system: imported.system, tools: imported.tools },
    // As the command does without --store: the memory store is gone when it ends.
    journal: false,
  });
  await session.append(imported.messages);
  const appended = performance.now();
  await session.prepare();
  return { import: read - start, append: appended - read, prepare: performance.now() - appended };
}

/** Collects garbage, so that neither pays for what the other left. */
function collectGarbage(): void {
  (globalThis as { gc?: () => void }).gc?.();
}

function timed(work: () => void): number {
  const start = performance.now();
  work();
  return performance.now() - start;
}

const BASELINE_PROCESS = `
const { readFileSync } = require("node:fs"); const bytes = readFileSync(process.argv[1]);
const text = (bytes[0] === 0x1f ? require("node:zlib").gunzipSync(bytes) : bytes).toString("utf8");
for (const line of text.split("\\n")) { try { if (line !== "") JSON.parse(line); } catch {} }
require("node:crypto").createHash("sha256").update(text).digest("hex");`;

async function measure(path: string) {
  const base: number[] = [];
  const stages: Awaited<ReturnType<typeof compact>>[] = [];
  for (let round = 0; round < WARM_UP + ROUNDS; round++) {
    collectGarbage();
    const least = timed(() => baseline(path));
    collectGarbage();
    const cost = await compact(path);
    if (round < WARM_UP) continue;
    base.push(least);
    stages.push(cost);
  }
  const total = stages.map((stage) => stage.import + stage.append + stage.prepare);
  const command = join(root, "packages/threadfold/bin/threadfold.mjs");
  const cold = { base: [] as number[], compact: [] as number[] };
  for (let round = 0; round < COLD_ROUNDS; round++) {
    cold.base.push(timed(() => execFileSync(process.execPath, ["-e", BASELINE_PROCESS, path])));
    cold.compact.push(
      timed(() => execFileSync(process.execPath, [command, "compact", path, "--json"], { maxBuffer: 1 << 28 })),
    );
  }
  return {
    file: path.slice(path.lastIndexOf("/") + 1),
    warm: {
      baseline: spreadOf(base),
      compact: spreadOf(total),
      ratio: spreadOf(total.map((figure, round) => figure / (base[round] as number))),
      stages: {
        import: spreadOf(stages.map((stage) => stage.import)),
        append: spreadOf(stages.map((stage) => stage.append)),
        prepare: spreadOf(stages.map((stage) => stage.prepare)),
      },
    },
    process: {
      baseline: spreadOf(cold.base),
      compact: spreadOf(cold.compact),
      ratio: spreadOf(cold.compact.map((figure, round) => figure / (cold.base[round] as number))),
    },
  };
}

const results: Awaited<ReturnType<typeof measure>>[] = [];
for (const path of files) results.push(await measure(path));
if (process.argv.includes("--json")) process.stdout.write(`${JSON.stringify(results, null, 2)}\n`);
else {
  for (const { file, warm, process: whole } of results) {
    const ms = (spread: { readonly median: number }): string => `${spread.median.toFixed(0)} ms`;
    process.stdout.write(
      `${file}\n` +
        `  warm, in one process: compact ${ms(warm.compact)}, read + parse + hash ${ms(warm.baseline)}, ratio ${warm.ratio.median.toFixed(1)}\n` +
        `    import ${ms(warm.stages.import)}, append ${ms(warm.stages.append)}, fold and render ${ms(warm.stages.prepare)}\n` +
        `  whole process: compact ${ms(whole.compact)}, read + parse + hash ${ms(whole.baseline)}, ratio ${whole.ratio.median.toFixed(1)}\n`,
    );
  }
}
