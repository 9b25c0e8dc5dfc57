import { asThreadId, type ThreadId } from "@threadfold/core";
import type { LiveFormat } from "@threadfold/importers";
import type { ContextSession } from "@threadfold/session";
import type { DivergenceOptions } from "./divergence.ts";
import { ThreadMirror } from "./thread-mirror.ts";

/** Opens the session of a thread. */
export type OpenSession = (threadId: ThreadId) => Promise<ContextSession>;

/** How the threads of a host are mirrored. */
export interface ThreadMirrorsOptions extends DivergenceOptions {
  readonly format: LiveFormat;
  /** Sessions that are kept at a time; the one that was not used for longest is let go of first, and opened anew when it is needed. */
  readonly maxOpenSessions: number;
}

/** The mirrors of the threads of a host, each opened when the thread is first used. */
export class ThreadMirrors {
  readonly #options: ThreadMirrorsOptions;
  readonly #open = new Map<string, Promise<ThreadMirror>>();

  constructor(options: ThreadMirrorsOptions) {
    this.#options = options;
  }

  /**
   * @param open opens the session when the thread has no mirror yet, and those of its other ways later on.
   * @throws what opening the session throws; the next call tries again.
   */
  of(threadId: string, open: OpenSession): Promise<ThreadMirror> {
    const mirror = this.#open.get(threadId) ?? this.#mirror(threadId, open);
    this.#open.delete(threadId);
    this.#open.set(threadId, mirror);
    mirror.catch(() => this.#open.get(threadId) === mirror && this.#open.delete(threadId));
    for (const [idle] of this.#open) if (this.#open.size > this.#options.maxOpenSessions) this.#open.delete(idle);
    return mirror;
  }

  async #mirror(threadId: string, open: OpenSession): Promise<ThreadMirror> {
    const { maxOpenSessions: _limit, ...options } = this.#options;
    return new ThreadMirror({ ...options, open, session: await open(asThreadId(threadId)) });
  }
}

/** How one session is opened as if it were one of many: itself for its own thread, and alike for the other ways of it. */
export const openOneSession =
  (session: ContextSession): OpenSession =>
  async (threadId) =>
    threadId === session.threadId ? session : session.openOther(threadId);
