import {
  AgentThread,
  type Authority,
  asPinId,
  type CompactionPlan,
  type ContextCompactionConfig,
  countIds,
  type DetectedRules,
  type DurabilityOf,
  detectPinsInSteps,
  EventLoopTurns,
  type FoundMessage,
  type JsonValue,
  type Message,
  type MessageId,
  type MessageInput,
  type OrdinalRun,
  type Pin,
  type PinId,
  type ProviderAwareTokenizer,
  planRecords,
  type RuleCandidate,
  removesMessages,
  requireMessageList,
  runsOfSpan,
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
  unansweredIn,
  unpinnedRules,
} from "@threadfold/core";
import { type ToolDeclaration, withDeterminism } from "@threadfold/strategies";
import { extendStateInSteps, type ThreadState, threadStateInSteps } from "@threadfold/turn";
import type { SessionRecorder } from "../journal/session-journal.ts";
import { SerialQueue } from "../waits/turn-queue.ts";

/** What a session's thread depends on. */
export interface SessionThreadPorts {
  readonly threads: ThreadStore;
  readonly ranges?: ThreadRanges;
  readonly journal: SessionRecorder;
  readonly config: ContextCompactionConfig;
  readonly tokenizer: ProviderAwareTokenizer;
  readonly durabilityOf: DurabilityOf;
  readonly declaredTools?: readonly ToolDeclaration[];
  /** Called with standing constraints that are not pinned because of the cap on detected pins. */
  readonly onPinsLeftOut?: (left: PinsLeftOut) => void;
  /** Called with text in new messages that may be a rule, or may retract one. */
  readonly onCandidates?: (candidates: readonly RuleCandidate[]) => void;
}

/** Standing constraints that are not, or no longer, pinned after the newest messages. */
export interface PinsLeftOut {
  readonly messageIds: readonly MessageId[];
  readonly count: number;
  readonly tokens: number;
  readonly maxTokens: number;
}

/**
 * A session's thread. Appends run one at a time, are stored first, and never wait for a fold (P8). Reading and counting
 * long messages yields to the event loop.
 */
export class SessionThread {
  readonly #ports: SessionThreadPorts;
  readonly #queue = new SerialQueue();
  #state: ThreadState;
  #unpinned: UnpinnedRules | undefined;
  #isWriter = false;

  /** @param state the thread, counted, as it is when the session starts. */
  constructor(state: ThreadState, ports: SessionThreadPorts) {
    this.#ports = ports;
    this.#state = state;
  }

  /** Counts a thread. @param plan the plan that it was resumed with, if any. */
  static count(
    thread: AgentThread,
    { tokenizer, durabilityOf }: Pick<SessionThreadPorts, "tokenizer" | "durabilityOf">,
    plan?: CompactionPlan,
    apart?: readonly OrdinalRun[],
  ): Promise<ThreadState> {
    return new EventLoopTurns().finish(threadStateInSteps(thread, tokenizer, durabilityOf, plan, apart));
  }

  /** Detected rules that the cap on detected pins left out. Looks only at what is new since the last call. */
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
   * Appends messages, pins the standing constraints found in them, and lifts the pins of constraints that they retract.
   *
   * @throws ThreadfoldError as `AgentThread.append` and the store do; `ABORTED` when the signal was aborted and nothing
   * was appended.
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

  /**
   * Lifts a pin, or records that a candidate is not a rule.
   *
   * @throws ThreadfoldError `INVALID_PIN` when there is no such pin or candidate, or when the authority is too low.
   */
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

  /** Adds what another writer appended. Only new entries are counted and, if the store supports it, read. */
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

  /**
   * Loads the whole thread into memory.
   *
   * @throws what the store throws; `STORE_CORRUPT` when it is a different thread.
   */
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

  /** Takes more messages of a resumed thread into memory: those around some parts of what its plan hides. */
  hold(messages: readonly FoundMessage[], apart: readonly OrdinalRun[], plan: CompactionPlan): Promise<void> {
    return this.#queue.run(async () => {
      const held = this.#state.thread.holding(messages);
      this.#state = await SessionThread.count(held, this.#ports, plan, apart);
    });
  }

  /** Records how many tokens a plan hides, and which unanswered calls, for who resumes from it. */
  countHidden(plan: CompactionPlan): void {
    const { thread, ledger } = this.#state;
    const unanswered = unansweredIn(ledger);
    if (unanswered === undefined || unanswered.length > MOST_UNANSWERED) return;
    for (const record of planRecords(plan).filter(removesMessages)) {
      const runs = runsOfSpan(record.span, (id) => thread.messageInMemory(id)?.ordinal) ?? [];
      const counts = runs.flatMap(({ from, to }) => {
        const tokens = ledger.tokensIfKnown(from, to + 1);
        const open = unanswered.filter(({ ordinal }) => from <= ordinal && ordinal <= to);
        return tokens === undefined ? [] : [{ tokens, unanswered: open.map(({ callId }) => callId) }];
      });
      if (counts.length === runs.length)
        countIds(record.span.messageIds, { tokenizer: this.#ports.tokenizer.id, runs: counts });
    }
  }

  /** Continues with a thread that was resumed again; returns false when this session is already further on. */
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
        throw new ThreadfoldError("ABORTED", "The append was aborted; none of it was kept.", { cause: error });
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
   * Returns the thread, with those of the given messages loaded that it already has: a repeated id is not a new
   * message.
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
      earlier: recentMessages(grown, fromOrdinal),
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

/** Returns the thread with new entries. */
type Growth = (thread: AgentThread) => AgentThread | Steps<AgentThread>;

/** Options of extending the thread. */
interface Extension {
  /** The ids of the messages that are about to be appended. */
  readonly ids?: readonly MessageId[];
  /** Work to do first. */
  readonly first?: (thread: AgentThread) => Promise<void>;
  readonly signal?: AbortSignal;
}

/** Returns the thread's new state; null when nothing was added. */
function* grownState(state: ThreadState, before: AgentThread, grow: Growth): Steps<ThreadState | null> {
  const grown = grow(before);
  const after = grown instanceof AgentThread ? grown : yield* grown;
  return after === before ? null : yield* extendStateInSteps(state, after);
}

const NOTHING_DETECTED: DetectedRules = { entries: [], leftOut: [], candidates: [] };

const candidateOf = (thread: AgentThread, id: PinId): RuleCandidate | undefined =>
  threadRules(thread).candidates.find((candidate) => candidate.id === id);

/** Unanswered calls that are kept with a plan at most. */
const MOST_UNANSWERED = 256;

/** How far back to look for the call that a new result answers, in messages. */
const RECENT = 200;

/** The last messages before one, newest first; fewer where the thread was resumed after them. */
function* recentMessages(thread: AgentThread, before = thread.length): Iterable<Message> {
  try {
    for (let ordinal = before - 1; ordinal >= Math.max(0, before - RECENT); ordinal--)
      yield thread.messageAt(ordinal) as Message;
  } catch (problem) {
    if (!(ThreadfoldError.isInstance(problem) && problem.code === "HISTORY_NOT_LOADED")) throw problem;
  }
}

function recentInput(thread: AgentThread, callId: ToolCallId): JsonValue | undefined {
  for (const { parts } of recentMessages(thread))
    for (const part of parts) if (part.type === "tool-call" && part.callId === callId) return part.input;
  return undefined;
}
