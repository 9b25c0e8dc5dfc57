import { existsSync, readdirSync } from "node:fs";
import { join, relative, resolve } from "node:path";

/**
 * A folder of the recorded data and the format of its sessions. `sample` is the number of sessions to run: those in one
 * folder are much alike, and every run takes time. `THREADFOLD_ALL_SESSIONS` runs them all.
 */
const FOLDERS: readonly { readonly folder: string; readonly format: string; readonly sample?: number }[] = [
  { folder: "pi", format: "pi" },
  { folder: "claude-code", format: "claude-code" },
  { folder: "trajectories/openai-chat", format: "openai-chat" },
  { folder: "trajectories/anthropic-messages", format: "anthropic-messages" },
  { folder: "codex", format: "codex" },
  { folder: "opencode", format: "opencode", sample: 2 },
  { folder: "trajectories/cline", format: "cline" },
  { folder: "trajectories/openhands-events", format: "openhands" },
  { folder: "trajectories/openhands-llm-logs", format: "openhands", sample: 2 },
  { folder: "trajectories/swe-agent", format: "swe-agent", sample: 3 },
  { folder: "trajectories/mini-swe-agent", format: "mini-swe-agent", sample: 3 },
  { folder: "trajectories/tau-bench", format: "tau-bench" },
  { folder: "ai-sdk-fixtures", format: "anthropic-messages or openai-responses" },
];

/** Rollouts in which the publisher left only usage reports: there are no messages to fold. */
const WITHOUT_MESSAGES = /codexbar-live-fork/;

/** One recorded session in the data folder. */
export interface RecordedFile {
  readonly path: string;
  /** Path relative to the data folder, for tables. */
  readonly name: string;
  readonly format: string;
}

/**
 * Returns the folder of the recorded sessions: `THREADFOLD_DATA`, or one next to the project. Null if it is missing.
 */
export function dataFolder(): string | null {
  const folder = resolve(process.env["THREADFOLD_DATA"] ?? join(import.meta.dirname, "../../../../shared/data"));
  return existsSync(folder) ? folder : null;
}

/** Returns every recorded session of the formats that have an importer, or a sample of them, in a fixed order. */
export function recordedFiles(folder: string): readonly RecordedFile[] {
  const isFull = process.env["THREADFOLD_ALL_SESSIONS"] !== undefined;
  return FOLDERS.flatMap(({ folder: sub, format, sample }) =>
    sampleOf(sessionsIn(join(folder, sub)), isFull ? undefined : sample).map((path) => ({
      path,
      name: relative(folder, path),
      format,
    })),
  );
}

function sessionsIn(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(?:jsonl|json|traj)(?:\.gz)?$/.test(entry.name))
    .filter((entry) => !WITHOUT_MESSAGES.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

/** Returns `sample` of the paths, evenly spread and including the first and the last. */
function sampleOf(paths: readonly string[], sample = paths.length): readonly string[] {
  const step = (paths.length - 1) / Math.max(1, sample - 1);
  const chosen = new Set(Array.from({ length: sample }, (_, index) => Math.round(index * step)));
  return paths.filter((_, index) => chosen.has(index));
}
