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

/** What the renderer puts around each piece of rehydrated content, in tokens at the most. */
const FRAME_TOKENS = 80;

/** What a request may bring back, and for whom. */
interface RehydrationInput {
  readonly state: ThreadState;
  readonly plan: CompactionPlan;
  readonly artifacts: ArtifactStore;
  readonly rehydrations: RehydrationState;
  /** Tokens that the request has left below the cap. */
  readonly freeTokens: number;
  readonly maxArtifacts: number;
  readonly securityContext?: SecurityContext;
}

/**
 * Asks the interceptor what the newest assistant message of the main branch refers to, also when the user has spoken since:
 * the agent said what it wants, and its next request is the first that can bring it. What comes back is for the
 * next request alone. Steps count as turns, because an autonomous run may be one endless turn.
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

/** What a session folded, as it is at one moment. */
interface UnfoldingMoment {
  readonly state: ThreadState;
  readonly plan: CompactionPlan;
}

/** What was brought back so far, as it counts for the next request: only what the model has answered to. */
interface BroughtBack {
  readonly rehydrated: RehydrationState;
  readonly recalled: RehydrationState;
  readonly turn: TurnContext;
}

/** What the newest request shows, while nobody knows yet whether a model gets to see it. */
interface ShownOnce extends BroughtBack {
  /** Id of the newest answer that the thread had then; undefined when it had none. */
  readonly answer: MessageId | undefined;
}

/** What unfolding works with. */
export interface UnfoldingPorts {
  readonly index: RecallIndex;
  readonly artifacts: ArtifactStore;
  /** The same, for what the model asks for by itself. */
  readonly askedArtifacts: ArtifactStore;
  readonly config: ContextCompactionConfig;
  readonly tenantId: string | null;
  readonly securityContext?: SecurityContext;
  /** In the provider's tokens, like all figures here. */
  readonly countTokens: (text: string) => number;
  readonly clock: Clock;
  readonly onEvent?: CompactionEventListener;
  /** Thread and plan as they are when a tool is called. */
  readonly moment: () => UnfoldingMoment;
  /** Brings thread and plan into memory as a whole. */
  readonly loadHistory: () => Promise<void>;
  readonly ranges?: ThreadRanges;
  readonly vectors?: VectorSearch;
  /** Says of a thread whether this one, as far as it is in memory, refers to it. */
  readonly isReferenced: (threadId: ThreadId) => boolean;
  /** Answers a search from the threads that this one refers to; null where they have nothing. */
  readonly referenced?: (input: JsonValue, maxTokens: number) => Promise<SearchThreadResult | null>;
}

/** Entries that are read at a time when a long thread is indexed. */
const PAGE_ENTRIES = 1_000;
/** What is near in meaning may take on top of an answer. */
const nearTokens = (answerTokens: number): number => Math.floor(answerTokens * NEAR_SHARE);

/**
 * The ways back to what a session folded: by reference and by search on its own before a request, as tools for the
 * model, and for whoever asks. What comes back is for one request and is never appended.
 */
export class Unfolding {
  readonly #ports: UnfoldingPorts;
  readonly #interceptor: RehydrationInterceptor;
  readonly #strategy: RetrieveStrategy;
  /** What counts: a request that was never answered, such as one that met a rate limit, is made again as it was. */
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

  /** What the answers of `search_thread` took so far. */
  get answers(): RecallTotals {
    return this.#answers;
  }

  /** Tokens that one answer of `search_thread` takes at the most. */
  get answerLimit(): number {
    const { config, vectors } = this.#ports;
    const tokens = recallTokens(config.maxInputTokens);
    return vectors === undefined ? tokens : tokens + nearTokens(tokens);
  }

  /** True while content that was just brought back must not be taken away again. */
  get sparesRehydrated(): boolean {
    const { turn } = this.#settle();
    return this.#currentTurn(this.#shown?.turn ?? turn).shouldSkipAggressiveCompaction();
  }

  /**
   * What the newest assistant message refers to, and behind it what matches the last messages, within the tokens that a
   * request has free. Until the model has answered, the same comes back again: a retry is the same request.
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

  /** What was brought back in requests that were answered: with the thread's next answer the newest request counts. */
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

  /** Indexes a thread that is not in memory as a whole, page by page, and from there on what comes. */
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
   * The tools that a host gives to its model. Without a `securityContext` they read what belongs to this thread. What they return
   * goes into the log like any other result.
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
   * True for what belongs to the thread, to one that it refers to, or behind a pointer of its plan, which in a fork may be
   * its origin's. An id of the store is no secret: a page or a result may name any.
   */
  async #isOwn({ artifactId, metadata: { threadId, tenantId } }: Artifact): Promise<boolean> {
    const { moment, loadHistory, isReferenced } = this.#ports;
    const { state, plan } = moment();
    if (threadId === state.thread.id || pointersOf(plan).has(artifactId)) return true;
    if (tenantId !== this.#ports.tenantId) return false;
    await loadHistory();
    return isReferenced(threadId);
  }

  /** The answer, or that of a thread which this one refers to where there is none here. */
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

  /** What this turn has brought back so far; a new turn starts with nothing. */
  #currentTurn(known: TurnContext): TurnContext {
    const { turn } = this.#ports.moment().state.thread.position;
    return known.turn === turn ? known : TurnContext.start(turn);
  }
}

/** What the answers of `search_thread` took, in the provider's tokens. They are in the log like any other result once the host appends them. */
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
