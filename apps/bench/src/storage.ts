import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { asThreadId, ContextSession, formatById, type MessageInput, openStore } from "threadfold";
import { AGENT_FRAME, agentStep, agentTask, stoppedClock } from "./agent-step.ts";
import { benchMachine } from "./bench-machine.ts";
import { keepResults } from "./bench-results.ts";
import { type StorageResults, type StorageSize, storageTable } from "./storage-table.ts";

/**
 * Measures the disk space of a thread as it grows: an agent of 100, 1 000 and 10 000 calls over SQLite, with its plans
 * and the journal of its requests, compared with a store that keeps the whole state of the conversation at every call,
 * or every request. Those two are computed and not written: their rows and indexes would come on top. `--json` prints
 * one line per size; numbers choose the sizes. A full run is kept for `bench:docs`.
 */
const CALLS = [100, 1_000, 10_000];
const BUDGET = 60_000;

const json = process.argv.includes("--json");
const chosen = process.argv.map(Number).filter((calls) => calls > 0);

async function measure(calls: number): Promise<StorageSize> {
  const folder = mkdtempSync(join(tmpdir(), "threadfold-storage-"));
  try {
    const session = await ContextSession.open({
      threadId: asThreadId("storage"),
      store: await openStore(`sqlite:${join(folder, "storage.db")}`),
      config: { maxInputTokens: BUDGET },
      format: formatById("anthropic-messages"),
      frame: AGENT_FRAME,
      clock: stoppedClock,
    });
    let [messageBytes, stateBytes, requestBytes] = [0, 0, 0];
    const append = async (messages: readonly MessageInput[]): Promise<void> => {
      await session.append(messages);
      messageBytes += messages.reduce((sum, message) => sum + Buffer.byteLength(JSON.stringify(message)), 0);
    };
    await append([agentTask]);
    for (let call = 0; call < calls; call++) {
      requestBytes += (await session.prepare()).bytes;
      await append(agentStep(call));
      stateBytes += messageBytes;
    }
    const folds = session.plan.version;
    await session.close();
    const storeBytes = readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0);
    return { calls, folds, messageBytes, storeBytes, stateBytes, requestBytes };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const sizes: StorageSize[] = [];
for (const calls of chosen.length > 0 ? chosen : CALLS) {
  const size = await measure(calls);
  sizes.push(size);
  if (json) process.stdout.write(`${JSON.stringify(size)}\n`);
}
if (chosen.length === 0) keepResults("storage", { machine: benchMachine(), sizes } satisfies StorageResults);
if (!json) process.stdout.write(`${storageTable(sizes)}\n`);
