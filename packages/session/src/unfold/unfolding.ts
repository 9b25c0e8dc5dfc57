import {
  type AgentThread,
  type Artifact,
  type ArtifactStore,
  type Clock,
  type CompactionEventListener,
  type CompactionPlan,
  type ContextCompactionConfig,
  type ContextCompactionEvent,
  type JsonValue,
  type Message,
  type MessageId,
  type RecallIndex,
  type RecallPage,
  type RecallRequest,
  type SecurityContext,
  type ThreadId,
  type ThreadRanges,
  tellListener,
} from "@threadfold/core";
import {
  NEAR_SHARE,
  NO_REHYDRATIONS,
  pointersOf,
  type ReadArtifactTool,
  RehydrationInterceptor,
  type RehydrationOutcome,
  type RehydrationResult,
  type RehydrationState,
  type RetrieveOutcome,
  RetrieveStrategy,
  readArtifactTool,
  recallTokens,
  type SearchThreadResult,
  type SearchThreadSources,
  type SearchThreadTool,
  searchThreadTool,
  TurnContext,
  type VectorSearch,
  vectorProblem,
} from "@threadfold/rehydration";
import type { ThreadState } from "@threadfold/turn";

/** Maximum tokens that the renderer adds around each piece of rehydrated content. */
const FRAME_TOKENS = 80;

/** What rehydrating a request depends on. */
interface RehydrationInput {
  readonly state: ThreadState;
  readonly plan: CompactionPlan;
  readonly artifacts: ArtifactStore;
  readonly rehydrations: RehydrationState;
  /** Tokens that the request leaves free below the cap. */
  readonly freeTokens: number;
  readonly maxArtifacts: number;
  readonly securityContext?: SecurityContext;
}

/**
 * Asks the interceptor what the newest assistant message of the main branch refers to, even if user messages followed:
 * the agent said what it wants, and its next request is the first that can bring it. The content is for the next
 * request only. Steps count as turns, because an autonomous run may be one endless turn.
 */
async function rehydrateRequest(
  interceptor: RehydrationInterceptor,
  turn: RehydrationInput,
): Promise<RehydrationOutcome> {
  const { state, plan, artifacts, rehydrations, freeTokens, maxArtifacts, securityContext } = turn;
  const message = newestAssistantMessage(state);
  const availableTokens = freeTokens - FRAME_TOKENS * maxArtifacts;
  if (message === undefined || pointersOf(plan).size === 0 || availableTokens <= 0) {
    return { results: [], blocked: [], state: rehydrations };
  }
  return interceptor.maybeRehydrate({
    agentMessage: message.parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n"),
    pendingToolCalls: message.parts.flatMap((part) => (part.type === "tool-call" ? [part] : [])),
    plan,
    artifactStore: artifacts,
    currentTurn: message.step,
    state: rehydrations,
    availableTokens,
    ...(securityContext !== undefined && { securityContext }),
  });
}

function newestAssistantMessage({ thread }: ThreadState): Message | undefined {
  for (let ordinal = thread.length - 1; ordinal >= 0; ordinal--) {
    const message = thread.messageAt(ordinal);
    if (message?.role === "assistant" && message.branch === undefined) return message;
  }
  return undefined;
}

/** A session's thread and plan at one moment. */
interface UnfoldingMoment {
  readonly state: ThreadState;
  readonly plan: CompactionPlan;
}

/** What was brought back so far, as far as it counts for the next request: only in requests that the model answered. */
interface BroughtBack {
  readonly rehydrated: RehydrationState;
  readonly recalled: RehydrationState;
  readonly turn: TurnContext;
}

/** What the newest request shows, while it is not known yet whether a model will see it. */
interface ShownOnce extends BroughtBack {
  /** Id of the newest answer that the thread had then; undefined when it had none. */
  readonly answer: MessageId | undefined;
}

/** What unfolding depends on. */
export interface UnfoldingPorts {
  readonly index: RecallIndex;
  readonly artifacts: ArtifactStore;
  /** The same, for reads that the model itself requests. */
  readonly askedArtifacts: ArtifactStore;
  readonly config: ContextCompactionConfig;
  readonly tenantId: string | null;
  readonly securityContext?: SecurityContext;
  /** Counts in the provider's tokens, like all figures here. */
  readonly countTokens: (text: string) => number;
  readonly clock: Clock;
  readonly onEvent?: CompactionEventListener;
  /** Returns thread and plan as of now. */
  readonly moment: () => UnfoldingMoment;
  /** Loads the whole thread and plan into memory. */
  readonly loadHistory: () => Promise<void>;
  readonly ranges?: ThreadRanges;
  readonly vectors?: VectorSearch;
  /** Checks whether this thread, as far as it is in memory, refers to another one. */
  readonly isReferenced: (threadId: ThreadId) => boolean;
  /** Answers a search from the threads that this one refers to; null when they have no match. */
  readonly referenced?: (input: JsonValue, maxTokens: number) => Promise<SearchThreadResult | null>;
}

/** Entries that are read at a time when a long thread is indexed. */
const PAGE_ENTRIES = 1_000;
/** Tokens that semantic matches may take in addition to an answer. */
const nearTokens = (answerTokens: number): number => Math.floor(answerTokens * NEAR_SHARE);

/**
 * The ways to bring back folded content: automatically before a request, by reference and by search; with tools for the
 * model; and by search for the host. Content that is brought back automatically is for one request and is never
 * appended.
 */
export class Unfolding {
  readonly #ports: UnfoldingPorts;
  readonly #interceptor: RehydrationInterceptor;
  readonly #strategy: RetrieveStrategy;
  /** What counts so far. A request that was not answered does not count, so it is prepared again unchanged. */
  #answered: BroughtBack = { rehydrated: NO_REHYDRATIONS, recalled: NO_REHYDRATIONS, turn: TurnContext.start(0) };
  #shown: ShownOnce | undefined;
  #indexed = 0;
  #answers: RecallTotals = NO_ANSWERS;

  constructor(ports: UnfoldingPorts) {
    const { config, countTokens, onEvent, vectors } = ports;
    const { enableRetrieval: enabled, autoRehydrateSensitivities: sensitivities } = config;
    this.#ports = ports;
    this.#interceptor = new RehydrationInterceptor(config, countTokens, onEvent);
    // Every event of a session names the same limit: its cap.
    const { maxInputTokens: budgetLimit } = config;
    const told = onEvent && ((event: ContextCompactionEvent) => onEvent({ ...event, budgetLimit }));
    this.#strategy = new RetrieveStrategy({ enabled, sensitivities }, vectors, told);
  }

  /** Totals of the `search_thread` answers so far. */
  get answers(): RecallTotals {
    return this.#answers;
  }

  /** Maximum tokens of one `search_thread` answer. */
  get answerLimit(): number {
    const { config, vectors } = this.#ports;
    const tokens = recallTokens(config.maxInputTokens);
    return vectors === undefined ? tokens : tokens + nearTokens(tokens);
  }

  /** True while content that was just brought back must not be folded away again. */
  get sparesRehydrated(): boolean {
    const { turn } = this.#settle();
    return this.#currentTurn(this.#shown?.turn ?? turn).shouldSkipAggressiveCompaction();
  }

  /**
   * Returns the content that the newest assistant message refers to, followed by what matches the last messages, within
   * the request's free tokens. Until the model has answered, the result stays the same, so that a retry is the same
   * request.
   */
  async forRequest(freeTokens: number): Promise<readonly RehydrationResult[]> {
    const { artifacts, config, moment, securityContext } = this.#ports;
    const before = this.#settle();
    const outcome = await rehydrateRequest(this.#interceptor, {
      ...moment(),
      artifacts,
      rehydrations: before.rehydrated,
      freeTokens,
      maxArtifacts: config.rehydrationMaxArtifactsPerTurn,
      ...(securityContext !== undefined && { securityContext }),
    });
    const taken = outcome.results.reduce((sum, { tokenCount }) => sum + tokenCount + FRAME_TOKENS, FRAME_TOKENS);
    const recalled = await this.#recall(freeTokens - taken, before.recalled);
    this.#shown = {
      answer: newestAssistantMessage(moment().state)?.id,
      rehydrated: outcome.state,
      recalled: recalled.state,
      turn: this.#currentTurn(before.turn).withRehydrated(outcome.results),
    };
    return [...outcome.results, ...recalled.results];
  }

  /**
   * Returns what was brought back in answered requests: once the thread has a new answer, the newest request counts.
   */
  #settle(): BroughtBack {
    const shown = this.#shown;
    if (shown === undefined || newestAssistantMessage(this.#ports.moment().state)?.id === shown.answer)
      return this.#answered;
    this.#answered = shown;
    this.#shown = undefined;
    return shown;
  }

  /** Finds passages of the thread, folded or not. @throws ThreadfoldError `INVALID_QUERY`. */
  async search(request: RecallRequest): Promise<RecallPage> {
    const { index, moment } = this.#ports;
    const { thread } = moment().state;
    if (thread.isWhole) await index.index(thread.id, thread.messagesBetween(this.#indexed));
    else await this.#indexPages(thread);
    this.#indexed = thread.length;
    return index.search(thread.id, request);
  }

  /** Indexes a thread that is only partly in memory: at first page by page from the store, later just what is new. */
  async #indexPages(thread: AgentThread): Promise<void> {
    const { index, ranges } = this.#ports;
    if (this.#indexed > 0) return index.index(thread.id, thread.messagesBetween(this.#indexed));
    for (let fromVersion = 0; fromVersion < thread.version; fromVersion += PAGE_ENTRIES) {
      const toVersion = Math.min(thread.version, fromVersion + PAGE_ENTRIES);
      const entries = (await ranges?.loadRange(thread.id, { fromVersion, toVersion })) ?? [];
      await index.index(
        thread.id,
        entries.flatMap((entry) => (entry.type === "message" ? [entry.message] : [])),
      );
    }
  }

  /**
   * Returns the tools for a host to offer to its model. Without a `securityContext` they only read what belongs to this
   * thread. The host appends their results like any others.
   */
  tools(): readonly [ReadArtifactTool, SearchThreadTool] {
    const { askedArtifacts, securityContext, loadHistory, countTokens } = this.#ports;
    const search = searchThreadTool(() => this.#searchSources());
    const execute: SearchThreadTool["execute"] = async (input) => {
      await loadHistory();
      const answer = await this.#orReferenced(await search.execute(input), input);
      this.#answers = withAnswer(this.#answers, countTokens(answer.text));
      return answer;
    };
    const isOwn = securityContext === undefined ? (artifact: Artifact) => this.#isOwn(artifact) : undefined;
    return [readArtifactTool(askedArtifacts, securityContext, isOwn), Object.freeze({ ...search, execute })];
  }

  /**
   * Checks whether an artifact belongs to the thread or to one that it refers to, or is the target of a pointer in its
   * plan, which in a fork may be its origin's. Needed because artifact ids are not secret: a web page or tool result
   * may name any.
   */
  async #isOwn({ artifactId, metadata: { threadId, tenantId } }: Artifact): Promise<boolean> {
    const { moment, loadHistory, isReferenced } = this.#ports;
    const { state, plan } = moment();
    if (threadId === state.thread.id || pointersOf(plan).has(artifactId)) return true;
    if (tenantId !== this.#ports.tenantId) return false;
    await loadHistory();
    return isReferenced(threadId);
  }

  /** Returns the answer, or if it found nothing, that of the threads that this one refers to. */
  async #orReferenced(answer: SearchThreadResult, input: JsonValue): Promise<SearchThreadResult> {
    if (answer.problem !== "no-match" && answer.problem !== "not-found") return answer;
    const { referenced, config } = this.#ports;
    return (await referenced?.(input, recallTokens(config.maxInputTokens))) ?? answer;
  }

  #searchSources(): SearchThreadSources {
    const { config, securityContext, vectors, onEvent } = this.#ports;
    const { maxInputTokens } = config;
    const sources = { ...this.#recallSources(), maxTokens: recallTokens(maxInputTokens) };
    const onProblem = (cause: unknown): void =>
      tellListener(onEvent, vectorProblem(cause, sources.thread.id, maxInputTokens));
    return {
      ...sources,
      ...(securityContext !== undefined && { requester: securityContext }),
      ...(vectors !== undefined && { near: { ...vectors, maxTokens: nearTokens(sources.maxTokens), onProblem } }),
    };
  }

  async #recall(availableTokens: number, state: RehydrationState): Promise<RetrieveOutcome> {
    const { config, tenantId, securityContext, clock, loadHistory } = this.#ports;
    if (!config.enableRetrieval) return { results: [], state };
    await loadHistory();
    const sources = this.#recallSources();
    return this.#strategy.retrieve({
      ...sources,
      tenantId,
      availableTokens,
      at: new Date(clock.now()).toISOString(),
      ttlSeconds: config.artifactTtlSeconds,
      currentTurn: sources.thread.position.step,
      state,
      ...(securityContext !== undefined && { securityContext }),
    });
  }

  #recallSources() {
    const { index, artifacts, countTokens, moment } = this.#ports;
    const { state, plan } = moment();
    return { index, artifacts, thread: state.thread, plan, countTokens };
  }

  /** What was brought back in the current turn so far; a new turn starts with nothing. */
  #currentTurn(known: TurnContext): TurnContext {
    const { turn } = this.#ports.moment().state.thread.position;
    return known.turn === turn ? known : TurnContext.start(turn);
  }
}

/** Totals of the `search_thread` answers, in the provider's tokens. The thread has them once the host appends them. */
export interface RecallTotals {
  readonly answers: number;
  readonly tokens: number;
  /** Tokens of the largest answer. */
  readonly mostTokens: number;
}

const NO_ANSWERS: RecallTotals = Object.freeze({ answers: 0, tokens: 0, mostTokens: 0 });

/** The totals with one more answer. */
const withAnswer = ({ answers, tokens, mostTokens }: RecallTotals, answer: number): RecallTotals =>
  Object.freeze({ answers: answers + 1, tokens: tokens + answer, mostTokens: Math.max(mostTokens, answer) });
