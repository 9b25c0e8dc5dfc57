import {
  type AgentThread,
  type Authority,
  asPinId,
  type CompactionPlan,
  type ContextCompactionConfig,
  type DurabilityOf,
  detectPins,
  type MessageId,
  type MessageInput,
  type Pin,
  type PinId,
  type ProviderAwareTokenizer,
  requireMessageList,
  sha256,
  type ThreadEntryInput,
  ThreadfoldError,
  type ThreadRanges,
  type ThreadStore,
} from "@threadfold/core";
import type { SessionRecorder } from "../journal/session-journal.ts";
import { SerialQueue } from "../serial-queue.ts";
import { extendState, type ThreadState, threadState } from "./thread-state.ts";

/** What a session's thread is kept with. */
export interface SessionThreadPorts {
  readonly threads: ThreadStore;
  readonly ranges?: ThreadRanges;
  readonly journal: SessionRecorder;
  readonly config: ContextCompactionConfig;
  readonly tokenizer: ProviderAwareTokenizer;
  readonly durabilityOf: DurabilityOf;
  /** Hears of standing constraints that stay unpinned for the cap on detected pins. */
  readonly onPinsLeftOut?: (left: PinsLeftOut) => void;
}

/** Standing constraints that were found in new messages and not pinned. */
export interface PinsLeftOut {
  readonly messageIds: readonly MessageId[];
  readonly count: number;
  readonly tokens: number;
  readonly maxTokens: number;
}

/** A session's thread: appends go to the store first and one after the other, and never wait for a fold (P8). */
export class SessionThread {
  readonly #ports: SessionThreadPorts;
  readonly #queue = new SerialQueue();
  #state: ThreadState;

  /** @param plan the plan that the thread was resumed with, if it was. */
  constructor(thread: AgentThread, ports: SessionThreadPorts, plan?: CompactionPlan) {
    this.#ports = ports;
    this.#state = this.#count(thread, plan);
  }

  /** The thread as this session knows it, counted. */
  get state(): ThreadState {
    return this.#state;
  }

  /** Appends messages, and pins for the standing constraints among them. @throws ThreadfoldError as `AgentThread.append` and the store do. */
  async append(messages: readonly MessageInput[]): Promise<void> {
    requireMessageList(messages);
    const { config, onPinsLeftOut } = this.#ports;
    let leftOut: PinsLeftOut | null = null;
    await this.#extend(
      (before) => {
        const grown = before.append(messages);
        if (!config.detectPins) return grown;
        const detected = this.#detectPins(grown, before.length);
        const { pins } = detected;
        ({ leftOut } = detected);
        return pins.length === 0 ? grown : grown.appendEntries(pins.map((pin) => ({ type: "pin", pin })));
      },
      messages.flatMap((message) => message?.id ?? []),
    );
    if (leftOut !== null) onPinsLeftOut?.(leftOut);
  }

  /** Pins a text. */
  async pin(text: string, authority: Authority): Promise<PinId> {
    let id: PinId | undefined;
    await this.#extend((thread) => {
      id = asPinId(`pin-${sha256(`${thread.version}\n${text}`).slice(0, 16)}`);
      return thread.appendEntries([{ type: "pin", pin: { id, text, authority, origin: "explicit" } }]);
    });
    return id as PinId;
  }

  /** Lifts a pin. @throws ThreadfoldError `INVALID_PIN`. */
  liftPin(pinId: PinId, authority: Authority, reason: string): Promise<void> {
    return this.#extend((thread) => thread.appendEntries([{ type: "pin-lifted", pinId, authority, reason }]));
  }

  /** Takes in what another writer appended. Only what is new is counted. */
  refresh(): Promise<void> {
    return this.#queue.run(async () => {
      const { thread } = this.#state;
      const stored = await this.#ports.threads.load(thread.id);
      if (stored === null || stored.version <= thread.version) return;
      this.#state = extendState(this.#state, thread.appendEntries(stored.entriesBetween(thread.version)));
    });
  }

  /** Brings the thread into memory as a whole. @throws what the store throws; `STORE_CORRUPT` when it is another thread. */
  load(): Promise<void> {
    return this.#queue.run(async () => {
      const { thread } = this.#state;
      if (thread.isWhole) return;
      const whole = await this.#ports.threads.load(thread.id, { atVersion: thread.version });
      if (whole?.digest !== thread.digest)
        throw new ThreadfoldError("STORE_CORRUPT", `Thread ${thread.id} is not the one that was resumed.`);
      this.#state = this.#count(whole);
    });
  }

  /** Goes on with a thread that was resumed anew; false when this session has gone on further than that. */
  take(thread: AgentThread, plan: CompactionPlan): Promise<boolean> {
    return this.#queue.run(async () => {
      if (thread.version < this.#state.thread.version) return false;
      this.#state = this.#count(thread, plan);
      return true;
    });
  }

  /** @param ids of messages that are about to be appended. */
  #extend(grow: (thread: AgentThread) => AgentThread, ids: readonly MessageId[] = []): Promise<void> {
    return this.#queue.run(async () => {
      const before = await this.#knowing(ids);
      const after = grow(before);
      if (after === before) return;
      const entries: readonly ThreadEntryInput[] = after.entriesBetween(before.version);
      await this.#ports.threads.append(before.id, entries, {
        expectedVersion: before.version === 0 ? "no-thread" : before.version,
      });
      this.#state = extendState(this.#state, after);
      await this.#ports.journal.entriesAppended(after);
    });
  }

  /** The thread, with those of the messages in memory that it has already: an id that comes again is no new message. */
  async #knowing(ids: readonly MessageId[]): Promise<AgentThread> {
    const { thread } = this.#state;
    const { ranges } = this.#ports;
    if (thread.isWhole || ids.length === 0 || ranges === undefined) return thread;
    return thread.holding(await ranges.findMessages(thread.id, ids));
  }

  #count(thread: AgentThread, plan?: CompactionPlan): ThreadState {
    return threadState(thread, this.#ports.tokenizer, this.#ports.durabilityOf, plan);
  }

  #detectPins(
    grown: AgentThread,
    fromOrdinal: number,
  ): { readonly pins: readonly Pin[]; readonly leftOut: PinsLeftOut | null } {
    const { config, tokenizer } = this.#ports;
    const maxTokens = Math.min(config.detectedPinMaxTokens, Math.floor(config.maxInputTokens / 16));
    const leftOut: { readonly pin: Pin; readonly tokens: number }[] = [];
    const pins = detectPins(grown.messagesBetween(fromOrdinal), grown.livePins, {
      maxTokens,
      countTokens: (text) => tokenizer.countTokens(text),
      onLeftOut: (pin, tokens) => leftOut.push({ pin, tokens }),
    });
    if (leftOut.length === 0) return { pins, leftOut: null };
    const tokens = leftOut.reduce((sum, left) => sum + left.tokens, 0);
    const messageIds = [...new Set(leftOut.flatMap(({ pin }) => pin.source?.messageId ?? []))];
    return { pins, leftOut: { messageIds, count: leftOut.length, tokens, maxTokens } };
  }
}
