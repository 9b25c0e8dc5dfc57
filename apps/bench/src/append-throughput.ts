import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync, type StatementSync } from "node:sqlite";
import type { ThreadEntryInput } from "@threadfold/core";
import { asThreadId, type MessageInput, openStore, type ThreadfoldStore } from "threadfold";
import { agentHistory, agentStep } from "./agent-step.ts";
import { spreadOf } from "./median.ts";

/**
 * Measures how fast a thread grows in SQLite, compared with a bare prepared `INSERT` of the same messages with the same
 * durability (P9). Both write one message per transaction, which is on disk when the call returns (WAL,
 * `synchronous=FULL`), into files that already hold 1 000 to 1 000 000 messages. They take turns in short blocks, so
 * that a slow moment of the disk affects both. `--json` prints one line per size.
 */
const SIZES = [1_000, 10_000, 100_000, 1_000_000];
const BLOCKS = 60;
const BLOCK = 50;
/** Blocks during which the write-ahead log of either file still grows; after them it is overwritten. */
const WARM_UP = 20;
const BATCH = 5_000;
/** Lines of a result. With these a step has about 600 tokens; those of recorded sessions have 500 to 1 500. */
const LINES = 40;
const THREAD = asThreadId("appended");

/** A way to store messages. */
interface Writer {
  fill(messages: readonly MessageInput[]): Promise<void>;
  write(message: MessageInput): Promise<void>;
  close(): Promise<void>;
}

async function ours(path: string): Promise<Writer> {
  const store: ThreadfoldStore = await openStore(`sqlite:${path}`);
  const append = (messages: readonly MessageInput[]) =>
    store.threads.append(
      THREAD,
      messages.map((message): ThreadEntryInput => ({ type: "message", message })),
      { expectedVersion: "any" },
    );
  return {
    fill: async (messages) => void (await append(messages)),
    write: async (message) => void (await append([message])),
    close: () => store.close(),
  };
}

/** The least that anyone would write who only wants the messages back: one table, one row per message, in order. */
function bare(path: string): Writer {
  const database = new DatabaseSync(path);
  database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
    CREATE TABLE messages (position INTEGER PRIMARY KEY, thread_id TEXT NOT NULL, body TEXT NOT NULL) STRICT;`);
  const insert: StatementSync = database.prepare("INSERT INTO messages (thread_id, body) VALUES (?, ?)");
  const write = (message: MessageInput): void => void insert.run(THREAD, JSON.stringify(message));
  return {
    fill: async (messages) => {
      database.exec("BEGIN");
      for (const message of messages) write(message);
      database.exec("COMMIT");
    },
    write: async (message) => write(message),
    close: async () => database.close(),
  };
}

/** Yields messages of steps that no history contains. */
function* fresh(): Generator<MessageInput> {
  for (let index = 10_000_000; ; index++) yield* agentStep(index, LINES);
}

async function timeBlock(writer: Writer, messages: readonly MessageInput[]): Promise<number> {
  const start = performance.now();
  for (const message of messages) await writer.write(message);
  return performance.now() - start;
}

async function measure(folder: string, size: number, history: readonly MessageInput[]) {
  const writers = { ours: await ours(join(folder, `ours-${size}.db`)), bare: bare(join(folder, `bare-${size}.db`)) };
  for (let from = 0; from < size; from += BATCH) {
    const batch = history.slice(from, Math.min(size, from + BATCH));
    await writers.ours.fill(batch);
    await writers.bare.fill(batch);
  }
  const source = fresh();
  const times = { ours: [] as number[], bare: [] as number[] };
  for (let block = 0; block < BLOCKS + WARM_UP; block++) {
    const messages = Array.from({ length: BLOCK }, () => source.next().value as MessageInput);
    // The order changes from block to block, so that disk work left over by one does not always hit the other.
    for (const name of block % 2 === 0 ? (["ours", "bare"] as const) : (["bare", "ours"] as const)) {
      const spent = await timeBlock(writers[name], messages);
      if (block >= WARM_UP) times[name].push(spent / BLOCK);
    }
  }
  await writers.ours.close();
  await writers.bare.close();
  const msPerAppend = spreadOf(times.ours).median;
  const bareMsPerInsert = spreadOf(times.bare).median;
  return { messages: size, msPerAppend, bareMsPerInsert, share: bareMsPerInsert / msPerAppend };
}

const json = process.argv.includes("--json");
const print = (data: unknown, text: string): unknown => process.stdout.write(`${json ? JSON.stringify(data) : text}\n`);
const only = process.argv.find((argument) => /^\d+$/.test(argument));
const sizes = only === undefined ? SIZES : SIZES.filter((size) => size <= Number(only));

const folder = mkdtempSync(join(tmpdir(), "threadfold-append-"));
try {
  const history = agentHistory(Math.max(...sizes));
  const results: Awaited<ReturnType<typeof measure>>[] = [];
  for (const size of sizes) {
    const result = await measure(folder, size, history);
    results.push(result);
    print(
      result,
      `${size.toLocaleString("en-US").padStart(9)} messages: ${(1_000 / result.msPerAppend).toFixed(0)} appends per second, ` +
        `${(result.share * 100).toFixed(0)} % of a bare INSERT (${(1_000 / result.bareMsPerInsert).toFixed(0)})`,
    );
  }
  const rates = results.map(({ msPerAppend }) => 1 / msPerAppend);
  const spread = 1 - Math.min(...rates) / Math.max(...rates);
  const lowestShare = Math.min(...results.map(({ share }) => share));
  print(
    { spread, lowestShare },
    `Flat within ${(spread * 100).toFixed(0)} %; at least ${(lowestShare * 100).toFixed(0)} % of a bare INSERT.`,
  );
} finally {
  rmSync(folder, { recursive: true, force: true });
}
