import { globSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { type RecordedSession, recordedSession } from "@threadfold/simulation";
import {
  asMessageId,
  asToolCallId,
  importSessionFile,
  type MessageInput,
  type Part,
  ThreadfoldError,
} from "threadfold";

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
  const imported = await importedFrom(path);
  return imported === null ? null : recordedSession(imported, name);
}

/** Returns what an importer reads from a file, or null if none recognizes it. */
export async function importedFrom(path: string): Promise<Awaited<ReturnType<typeof importSessionFile>> | null> {
  try {
    return await importSessionFile(path);
  } catch (problem) {
    if (ThreadfoldError.isInstance(problem)) return null;
    throw problem;
  }
}

/**
 * Returns the messages of recorded sessions, one session after another and again from the first, as one thread of this
 * many messages: their ids, and those of their calls, are numbered anew. System messages and side branches are left out.
 */
export async function joinedSessions(count: number): Promise<readonly MessageInput[]> {
  const sessions: (readonly MessageInput[])[] = [];
  for (const file of sessionFiles()) {
    const messages = (await importedFrom(file.path))?.messages ?? [];
    sessions.push(messages.filter(({ branch, role }) => branch === undefined && role !== "system"));
  }
  const joined: MessageInput[] = [];
  for (let at = 0; joined.length < count && sessions.some(({ length }) => length > 0); at++)
    for (const message of sessions[at % sessions.length] ?? [])
      joined.push({
        ...message,
        id: asMessageId(`m${joined.length}`),
        parts: message.parts.map((part) => ofRound(part, at)),
      });
  return joined.slice(0, count);
}

/** A part with the id of its call in this round of sessions. */
function ofRound(part: Part, round: number): Part {
  if (part.type === "tool-call") return { ...part, callId: asToolCallId(`${part.callId}-${round}`) };
  if (part.type !== "tool-result") return part;
  return { ...part, result: { ...part.result, callId: asToolCallId(`${part.result.callId}-${round}`) } };
}
