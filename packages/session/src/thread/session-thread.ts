import {
  AgentThread,
  type Authority,
  asPinId,
  type CompactionPlan,
  type ContextCompactionConfig,
  type DetectedRules,
  type DurabilityOf,
  detectPinsInSteps,
  EventLoopTurns,
  type JsonValue,
  type MessageId,
  type MessageInput,
  type Pin,
  type PinId,
  type ProviderAwareTokenizer,
  type RuleCandidate,
  requireMessageList,
  type Steps,
  sha256,
  type ThreadEntry,
  type ThreadEntryInput,
  ThreadfoldError,
  type ThreadRanges,
  type ThreadStore,
  type ToolCallId,
  threadRules,
  type UnpinnedRules,
  unpinnedRules,
} from "@threadfold/core";
import { type ToolDeclaration, withDeterminism } from "@threadfold/strategies";
import { extendStateInSteps, type ThreadState, threadStateInSteps } from "@threadfold/turn";
import type { SessionRecorder } from "../journal/session-journal.ts";
import { SerialQueue } from "../waits/turn-queue.ts";

/** What a session's thread is kept with. */
export interface SessionThreadPorts {
  readonly threads: ThreadStore;
  readonly ranges?: ThreadRanges;
  readonly journal: SessionRecorder;
  readonly config: ContextCompactionConfig;
  readonly tokenizer: ProviderAwareTokenizer;
  readonly durabilityOf: DurabilityOf;
  readonly declaredTools?: readonly ToolDeclaration[];
  /** Called with standing constraints that stay unpinned because of the cap on detected pins. */
  readonly onPinsLeftOut?: (left: PinsLeftOut) => void;
  /** Called with what may be a rule in new messages, or may take one back. */
  readonly onCandidates?: (candidates: readonly RuleCandidate[]) => void;
}

/** Standing constraints that are not, or no longer, pinned since the newest messages. */
export interface PinsLeftOut {
  readonly messageIds: readonly MessageId[];
  readonly count: number;
  readonly tokens: number;
  readonly maxTokens: number;
}

/**
 * A session's thread: appends go to the store first and one after the other, and never wait for a fold (P8). Reading and
 * counting long messages lets the event loop turn.
 */
export class SessionThread {
  readonly #ports: SessionThreadPorts;
  readonly #queue = new SerialQueue();
  #state: ThreadState;
  #unpinned: UnpinnedRules | undefined;
  #isWriter = false;

  /** @param state the thread as it is when the session begins, counted. */
  constructor(state: ThreadState, ports: SessionThreadPorts) {
    this.#ports = ports;
    this.#state = state;
  }

  /** A thread, counted. @param plan the plan that it was resumed with, if it was. */
  static count(
    thread: AgentThread,
    { tokenizer, durabilityOf }: Pick<SessionThreadPorts, "tokenizer" | "durabilityOf">,
    plan?: CompactionPlan,
  ): Promise<ThreadState> {
    return new EventLoopTurns().finish(threadStateInSteps(thread, tokenizer, durabilityOf, plan));
  }

  /** Rules that detection found and that the cap on detected pins left out. Looks at what is new since it was last asked. */
  get unpinned(): readonly Pin[] {
    this.#unpinned = unpinnedRules(this.#state.thread, this.#unpinned);
    return this.#unpinned.rules;
  }

  /** The thread as this session knows it, counted. */
  get state(): ThreadState {
    return this.#state;
  }

  /** True once this session has appended something. */
  get isWriter(): boolean {
    return this.#isWriter;
  }

  /**
   * Appends messages, pins for the standing constraints among them, and liftings for those that they take back. @throws ThreadfoldError as
   * `AgentThread.append` and the store do; `ABORTED`, and nothing is appended.
   */
  async append(messages: readonly MessageInput[], signal?: AbortSignal): Promise<void> {
    requireMessageList(messages);
    const { config, onPinsLeftOut, onCandidates, declaredTools = [] } = this.#ports;
    let detected = NOTHING_DETECTED;
    let told = messages;
    const note = async (thread: AgentThread): Promise<void> => {
      told = await withDeterminism(messages, declaredTools, (callId) => recentInput(thread, callId));
    };
    const detect = (grown: AgentThread, fromOrdinal: number): Steps<DetectedRules> =>
      this.#detectPins(grown, fromOrdinal);
    await this.#extend(
      function* (before) {
        const grown = yield* before.appendEntriesInSteps(told.map((message) => ({ type: "message", message })));
        if (!config.detectPins) return grown;
        detected = yield* detect(grown, before.length);
        return yield* grown.appendEntriesInSteps(detected.entries);
      },
      {
        ids: messages.flatMap((message) => message?.id ?? []),
        ...(declaredTools.length > 0 && { first: note }),
        ...(signal !== undefined && { signal }),
      },
    );
    const { leftOut, candidates } = detected;
    if (leftOut.length > 0) onPinsLeftOut?.(this.#tellOf(leftOut));
    if (candidates.length > 0) onCandidates?.(candidates);
  }

  /** Pins a text and returns the pin's id. */
  async pin(text: string, authority: Authority): Promise<PinId> {
    let id: PinId | undefined;
    await this.#extend((thread) => {
      id = asPinId(`pin-${sha256(`${thread.version}\n${text}`).slice(0, 16)}`);
      return thread.appendEntries([{ type: "pin", pin: { id, text, authority, origin: "explicit" } }]);
    });
    return id as PinId;
  }

  /** Lifts a pin, or records that a candidate is not a rule. @throws ThreadfoldError `INVALID_PIN`. */
  async liftPin(pinId: PinId, authority: Authority, reason: string): Promise<void> {
    const lifting = { type: "pin-lifted", pinId, authority, reason } as const;
    if (!this.#isLive(pinId)) await this.load();
    await this.#extend((thread) => {
      const candidate = this.#isLive(pinId) ? undefined : candidateOf(thread, pinId);
      if (candidate === undefined) return thread.appendEntries([lifting]);
      const { id, text, authority: owner, source } = candidate;
      return thread.appendEntries([
        { type: "pin", pin: { id, text, authority: owner, origin: "detector", source } },
        { ...lifting, why: "not-a-rule" },
      ]);
    });
  }

  /** Adds what another writer appended. Only what is new is read, where the store can do that, and counted. */
  refresh(): Promise<void> {
    return this.#queue.run(async () => {
      const { thread } = this.#state;
      const added = await this.#addedSince(thread);
      const grow = (before: AgentThread) => before.appendEntriesInSteps(added);
      this.#state = (await new EventLoopTurns().finish(grownState(this.#state, thread, grow))) ?? this.#state;
    });
  }

  async #addedSince({ id, version }: AgentThread): Promise<readonly ThreadEntry[]> {
    const { threads, ranges } = this.#ports;
    if (ranges !== undefined) return ranges.loadRange(id, { fromVersion: version });
    return (await threads.load(id))?.entriesBetween(version) ?? [];
  }

  /** Brings the thread into memory as a whole. @throws what the store throws; `STORE_CORRUPT` when it is another thread. */
  load(): Promise<void> {
    return this.#queue.run(async () => {
      const { thread } = this.#state;
      if (thread.isWhole) return;
      const whole = await this.#ports.threads.load(thread.id, { atVersion: thread.version });
      if (whole?.digest !== thread.digest)
        throw new ThreadfoldError("STORE_CORRUPT", `Thread ${thread.id} is not the one that was resumed.`);
      this.#state = await SessionThread.count(whole, this.#ports);
    });
  }

  /** Goes on with a thread that was resumed anew; false when this session has gone on further than that. */
  take(thread: AgentThread, plan: CompactionPlan): Promise<boolean> {
    return this.#queue.run(async () => {
      if (thread.version < this.#state.thread.version) return false;
      this.#state = await SessionThread.count(thread, this.#ports, plan);
      this.#unpinned = undefined;
      return true;
    });
  }

  #extend(grow: Growth, { ids = [], first, signal }: Extension = {}): Promise<void> {
    return this.#queue.run(async () => {
      await first?.(this.#state.thread);
      const before = await this.#knowing(ids);
      try {
        await this.#grow(before, grow, signal);
      } catch (error) {
        if (signal?.aborted !== true || error !== signal.reason) throw error;
        throw new ThreadfoldError("ABORTED", "The append was aborted; nothing of it is kept.", { cause: error });
      }
    });
  }

  async #grow(before: AgentThread, grow: Growth, signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted();
    // Counted before it is stored: what cannot be counted is not appended.
    const state = await new EventLoopTurns().finish(grownState(this.#state, before, grow), signal);
    if (state === null) return;
    const { thread: after } = state;
    const entries: readonly ThreadEntryInput[] = after.entriesBetween(before.version);
    await this.#ports.threads.append(before.id, entries, {
      expectedVersion: before.version === 0 ? "no-thread" : before.version,
      ...(signal !== undefined && { signal }),
    });
    this.#state = state;
    this.#isWriter = true;
    await this.#ports.journal.entriesAppended(after);
  }

  /**
   * The thread, with those of the messages in memory that it has already: an id that comes again is not a new message.
   */
  async #knowing(ids: readonly MessageId[]): Promise<AgentThread> {
    const { thread } = this.#state;
    const { ranges } = this.#ports;
    if (thread.isWhole || ids.length === 0 || ranges === undefined) return thread;
    return thread.holding(await ranges.findMessages(thread.id, ids));
  }

  #isLive(pinId: PinId): boolean {
    return this.#state.thread.livePins.some(({ id }) => id === pinId);
  }

  #detectPins(grown: AgentThread, fromOrdinal: number): Steps<DetectedRules> {
    const { tokenizer } = this.#ports;
    return detectPinsInSteps(grown.messagesBetween(fromOrdinal), grown.livePins, {
      maxTokens: this.#maxPinTokens,
      countTokens: (text) => tokenizer.countTokens(text),
    });
  }

  #tellOf(leftOut: readonly Pin[]): PinsLeftOut {
    const tokens = leftOut.reduce((sum, { text }) => sum + this.#ports.tokenizer.countTokens(text), 0);
    const messageIds = [...new Set(leftOut.flatMap(({ source }) => source?.messageId ?? []))];
    return { messageIds, count: leftOut.length, tokens, maxTokens: this.#maxPinTokens };
  }

  get #maxPinTokens(): number {
    const { detectedPinMaxTokens, maxInputTokens } = this.#ports.config;
    return Math.min(detectedPinMaxTokens, Math.floor(maxInputTokens / 16));
  }
}

/** Returns a thread with what is new. */
type Growth = (thread: AgentThread) => AgentThread | Steps<AgentThread>;

/** What goes with a growth of the thread. */
interface Extension {
  /** The ids of the messages that are about to be appended. */
  readonly ids?: readonly MessageId[];
  /** What is done before. */
  readonly first?: (thread: AgentThread) => Promise<void>;
  readonly signal?: AbortSignal;
}

/** The thread's new state; null when nothing is new in it. */
function* grownState(state: ThreadState, before: AgentThread, grow: Growth): Steps<ThreadState | null> {
  const grown = grow(before);
  const after = grown instanceof AgentThread ? grown : yield* grown;
  return after === before ? null : yield* extendStateInSteps(state, after);
}

const NOTHING_DETECTED: DetectedRules = { entries: [], leftOut: [], candidates: [] };

const candidateOf = (thread: AgentThread, id: PinId): RuleCandidate | undefined =>
  threadRules(thread).candidates.find((candidate) => candidate.id === id);

/** How far back a call is looked for that a new result answers, in messages. */
const RECENT = 200;

function recentInput(thread: AgentThread, callId: ToolCallId): JsonValue | undefined {
  for (let ordinal = thread.length - 1; ordinal >= Math.max(0, thread.length - RECENT); ordinal--) {
    for (const part of thread.messageAt(ordinal)?.parts ?? [])
      if (part.type === "tool-call" && part.callId === callId) return part.input;
  }
  return undefined;
}
