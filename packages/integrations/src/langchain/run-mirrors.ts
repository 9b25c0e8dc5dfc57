import { asThreadId, sha256, ThreadfoldError, type ThreadId } from "@threadfold/core";
import type { ContextSession } from "@threadfold/session";
import type { BaseMessage } from "langchain";
import type { OnDiverged } from "../mirror/divergence.ts";
import { ThreadMirror } from "../mirror/thread-mirror.ts";
import { liveMessage } from "./live-message.ts";

/** Opens the session of a thread. */
export type OpenSession = (threadId: ThreadId) => Promise<ContextSession>;

/** Where the sessions of runs come from. */
export interface RunMirrorsOptions {
  readonly open: OpenSession;
  /** Sessions that are kept open; the one that was not used for longest goes first. */
  readonly maxOpenSessions: number;
  readonly onDiverged?: OnDiverged;
}

/** The mirror of one thread of LangGraph. */
export interface RunMirror {
  /** Appends what is new, and gives the session to go on with. */
  sync(messages: readonly BaseMessage[]): Promise<ContextSession>;
}

/** The mirrors of the threads that runs are on, each opened when its first run comes. */
export class RunMirrors {
  readonly #options: RunMirrorsOptions;
  readonly #open = new Map<string, Promise<RunMirror>>();

  constructor(options: RunMirrorsOptions) {
    this.#options = options;
  }

  /** @throws what opening the session throws; the next call tries again. */
  of(threadId: string): Promise<RunMirror> {
    const mirror = this.#open.get(threadId) ?? this.#mirror(threadId);
    this.#open.delete(threadId);
    this.#open.set(threadId, mirror);
    mirror.catch(() => this.#open.get(threadId) === mirror && this.#open.delete(threadId));
    for (const [idle] of this.#open) if (this.#open.size > this.#options.maxOpenSessions) this.#open.delete(idle);
    return mirror;
  }

  async #mirror(threadId: string): Promise<RunMirror> {
    const { open, onDiverged } = this.#options;
    let newest: readonly BaseMessage[] = [];
    const fork: OnDiverged = ({ session, position, atVersion }) =>
      forkOf(session, wayId(session, position, newest), atVersion, open);
    const mirror = new ThreadMirror({
      session: await open(asThreadId(threadId)),
      format: "ai-sdk",
      onDiverged: onDiverged ?? fork,
    });
    return {
      sync: async (messages) => {
        newest = messages;
        return (await mirror.sync(messages.map(liveMessage))).session;
      },
    };
  }
}

/** Names another way after where it parts and what it goes on with, so that it is found again after a restart. */
function wayId({ threadId }: ContextSession, position: number, messages: readonly BaseMessage[]): ThreadId {
  const message = messages[position];
  const token = message === undefined ? "end" : sha256(message.id ?? message.text).slice(0, 12);
  return asThreadId(`${threadId}~${position}-${token}`);
}

async function forkOf(
  session: ContextSession,
  threadId: ThreadId,
  atVersion: number,
  open: OpenSession,
): Promise<ContextSession> {
  try {
    await session.fork({ threadId, atVersion });
  } catch (error) {
    // Taken already: the way that was gone before is gone on.
    if (!(error instanceof ThreadfoldError) || error.code !== "VERSION_CONFLICT") throw error;
  }
  return open(threadId);
}
