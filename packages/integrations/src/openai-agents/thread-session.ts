import type { AgentInputItem, Session } from "@openai/agents";
import {
  AgentThread,
  asMessageId,
  type Clock,
  type JsonObject,
  type JsonValue,
  type Message,
  type MessageInput,
  parseJson,
  ThreadfoldError,
  type ThreadId,
  type ThreadStore,
} from "@threadfold/core";
import { messageReader } from "@threadfold/importers";
import { SerialQueue, systemClock } from "@threadfold/session";
import { liveItem } from "./agent-items.ts";

/** Options of {@link ThreadSession}. */
export interface ThreadSessionOptions {
  /** Names the conversation; the same name opens it again. */
  readonly threadId: ThreadId;
  /** Where the items are stored: the `threads` of any Threadfold store. */
  readonly threads: ThreadStore;
  /** Dates the items. The machine's clock by default. */
  readonly clock?: Clock;
}

/** What a mark hides: the newest item, or all of them. */
type Mark = "pop" | "clear";

/** The branch that marks are on: no prompt shows it. */
const MARKS = "openai-agents-marks";
/** How often an append is tried when other processes append to the same thread. */
const TRIES = 5;

/**
 * A session of the Agents SDK whose items are messages of a thread. The thread only grows: items that `popItem` and
 * `clearSession` remove are hidden from the runner but stay in the log, as does the dated mark that hides them. Items
 * are returned as they were given. Give it a separate thread from the one that mirrors the model's input: the runner
 * stores what was said, and the model is sent what is folded.
 */
export class ThreadSession implements Session {
  readonly #threadId: ThreadId;
  readonly #threads: ThreadStore;
  readonly #clock: Clock;
  readonly #queue = new SerialQueue();
  #thread: AgentThread;
  #visible: readonly Message[] = [];

  constructor({ threadId, threads, clock = systemClock }: ThreadSessionOptions) {
    this.#threadId = threadId;
    this.#threads = threads;
    this.#clock = clock;
    this.#thread = AgentThread.empty(threadId);
  }

  getSessionId(): Promise<string> {
    return Promise.resolve(this.#threadId);
  }

  /** Returns the newest visible items, oldest first; all of them without a limit. */
  getItems(limit?: number): Promise<AgentInputItem[]> {
    return this.#queue.run(async () => {
      await this.#refresh();
      const from = limit === undefined ? 0 : Math.max(0, this.#visible.length - Math.max(0, limit));
      return this.#visible.slice(from).map(itemOf);
    });
  }

  /** Appends items. @throws what the store throws; `VERSION_CONFLICT` when others keep appending. */
  addItems(items: AgentInputItem[]): Promise<void> {
    return this.#queue.run(() => this.#append(() => items.map((item, index) => this.#itemMessage(item, index))));
  }

  /** Hides the newest item and returns it. @throws as {@link addItems} does. */
  popItem(): Promise<AgentInputItem | undefined> {
    return this.#queue.run(async () => {
      let popped: Message | undefined;
      await this.#append(() => {
        popped = this.#visible.at(-1);
        return popped === undefined ? [] : [this.#mark("pop")];
      });
      return popped && itemOf(popped);
    });
  }

  /** Hides all items. @throws as {@link addItems} does. */
  clearSession(): Promise<void> {
    return this.#queue.run(() => this.#append(() => (this.#visible.length === 0 ? [] : [this.#mark("clear")])));
  }

  /** Reads what other processes appended. */
  async #refresh(): Promise<void> {
    const stored = await this.#threads.load(this.#threadId);
    if (stored !== null && stored.version > this.#thread.version) this.#take(stored);
  }

  #take(thread: AgentThread): void {
    this.#visible = visibleAfter(this.#visible, thread.messagesBetween(this.#thread.length));
    this.#thread = thread;
  }

  /** @param messages called again to remake the messages when others appended in between. */
  async #append(messages: () => readonly MessageInput[]): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      if (attempt > 1 || this.#thread.version === 0) await this.#refresh();
      const { version } = this.#thread;
      const grown = this.#thread.append(messages());
      if (grown === this.#thread) return;
      try {
        const expectedVersion = version === 0 ? "no-thread" : version;
        await this.#threads.append(this.#threadId, grown.entriesBetween(version), { expectedVersion });
        return this.#take(grown);
      } catch (error) {
        if (!isConflict(error) || attempt === TRIES) throw error;
      }
    }
  }

  /**
   * One item is one message, so that each can be hidden separately. Its id is its position: the SDK may pass the same
   * item twice.
   */
  #itemMessage(item: AgentInputItem, index: number): MessageInput {
    const { id: _id, ...live } = liveItem(item);
    const reader = messageReader("openai-responses", { seed: this.#threadId });
    const position = this.#thread.length + index;
    const [message] = reader.read([live], { position, now: this.#clock.now() });
    if (message !== undefined) return { ...message, metadata: { item: plain(item) } };
    return { ...this.#empty(position), role: "user", parts: [], metadata: { item: plain(item) } };
  }

  #mark(mark: Mark): MessageInput {
    return {
      ...this.#empty(this.#thread.length),
      role: "user",
      parts: [{ type: "text", text: mark === "pop" ? "The newest item was taken back." : "The session was cleared." }],
      origin: "harness",
      branch: MARKS,
      metadata: { mark },
    };
  }

  #empty(position: number): Pick<MessageInput, "id" | "createdAt"> {
    return {
      id: asMessageId(`${this.#threadId}-${position}`),
      createdAt: new Date(this.#clock.now()).toISOString(),
    };
  }
}

/** The visible items after more of the log has been read. */
function visibleAfter(before: readonly Message[], added: readonly Message[]): readonly Message[] {
  const visible = [...before];
  for (const message of added) {
    if (message.branch !== MARKS) visible.push(message);
    else if (message.metadata?.["mark"] === "clear") visible.length = 0;
    else visible.pop();
  }
  return visible;
}

/** A copy of the item as it was given, which the SDK may modify. */
const itemOf = ({ metadata }: Message): AgentInputItem => structuredClone(metadata?.["item"]) as AgentInputItem;

/** An item as JSON represents it: without undefined fields. */
const plain = (item: AgentInputItem): JsonValue => parseJson(JSON.stringify(item)) as JsonObject;

const isConflict = (error: unknown): boolean =>
  error instanceof ThreadfoldError && (error.code === "VERSION_CONFLICT" || error.code === "DUPLICATE_MESSAGE_ID");
