import { type AgentThread, asThreadId, type Message } from "@threadfold/core";
import { type ImportedSession, importSession } from "@threadfold/importers";
import { ContextSession, type SessionOptions } from "@threadfold/session";
import type { BranchLog } from "./branch-log.ts";

/** Reads a branch that was written down. @throws ThreadfoldError as `importSession` does. */
export const importBranch = ({ text }: BranchLog, signal?: AbortSignal): Promise<ImportedSession> =>
  importSession(new TextEncoder().encode(text), { format: "pi", ...(signal !== undefined && { signal }) });

/**
 * Opens a session on the thread that a branch of pi continues, and appends what it does not have yet. In pi a user may go
 * back and take another way. A thread only grows, so that each way that leaves a thread behind gets one of its own, named
 * after the entry with which it parts.
 *
 * @throws ThreadfoldError as `ContextSession.open` and `append` do.
 */
export async function branchSession(
  imported: ImportedSession,
  options: Omit<SessionOptions, "threadId">,
): Promise<ContextSession> {
  let threadId = imported.threadId;
  for (;;) {
    const session = await ContextSession.open({ ...options, threadId });
    await session.loadHistory();
    const { length } = session.thread;
    const known = imported.messages.slice(0, length);
    const parting = known.findIndex(({ id }, index) => session.thread.messageAt(index)?.id !== id);
    if (parting === -1 && known.length === length) {
      await session.append(imported.messages.slice(length));
      return session;
    }
    threadId = asThreadId(`${imported.threadId}~${known[parting]?.id ?? `first-${known.length}`}`);
  }
}

/** The place of the first message that was read from a line or from one behind it; the thread's length when there is none. */
export function ordinalFrom(thread: AgentThread, line: number): number {
  const first = [...thread.messages].find(({ metadata }) => lineIn(metadata) >= line);
  return first?.ordinal ?? thread.length;
}

const lineIn = (metadata: Message["metadata"]): number =>
  (metadata?.["source"] as { readonly line?: number } | undefined)?.line ?? 0;
