import { writeSync } from "node:fs";
import { flushCompileCache } from "node:module";
import { ThreadfoldError } from "@threadfold/core";
import { eraseSubject } from "../erasure/erase-subject.ts";
import { dropPlan, entry, metadata, OTHER_THREAD, START, THREAD, transcript } from "../laws/sample-data.ts";
import { openSqliteStore } from "../sqlite/sqlite-store.ts";

/** The outcome of one operation of a process whose system calls fail. */
export interface FaultedWord {
  readonly path: string;
  readonly step: "open" | "append" | "commit" | "artifact" | "other" | "erase" | "close";
  /** `acknowledged`, the code of a Threadfold error, or `untyped` and what was thrown. */
  readonly outcome: string;
}

// Performs the same operations on each of the given files, whatever fails, and reports the outcome of each.
const tell = (word: FaultedWord): void => void writeSync(1, `${JSON.stringify(word)}\n`);

async function attempt(path: string, step: FaultedWord["step"], work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
    tell({ path, step, outcome: "acknowledged" });
  } catch (error) {
    tell({ path, step, outcome: ThreadfoldError.isInstance(error) ? error.code : `untyped ${String(error)}` });
  }
}

for (const path of process.argv.slice(2)) {
  let store: Awaited<ReturnType<typeof openSqliteStore>> | undefined;
  await attempt(path, "open", async () => (store = await openSqliteStore(path)));
  if (store === undefined) continue;
  const { threads, plans, artifacts } = store;
  const open = store;
  const options = { expectedVersion: 0, idempotencyKey: "key" };
  await attempt(path, "append", () => threads.append(THREAD, transcript(4), options));
  await attempt(path, "commit", () => plans.commitPlan(THREAD, dropPlan([], { version: 1, threadVersion: 4 }), 0));
  await attempt(path, "artifact", () => artifacts.store("kept content", metadata()));
  await attempt(path, "other", () => threads.append(OTHER_THREAD, [entry(0), entry(1)], { expectedVersion: 0 }));
  await attempt(path, "erase", () => eraseSubject(open, OTHER_THREAD, { actor: "test", reason: "test", at: START }));
  await attempt(path, "close", () => open.close());
}
flushCompileCache();
