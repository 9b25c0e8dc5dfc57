import { existsSync, readdirSync } from "node:fs";
import { join, relative, resolve } from "node:path";

/** A folder of the recorded data and the format of the sessions in it. */
const FOLDERS = [
  { folder: "pi", format: "pi" },
  { folder: "claude-code", format: "claude-code" },
  { folder: "trajectories/openai-chat", format: "openai-chat" },
  { folder: "trajectories/anthropic-messages", format: "anthropic-messages" },
] as const;

/** One recorded session. */
export interface RecordedFile {
  readonly path: string;
  /** Path below the data folder, for tables. */
  readonly name: string;
  readonly format: (typeof FOLDERS)[number]["format"];
}

/** Where the recorded sessions are: `THREADFOLD_DATA`, else beside the project. Null when there are none. */
export function dataFolder(): string | null {
  const folder = resolve(process.env["THREADFOLD_DATA"] ?? join(import.meta.dirname, "../../../../shared/data"));
  return existsSync(folder) ? folder : null;
}

/** Every recorded session of the formats that have an importer, in a fixed order. */
export function recordedFiles(folder: string): readonly RecordedFile[] {
  return FOLDERS.flatMap(({ folder: sub, format }) =>
    readdirSync(join(folder, sub), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && /\.(?:jsonl|json)(?:\.gz)?$/.test(entry.name))
      .map((entry) => join(entry.parentPath, entry.name))
      .sort()
      .map((path) => ({ path, name: relative(folder, path), format })),
  );
}
