import { asThreadId, type Clock, type MessageInput, ThreadfoldError, type ThreadId } from "@threadfold/core";
import { type LiveFormat, type MessageReader, messageReader } from "@threadfold/importers";
import { type ContextSession, SerialQueue, systemClock } from "@threadfold/session";
import { alignmentOf, isSameMessage, positionOf } from "./alignment.ts";
import { followOn } from "./ask-model.ts";
import {
  type DivergenceOptions,
  historyDiverged,
  type OnDiverged,
  setCurrentSession,
  versionBefore,
  wayOf,
} from "./divergence.ts";

/** What a mirror is made with. */
export interface ThreadMirrorOptions extends DivergenceOptions {
  /** The conversation that mirrors the host's list. */
  readonly session: ContextSession;
  /** The form of the host's messages. */
  readonly format: LiveFormat;
  /** Opens the session of another branch of the conversation; as `session` was opened, by default. */
  readonly open?: (threadId: ThreadId) => Promise<ContextSession>;
  /** What the ids begin with that messages without one are given. The thread's id by default. */
  readonly seed?: string;
  /** Dates the messages. The machine's clock by default. */
  readonly clock?: Clock;
}

/** The result of a sync. */
export interface MirroredThread {
  /** The session that goes on; another one after the host's history diverged. */
  readonly session: ContextSession;
  /** The new messages, as the thread has them. */
  readonly appended: readonly MessageInput[];
  /** Place in the conversation of the list's first message: above 0 when the host hands in the end of it alone. */
  readonly offset: number;
}

/** What is read and not yet in the thread. It is kept while the store fails, so that trying again appends the same. */
interface Unwritten {
  readonly values: readonly unknown[];
  readonly messages: readonly MessageInput[];
}

const NOTHING: Unwritten = Object.freeze({ values: [], messages: [] });

/** How often a sync begins anew when others append to the same thread. */
const TRIES = 5;

/**
 * Keeps a session's thread equal to a host's list of messages. The host goes on with its list as it likes, and hands in
 * all of it before each request, or its end from some place on; only what is new is read and appended. Messages count as
 * values: one that the host changes in place, without handing in another object, is not seen to change.
 *
 * When the list diverges from the thread, as after an edited message or an answer that is made anew, the mirror goes on
 * in the thread of that branch (see {@link OnDiverged}). What others appended to the same thread is read.
 *
 * What stands in the thread already when the mirror is made, as after a restart, is compared once with the list; that
 * loads the thread's history.
 */
export class ThreadMirror {
  readonly #options: ThreadMirrorOptions;
  readonly #clock: Clock;
  readonly #queue = new SerialQueue();
  #divergence: DivergenceOptions;
  #session: ContextSession;
  #reader: MessageReader;
  /** The newest object that the host had at each place of its list that is in the thread; undefined when it is to be compared. */
  #seen: unknown[] | undefined;
  #offset = 0;
  #unwritten = NOTHING;

  constructor(options: ThreadMirrorOptions) {
    this.#options = options;
    this.#divergence = options;
    this.#clock = options.clock ?? systemClock;
    this.#session = options.session;
    this.#reader = this.#newReader();
  }

  /** The session that goes on. */
  get session(): ContextSession {
    return this.#session;
  }

  /** Changes what happens when the history diverges; an option that is left out stays as it was. */
  follow(divergence: DivergenceOptions): void {
    this.#divergence = { ...this.#divergence, ...divergence };
  }

  /**
   * Appends what is new in the host's list, of which nothing is changed. Calls are answered one after the other.
   *
   * @throws ThreadfoldError `HISTORY_DIVERGED` when the list diverges from the thread and `onDiverged` refuses it, or
   * chooses a thread that is not on that way either; `INVALID_MESSAGE` for a value that is not a message; what the
   * store throws.
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
        // Somebody else appended: what they said is compared with the list like anything that stood in the thread before.
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

  /** Remembers the newest objects of what is mirrored and reads what follows it. */
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
      // The reader has given out ids of what came before the bad value. The next sync begins anew.
      this.#seen = undefined;
      throw error;
    }
  }

  async #write(): Promise<readonly MessageInput[]> {
    const { values, messages } = this.#unwritten;
    if (messages.length > 0) await this.#session.append(messages);
    this.#seen?.push(...values);
    this.#unwritten = NOTHING;
    return messages;
  }

  /** Finds the place of the list in the thread, or the thread of the way that it is on. */
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
   * Finds out how much of the list the thread has already, and reads what it does not have. Returns the first place at
   * which they part, if they do.
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

/** Another writer appended first: other entries, or other content under the id of the same place. */
const isForeignAppend = (error: unknown): boolean =>
  ThreadfoldError.isInstance(error) && (error.code === "VERSION_CONFLICT" || error.code === "DUPLICATE_MESSAGE_ID");

const beginsWith = (values: readonly unknown[], seen: readonly unknown[]): boolean =>
  values.length >= seen.length && seen.every((before, index) => isSameMessage(before, values[index]));

/** Opens the session of a thread. */
export type OpenSession = (threadId: ThreadId) => Promise<ContextSession>;

/** How the threads of a host are mirrored. */
interface ThreadMirrorsOptions extends DivergenceOptions {
  readonly format: LiveFormat;
  /** How many sessions are kept open; the least recently used one is dropped first, and opened anew when it is needed. */
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

/** Lets one session stand for many: itself for its own thread, and sessions opened like it for the other ways. */
export const openOneSession =
  (session: ContextSession): OpenSession =>
  async (threadId) =>
    threadId === session.threadId ? session : session.openOther(threadId);
