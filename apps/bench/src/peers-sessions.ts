import { globSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { type RecordedSession, recordedSession } from "@threadfold/simulation";
import { importSessionFile, ThreadfoldError } from "threadfold";

const ROOT = resolve(import.meta.dirname, "../../..");
/** A second copy of a session that also exists in another format. */
const COPY = /(?:^|[/\\])derived-/;

/** A file with a recorded session. */
export interface SessionFile {
  readonly path: string;
  readonly name: string;
  /** Size on disk in bytes. */
  readonly size: number;
}

/**
 * Returns the recorded sessions of the data folder (`THREADFOLD_DATA`, or next to the project), or the project's own if
 * there are none; largest files first.
 */
export function sessionFiles(): readonly SessionFile[] {
  const data = resolve(process.env["THREADFOLD_DATA"] ?? join(ROOT, "../shared/data"));
  const recorded = filesIn(data);
  return recorded.length > 0 ? recorded : filesIn(join(ROOT, "examples/sessions"));
}

function filesIn(folder: string): readonly SessionFile[] {
  return globSync("**/*.{jsonl,json,traj,jsonl.gz,json.gz,traj.gz}", { cwd: folder })
    .filter((name) => !COPY.test(name))
    .map((name) => ({ path: join(folder, name), name, size: statSync(join(folder, name)).size }))
    .sort((a, b) => b.size - a.size || (a.name < b.name ? -1 : 1));
}

/** Returns the session in a file, or null if no importer recognizes it. */
export async function loadSession({ path, name }: SessionFile): Promise<RecordedSession | null> {
  try {
    return recordedSession(await importSessionFile(path), name);
  } catch (problem) {
    if (problem instanceof ThreadfoldError) return null;
    throw problem;
  }
}
