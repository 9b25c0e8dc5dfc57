import { spawn } from "node:child_process";
import { once } from "node:events";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";

const AGENTS = fileURLToPath(new URL("../../scripted-agents/src/main.ts", import.meta.url));

/** A scripted agent of `npm run agents` that works in a separate process. */
export interface WorkingAgent {
  /** Returns the number of calls made so far. */
  calls(): number;
  readonly ended: Promise<unknown>;
  stop(): void;
}

/** Starts an agent that makes this number of calls and keeps its thread in a store. */
export function startAgent(store: string, calls: number): WorkingAgent {
  const script = ["--calls", String(calls), "--host", "anthropic-sdk", "--model", "claude-haiku-4-5", "--store", store];
  const agent = spawn(process.execPath, ["--conditions=threadfold-source", AGENTS, ...script], { stdio: "ignore" });
  return { calls: () => callsIn(store), ended: once(agent, "exit"), stop: () => void agent.kill("SIGKILL") };
}

/** Counts the requests in the journals of a store that another process writes. */
function callsIn(store: string): number {
  try {
    using database = new DatabaseSync(store, { readOnly: true });
    const row = database
      .prepare('SELECT count(*) AS calls FROM journal WHERE record LIKE \'%"type":"request-rendered"%\'')
      .get();
    return Number(row?.["calls"] ?? 0);
  } catch {
    return 0;
  }
}
