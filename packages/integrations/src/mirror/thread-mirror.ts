import { type Clock, canonicalJson, type JsonValue, type MessageInput } from "@threadfold/core";
import { type LiveFormat, livePositions, type MessageReader, messageReader } from "@threadfold/importers";
import { type ContextSession, SerialQueue, systemClock } from "@threadfold/session";
import { historyDiverged, type OnDiverged, versionBefore } from "./divergence.ts";
import { isSameMessage } from "./is-same-message.ts";
import { withoutCacheMarks } from "./without-cache-marks.ts";

/** What a mirror is made with. */
export interface ThreadMirrorOptions {
  readonly session: ContextSession;
  /** The form of the host's messages. */
  readonly format: LiveFormat;
  /** Called when the host's history changed; without it, that is an error. */
  readonly onDiverged?: OnDiverged;
  /** What ids begin with of messages without one of their own. The thread's id by default. */
  readonly seed?: string;
  /** Gives messages their time. The machine's clock by default. */
  readonly clock?: Clock;
}

/** What a sync came to. */
export interface MirroredThread {
  /** The session that goes on; another one after a divergence. */
  readonly session: ContextSession;
  /** What was new, as the thread has it. */
  readonly appended: readonly MessageInput[];
}

/** What is read and not yet in the thread. It is kept while the store fails, so that trying again appends the same. */
interface Unwritten {
  readonly values: readonly unknown[];
  readonly messages: readonly MessageInput[];
}

const NOTHING: Unwritten = Object.freeze({ values: [], messages: [] });

/**
 * Keeps a session's thread equal to a host's list of messages. The host goes on with its list as it likes, and hands in
 * all of it before each request; only what is new is read and appended. Messages count as values: one that the host
 * changes in place, without handing in another object, is not seen to change.
 *
 * What stands in the thread already when the mirror is made, as after a restart, is compared once with what the list
 * gives; that loads the thread's history.
 */
export class ThreadMirror {
  readonly #options: ThreadMirrorOptions;
  readonly #clock: Clock;
  readonly #queue = new SerialQueue();
  #session: ContextSession;
  #reader: MessageReader;
  /** The newest object that the host had at each position which is in the thread; undefined before the first sync. */
  #seen: unknown[] | undefined;
  #unwritten = NOTHING;

  constructor(options: ThreadMirrorOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#session = options.session;
    this.#reader = this.#newReader();
  }

  /** The session that goes on. */
  get session(): ContextSession {
    return this.#session;
  }

  /**
   * Appends what is new in the host's list, of which nothing is changed. Calls are answered one after the other.
   *
   * @throws ThreadfoldError `HISTORY_DIVERGED` when the list no longer begins with what is mirrored and `onDiverged` gives
   * no thread that it does begin with; `INVALID_MESSAGE` for a value that is no message; what the store throws.
   */
  sync(values: readonly unknown[]): Promise<MirroredThread> {
    return this.#queue.run(() => this.#sync([...values]));
  }

  async #sync(values: readonly unknown[]): Promise<MirroredThread> {
    const written = await this.#write();
    const parted = this.#seen === undefined ? await this.#adopt(values) : partedAt(this.#seen, values);
    if (parted === undefined) this.#readFrom(values);
    else await this.#goOnElsewhere(values, parted);
    return { session: this.#session, appended: [...written, ...(await this.#write())] };
  }

  /** Takes in the newest objects of what is mirrored and reads what stands behind it. */
  #readFrom(values: readonly unknown[]): void {
    const { length } = this.#seen ?? [];
    this.#seen = values.slice(0, length);
    const position = length + this.#unwritten.values.length;
    const fresh = values.slice(position);
    if (fresh.length === 0) return;
    try {
      const messages = this.#reader.read(fresh, { position, now: this.#clock.now() });
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

  async #goOnElsewhere(values: readonly unknown[], position: number): Promise<void> {
    const { onDiverged } = this.#options;
    const session = this.#session;
    if (onDiverged === undefined) throw historyDiverged(session.threadId, position);
    await session.loadHistory();
    this.#session = await onDiverged({ session, position, atVersion: versionBefore(session.thread, position) });
    this.#seen = undefined;
    const still = await this.#adopt(values);
    if (still !== undefined) throw historyDiverged(this.#session.threadId, still);
  }

  /**
   * Finds out what of the list the thread has already; what it does not have is read along, in the same breath. Gives the
   * first position at which they part, if they do.
   */
  async #adopt(values: readonly unknown[]): Promise<number | undefined> {
    const session = this.#session;
    await session.loadHistory();
    const { thread } = session;
    this.#reader = this.#newReader();
    const messages = this.#reader.read(values, { position: 0, now: this.#clock.now() });
    const held = [...thread.messagesBetween(0)].filter((message) => livePositions(message).length > 0);
    const common = commonLength(held, messages);
    const position = positionOf(messages[common]) ?? values.length;
    if (common < held.length) return Math.min(position, positionOf(held[common]) ?? position);
    this.#seen = values.slice(0, position);
    this.#unwritten = { values: values.slice(position), messages: messages.slice(common) };
    return undefined;
  }

  #newReader(): MessageReader {
    const { format, seed = this.#options.session.threadId } = this.#options;
    return messageReader(format, { seed });
  }
}

/** The first position at which the list is not what it was; undefined when it begins with all of it. */
function partedAt(seen: readonly unknown[], values: readonly unknown[]): number | undefined {
  const parted = seen.findIndex((before, index) => index >= values.length || !isSameMessage(before, values[index]));
  return parted === -1 ? undefined : parted;
}

/** How many messages two readings of a list have in common from their start. Ids may differ: a fork has other ones. */
function commonLength(held: readonly MessageInput[], read: readonly MessageInput[]): number {
  const parted = held.findIndex((message, index) => {
    const other = read[index];
    return other === undefined || contentOf(message) !== contentOf(other);
  });
  return parted === -1 ? held.length : parted;
}

const positionOf = (message: MessageInput | undefined): number | undefined => message && livePositions(message)[0];

const contentOf = ({ role, parts }: MessageInput): string =>
  canonicalJson(withoutCacheMarks({ role, parts }) as JsonValue);
