import { asThreadId, type Clock, type MessageInput, ThreadfoldError, type ThreadId } from "@threadfold/core";
import { type LiveFormat, type MessageReader, messageReader } from "@threadfold/importers";
import { type ContextSession, SerialQueue, systemClock } from "@threadfold/session";
import { alignmentOf, isSameMessage, positionOf } from "./alignment.ts";
import { checkDoor, followOn } from "./ask-model.ts";
import {
  type DivergenceOptions,
  historyDiverged,
  type OnDiverged,
  setCurrentSession,
  versionBefore,
  wayOf,
} from "./divergence.ts";

/** Options of {@link ThreadMirror}. */
export interface ThreadMirrorOptions extends DivergenceOptions {
  /** The session that mirrors the host's list. */
  readonly session: ContextSession;
  /** The form of the host's messages. */
  readonly format: LiveFormat;
  /** Opens the session of another branch of the conversation; by default, with the options of `session`. */
  readonly open?: (threadId: ThreadId) => Promise<ContextSession>;
  /** Prefix of the ids that are given to messages without one. The thread's id by default. */
  readonly seed?: string;
  /** Dates the messages. The machine's clock by default. */
  readonly clock?: Clock;
}

/** The result of a sync. */
export interface MirroredThread {
  /** The session that continues; a different one after the host's history diverged. */
  readonly session: ContextSession;
  /** The new messages, as appended to the thread. */
  readonly appended: readonly MessageInput[];
  /**
   * Position in the conversation of the list's first message; above 0 when the host passes only the end of the
   * conversation.
   */
  readonly offset: number;
}

/**
 * Messages that were read but are not yet in the thread. They are kept when the store fails, so that a retry appends
 * the same.
 */
interface Unwritten {
  readonly values: readonly unknown[];
  readonly messages: readonly MessageInput[];
}

const NOTHING: Unwritten = Object.freeze({ values: [], messages: [] });

/** How often a sync starts over when others append to the same thread. */
const TRIES = 5;

/**
 * Keeps a session's thread equal to a host's list of messages. The host manages its list as it likes and passes all of
 * it before each request, or only its end; only new messages are read and appended. Messages are treated as values: a
 * change that the host makes in place, without passing a new object, is not noticed.
 *
 * When the list diverges from the thread, as after an edited message or a regenerated answer, the mirror continues in
 * the thread of that branch (see {@link OnDiverged}). Messages that others appended to the same thread are taken into
 * account.
 *
 * Messages that are already in the thread when the mirror is created, as after a restart, are compared with the list
 * once; that loads the thread's history.
 */
export class ThreadMirror {
  readonly #options: ThreadMirrorOptions;
  readonly #clock: Clock;
  readonly #queue = new SerialQueue();
  #divergence: DivergenceOptions;
  #session: ContextSession;
  #reader: MessageReader;
  /**
   * The newest object that the host had at each position of its list that is in the thread; undefined when the list
   * must be compared.
   */
  #seen: unknown[] | undefined;
  #offset = 0;
  #unwritten = NOTHING;

  constructor(options: ThreadMirrorOptions) {
    checkDoor({ session: options.session });
    this.#options = options;
    this.#divergence = options;
    this.#clock = options.clock ?? systemClock;
    this.#session = options.session;
    this.#reader = this.#newReader();
  }

  /** The session that continues. */
  get session(): ContextSession {
    return this.#session;
  }

  /** Changes what happens when the history diverges; options that are left out keep their values. */
  follow(divergence: DivergenceOptions): void {
    this.#divergence = { ...this.#divergence, ...divergence };
  }

  /**
   * Appends what is new in the host's list, which is not modified. Concurrent calls run one at a time.
   *
   * @throws ThreadfoldError `HISTORY_DIVERGED` when the list diverges from the thread and `onDiverged` refuses it, or
   *   returns a thread that does not match the list either; `INVALID_MESSAGE` for a value that is not a message; what
   *   the store throws.
   */
  sync(values: readonly unknown[]): Promise<MirroredThread> {
    return this.#queue.run(() => this.#sync([...values]));
  }

  async #sync(values: readonly unknown[]): Promise<MirroredThread> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#syncOnce(values);
      } catch (error) {
        if (!isForeignAppend(error) || attempt === TRIES) throw error;
        // Another writer appended: its messages are compared with the list like any that were in the thread before.
        await this.#session.refresh();
        this.#seen = undefined;
        this.#unwritten = NOTHING;
      }
    }
  }

  async #syncOnce(values: readonly unknown[]): Promise<MirroredThread> {
    const written = await this.#write();
    if (this.#seen !== undefined && beginsWith(values, this.#seen)) this.#readFrom(values);
    else await this.#place(values);
    const appended = [...written, ...(await this.#write())];
    return { session: this.#session, appended, offset: this.#offset };
  }

  /** Remembers the newest objects of the mirrored messages and reads those that follow. */
  #readFrom(values: readonly unknown[]): void {
    const { length } = this.#seen ?? [];
    this.#seen = values.slice(0, length);
    const place = length + this.#unwritten.values.length;
    const fresh = values.slice(place);
    if (fresh.length === 0) return;
    try {
      const messages = this.#reader.read(fresh, { position: this.#offset + place, now: this.#clock.now() });
      this.#unwritten = {
        values: [...this.#unwritten.values, ...fresh],
        messages: [...this.#unwritten.messages, ...messages],
      };
    } catch (error) {
      // The reader has already assigned ids to the messages before the bad value. The next sync starts over.
      this.#seen = undefined;
      throw error;
    }
  }

  async #write(): Promise<readonly MessageInput[]> {
    const { values, messages } = this.#unwritten;
    if (messages.length > 0) await this.#session.append(messages);
    for (const value of values) this.#seen?.push(value);
    this.#unwritten = NOTHING;
    return messages;
  }

  /** Finds the list's position in the thread, or switches to the thread of its branch. */
  async #place(values: readonly unknown[]): Promise<void> {
    this.#seen = undefined;
    const position = await this.#adopt(values);
    if (position === undefined) return;
    const { onDiverged = "fork", onSwitch } = this.#divergence;
    const left = this.#session;
    if (onDiverged === "refuse") throw historyDiverged(left.threadId, position);
    const { session, isNew } = await this.#otherSession(onDiverged, position, values);
    this.#session = session;
    const still = await this.#adopt(values);
    if (still !== undefined) throw historyDiverged(session.threadId, still);
    setCurrentSession(this.#options.session, session);
    followOn(session, [left, this.#options.session]);
    try {
      onSwitch?.(Object.freeze({ session, left: left.threadId, isNew, position }));
    } catch {
      // A failing listener must not break anything.
    }
  }

  async #otherSession(
    onDiverged: Exclude<OnDiverged, "refuse">,
    position: number,
    values: readonly unknown[],
  ): Promise<{ readonly session: ContextSession; readonly isNew: boolean }> {
    const { session } = this;
    if (typeof onDiverged === "function") {
      const atVersion = versionBefore(session.thread, position);
      return { session: await onDiverged({ session, position, atVersion }), isNew: false };
    }
    const { session: first, open = (threadId) => first.openOther(threadId) } = this.#options;
    const { threadId, isNew } = await wayOf(session.store, session.threadId, this.#read(values));
    if (threadId !== first.threadId) return { session: await open(threadId), isNew };
    await first.refresh();
    return { session: first, isNew };
  }

  /**
   * Determines how much of the list is already in the thread and reads the rest. Returns the first position at which
   * they differ, if any.
   */
  async #adopt(values: readonly unknown[]): Promise<number | undefined> {
    await this.#session.loadHistory();
    const read = this.#read(values);
    const { offset, common, partedAt } = alignmentOf(this.#session.thread, read);
    if (partedAt !== undefined) return partedAt;
    const messages = offset === 0 ? read : this.#read(values, offset);
    const next = positionOf(messages[common]);
    const known = next === undefined ? values.length : next - offset;
    this.#offset = offset;
    this.#seen = values.slice(0, known);
    this.#unwritten = { values: values.slice(known), messages: messages.slice(common) };
    return undefined;
  }

  #read(values: readonly unknown[], position = 0): readonly MessageInput[] {
    this.#reader = this.#newReader();
    return this.#reader.read(values, { position, now: this.#clock.now() });
  }

  #newReader(): MessageReader {
    const { format, seed = this.#options.session.threadId } = this.#options;
    return messageReader(format, { seed });
  }
}

/** Another writer appended first: other entries, or other content under the id of the same position. */
const isForeignAppend = (error: unknown): boolean =>
  ThreadfoldError.isInstance(error) && (error.code === "VERSION_CONFLICT" || error.code === "DUPLICATE_MESSAGE_ID");

const beginsWith = (values: readonly unknown[], seen: readonly unknown[]): boolean =>
  values.length >= seen.length && seen.every((before, index) => isSameMessage(before, values[index]));

/** Opens the session of a thread. */
export type OpenSession = (threadId: ThreadId) => Promise<ContextSession>;

/** Options of {@link ThreadMirrors}. */
interface ThreadMirrorsOptions extends DivergenceOptions {
  readonly format: LiveFormat;
  /** How many sessions are kept open; the least recently used one is dropped first and reopened when it is needed. */
  readonly maxOpenSessions: number;
}

/** The mirrors of a host's threads, each opened when its thread is first used. */
export class ThreadMirrors {
  readonly #options: ThreadMirrorsOptions;
  readonly #open = new Map<string, Promise<ThreadMirror>>();

  constructor(options: ThreadMirrorsOptions) {
    this.#options = options;
  }

  /**
   * Returns the mirror of a thread, creating it on first use.
   *
   * @param open opens the session when the thread has no mirror yet, and later those of its other branches.
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

/**
 * Returns an opener for a single session: the session itself for its own thread, and sessions opened with its options
 * for other branches.
 */
export const openOneSession =
  (session: ContextSession): OpenSession =>
  async (threadId) =>
    threadId === session.threadId ? session : session.openOther(threadId);
