import {
  AgentThread,
  type Authority,
  asPinId,
  type Clock,
  type CompactionOutcome,
  type CompactionPlan,
  type ContextCompactionConfig,
  type ContextCompactionEvent,
  detectPins,
  type Explanation,
  emptyPlan,
  explainMessage,
  type MessageId,
  type MessageInput,
  overheadTokens,
  type Pin,
  type PinId,
  type ProviderAwareTokenizer,
  type Summarizer,
  sha256,
  type ThreadEntryInput,
  type ThreadfoldStore,
  type ThreadId,
  type TokenBudget,
  utilization,
} from "@threadfold/core";
import {
  NO_REHYDRATIONS,
  RehydrationInterceptor,
  type RehydrationResult,
  type RehydrationState,
  TurnContext,
} from "@threadfold/rehydration";
import { formatById, type ProviderFormat, payloadDigest } from "@threadfold/renderer";
import { type CompactionPreset, type FoldResult, foldThread } from "@threadfold/strategies";
import { ExtractiveSummarizer } from "@threadfold/summarizers";
import type { PreparedRequest } from "./prepared-request.ts";
import { rehydrateRequest } from "./rehydrate-request.ts";
import { requestBudget } from "./request-budget.ts";
import { EMPTY_FRAME, type RequestFrame } from "./request-frame.ts";
import { RequestRenderer } from "./request-renderer.ts";
import { SessionJournal } from "./session-journal.ts";
import type { SessionOptions } from "./session-options.ts";
import { type SessionParts, sessionParts } from "./session-parts.ts";
import { systemClock } from "./system-clock.ts";
import { extendState, type ThreadState, threadState } from "./thread-state.ts";

/** How often a fold is tried again when another writer committed first. */
const MAX_CONFLICTS = 3;

/** What a manual or automatic fold may be told. */
export interface CompactOptions {
  readonly frame?: RequestFrame;
  /** True to fold although no trigger fires, and to take any plan that frees something. */
  readonly force?: boolean;
  readonly instructions?: string;
  readonly signal?: AbortSignal;
}

/**
 * One conversation in an agent loop: append what was said, prepare the next request, and let folding happen in between.
 * The thread is only ever appended to; what the model sees is a plan over it.
 */
export class ContextSession {
  readonly threadId: ThreadId;
  readonly store: ThreadfoldStore;
  readonly config: ContextCompactionConfig;
  readonly format: ProviderFormat;
  readonly #preset: CompactionPreset;
  readonly #tokenizer: ProviderAwareTokenizer;
  readonly #summarizer: Summarizer;
  readonly #clock: Clock;
  readonly #options: SessionOptions;
  readonly #interceptor: RehydrationInterceptor;
  readonly #journal: SessionJournal;
  #frame: RequestFrame;
  #state: ThreadState;
  #plan: CompactionPlan;
  #rehydrations: RehydrationState = NO_REHYDRATIONS;
  #turn: TurnContext = TurnContext.start(0);

  private constructor(options: SessionOptions, parts: SessionParts, thread: AgentThread, plan: CompactionPlan) {
    this.threadId = options.threadId;
    this.store = parts.store;
    this.config = parts.config;
    this.format = options.format ?? formatById("anthropic-messages");
    this.#preset = parts.preset;
    this.#tokenizer = parts.tokenizer;
    this.#summarizer = options.summarizer ?? new ExtractiveSummarizer();
    this.#clock = options.clock ?? systemClock;
    this.#options = options;
    this.#journal = new SessionJournal(parts.store, options.threadId, options.tenantId ?? null, this.#clock);
    this.#interceptor = new RehydrationInterceptor(parts.config, parts.tokenizer, options.onEvent);
    this.#frame = options.frame ?? EMPTY_FRAME;
    this.#state = threadState(thread, parts.tokenizer, parts.durabilityOf);
    this.#plan = plan;
  }

  /**
   * Opens a session on a thread: an existing one as the store has it, or a new one.
   *
   * @throws ThreadfoldError `INVALID_CONFIG`, or what the store throws.
   */
  static async open(options: SessionOptions): Promise<ContextSession> {
    const parts = sessionParts(options);
    const thread = (await parts.store.threads.load(options.threadId)) ?? AgentThread.empty(options.threadId);
    const { plan } = await parts.store.plans.getCurrentPlan(options.threadId);
    return new ContextSession(options, parts, thread, plan ?? emptyPlan(options.threadId, parts.config.policyVersion));
  }

  /** The thread as this session knows it. */
  get thread(): AgentThread {
    return this.#state.thread;
  }

  /** The plan that the next request is rendered with. */
  get plan(): CompactionPlan {
    return this.#plan;
  }

  /**
   * Appends messages, and pins for the standing constraints among them.
   *
   * @throws ThreadfoldError `VERSION_CONFLICT` when another writer appended first, or what `AgentThread.append` throws.
   */
  async append(messages: readonly MessageInput[]): Promise<void> {
    const before = this.#state.thread;
    const grown = before.append(messages);
    const pins = this.config.detectPins ? this.#detectPins(grown, before.length) : [];
    await this.#store(
      before,
      pins.length === 0 ? grown : grown.appendEntries(pins.map((pin) => ({ type: "pin", pin }))),
    );
  }

  /** Makes a text stay in every request, word for word, until it is lifted by equal or higher authority. */
  async pin(text: string, authority: Authority = "user"): Promise<PinId> {
    const { thread } = this.#state;
    const id = asPinId(`pin-${sha256(`${thread.version}\n${text}`).slice(0, 16)}`);
    await this.#store(
      thread,
      thread.appendEntries([{ type: "pin", pin: { id, text, authority, origin: "explicit" } }]),
    );
    return id;
  }

  /** Lifts a pin. @throws ThreadfoldError `INVALID_PIN` when there is none or the authority is too low. */
  async liftPin(pinId: PinId, authority: Authority, reason: string): Promise<void> {
    const { thread } = this.#state;
    await this.#store(thread, thread.appendEntries([{ type: "pin-lifted", pinId, authority, reason }]));
  }

  /**
   * Makes the next request: folds first when the trigger fires, renders, checks, and records the request's digest.
   *
   * @throws ThreadfoldError `ILLEGAL_REQUEST` when the rendered request breaks a rule of the provider.
   */
  async prepare(
    options: { readonly frame?: RequestFrame; readonly signal?: AbortSignal } = {},
  ): Promise<PreparedRequest> {
    if (options.frame !== undefined) this.#frame = options.frame;
    const outcome = await this.compact(options);
    return this.render(outcome, await this.#rehydrate());
  }

  /** Renders the request under the current plan, without folding, and records its digest. `rehydrated` is shown in it alone. */
  async render(
    outcome: CompactionOutcome | null = null,
    rehydrated: readonly RehydrationResult[] = [],
  ): Promise<PreparedRequest> {
    const { rendering, payload, verification } = this.#rendererWith(rehydrated).render(this.#plan);
    const { text, digest, bytes } = payloadDigest(payload);
    const prepared: PreparedRequest = {
      format: this.format.id,
      request: rendering.request,
      payload,
      payloadText: text,
      digest,
      bytes,
      tokens: rendering.tokens,
      breakdown: rendering.breakdown,
      plan: this.#plan,
      manifest: rendering.manifest,
      warnings: rendering.warnings,
      violations: verification.violations,
      missingPins: rendering.missingPins,
      outcome,
      rehydrated: rehydrated.map((result) => result.artifactId),
    };
    await this.#journal.requestRendered(prepared, {
      frame: this.#frame,
      tokenizer: this.#tokenizer.id,
      summaryRole: this.#summaryRole,
      threadVersion: this.#state.thread.version,
      rehydrated,
    });
    return prepared;
  }

  /** Folds when the trigger fires, or in any case with `force`. Never throws for the sake of folding: see the outcome. */
  async compact(options: CompactOptions = {}): Promise<CompactionOutcome> {
    if (options.frame !== undefined) this.#frame = options.frame;
    const tokens = this.#renderer().measure(this.#plan);
    const base = { threadId: this.threadId, budgetLimit: this.config.maxInputTokens };
    this.#emit({ ...base, type: "compaction_check_started", tokensBefore: tokens });
    const outcome = await this.#fold(tokens, options);
    this.#emit({ ...base, type: "compaction_completed", outcome });
    return outcome;
  }

  /** Says why a message is, or is not, in the prompt. @throws ThreadfoldError `MESSAGE_NOT_FOUND`. */
  explain(messageId: MessageId): Explanation {
    return explainMessage(this.#state.thread, this.#plan, messageId);
  }

  /** How full the window is under the current plan. */
  stats(): {
    readonly tokens: number;
    readonly budget: TokenBudget;
    readonly utilization: number;
    readonly planVersion: number;
  } {
    const tokens = this.#renderer().measure(this.#plan);
    const budget = this.#budget();
    return {
      tokens,
      budget,
      utilization: utilization(budget, tokens - overheadTokens(budget)),
      planVersion: this.#plan.version,
    };
  }

  async close(): Promise<void> {
    await this.store.close();
  }

  async #fold(tokens: number, options: CompactOptions): Promise<CompactionOutcome> {
    const { turn, step } = this.#state.thread.position;
    const decision = this.#preset.trigger(this.config).evaluate({
      tokens,
      maxInputTokens: this.config.maxInputTokens,
      turns: turn,
      steps: step,
      messages: this.#state.thread.length,
    });
    const unchanged = { before: tokens, after: tokens };
    if (decision.level === "none" && options.force !== true) {
      return { type: "no-op", reason: `${tokens} tokens are below the trigger`, tokens: unchanged };
    }
    for (let attempt = 0; ; attempt++) {
      const result = await this.#foldOnce(decision.level === "hard" || options.force === true, options);
      if (result.type !== "ready") return result;
      const commit = await this.store.plans.commitPlan(this.threadId, result.plan, this.#plan.version);
      if (commit.status === "committed") return this.#committed(result);
      if (attempt === MAX_CONFLICTS)
        return { type: "conflict", currentVersion: commit.currentVersion, tokens: unchanged };
      this.#plan = (await this.store.plans.getCurrentPlan(this.threadId)).plan ?? this.#plan;
    }
  }

  async #foldOnce(hard: boolean, options: CompactOptions): Promise<FoldResult> {
    const renderer = this.#renderer();
    return foldThread(
      {
        ...this.#state,
        plan: this.#plan,
        config: this.config,
        overheadTokens: overheadTokens(this.#budget()),
        hard,
        tenantId: this.#options.tenantId ?? null,
        ...(options.instructions !== undefined && { instructions: options.instructions }),
        ...(options.signal !== undefined && { signal: options.signal }),
      },
      {
        ladder: this.#ladder(hard),
        summarizer: this.#summarizer,
        artifacts: this.store.artifacts,
        verifier: renderer,
        clock: this.#clock,
        onProposal: ({ strategy, estimatedTokensFreed, reason }, span) =>
          this.#emit({
            threadId: this.threadId,
            budgetLimit: this.config.maxInputTokens,
            type: "compaction_proposal_generated",
            strategy,
            span,
            estimatedTokensFreed,
            reason,
          }),
      },
    );
  }

  /** After a rehydration in this turn, what was just brought back is not taken away again, unless the request overflows. */
  #ladder(hard: boolean): CompactionPreset["ladder"] {
    if (hard || !this.#currentTurn().shouldSkipAggressiveCompaction()) return this.#preset.ladder;
    return this.#preset.ladder.filter(({ name }) => name !== "externalize" && name !== "drop");
  }

  async #committed(result: Extract<FoldResult, { type: "ready" }>): Promise<CompactionOutcome> {
    await this.#journal.planCommitted(this.#plan, result.plan);
    this.#plan = result.plan;
    const { plan, tokens, floor, summarizerProblem } = result;
    if (summarizerProblem !== null)
      return { type: "summarizer-failed-floor-used", plan, tokens, problem: summarizerProblem };
    return { type: "committed", plan, tokens, floor };
  }

  #detectPins(grown: AgentThread, fromOrdinal: number): readonly Pin[] {
    return detectPins(grown.messagesBetween(fromOrdinal), grown.livePins, {
      maxTokens: Math.min(this.config.detectedPinMaxTokens, Math.floor(this.config.maxInputTokens / 16)),
      countTokens: (text) => this.#tokenizer.countTokens(text),
    });
  }

  async #store(before: AgentThread, after: AgentThread): Promise<void> {
    if (after === before) return;
    const entries: readonly ThreadEntryInput[] = after.entriesBetween(before.version);
    await this.store.threads.append(this.threadId, entries, {
      expectedVersion: before.version === 0 ? "no-thread" : before.version,
    });
    this.#state = extendState(this.#state, after);
    await this.#journal.entriesAppended(after);
  }

  /** Content that the newest assistant message refers to comes back for the next request, within what is free of it. */
  async #rehydrate(): Promise<readonly RehydrationResult[]> {
    const { securityContext } = this.#options;
    const outcome = await rehydrateRequest(this.#interceptor, {
      state: this.#state,
      plan: this.#plan,
      artifacts: this.store.artifacts,
      rehydrations: this.#rehydrations,
      freeTokens: this.config.maxInputTokens - this.config.outputReserveTokens - this.#renderer().measure(this.#plan),
      maxArtifacts: this.config.rehydrationMaxArtifactsPerTurn,
      ...(securityContext !== undefined && { securityContext }),
    });
    this.#rehydrations = outcome.state;
    this.#turn = this.#currentTurn().withRehydrated(outcome.results);
    return outcome.results;
  }

  /** What this turn has brought back so far; a new turn starts with nothing. */
  #currentTurn(): TurnContext {
    const { turn } = this.#state.thread.position;
    return this.#turn.turn === turn ? this.#turn : TurnContext.start(turn);
  }

  get #summaryRole() {
    return this.#options.summaryRole ?? this.config.summaryRole;
  }

  #rendererWith(rehydrated: readonly RehydrationResult[]): RequestRenderer {
    if (rehydrated.length === 0) return this.#renderer();
    const content = rehydrated.map(({ tokenCount, ...result }) => ({ ...result, tokens: tokenCount }));
    const scene = { state: this.#state, frame: this.#frame, format: this.format, summaryRole: this.#summaryRole };
    return new RequestRenderer({ ...scene, rehydrated: content });
  }

  #renderer(): RequestRenderer {
    const { frame, state } = { frame: this.#frame, state: this.#state };
    if (this.#rendererFor?.frame !== frame || this.#rendererFor.state !== state) {
      const scene = { state, frame, format: this.format, summaryRole: this.#summaryRole };
      this.#rendererFor = { frame, state, renderer: new RequestRenderer(scene) };
    }
    return this.#rendererFor.renderer;
  }
  #rendererFor:
    | { readonly frame: RequestFrame; readonly state: ThreadState; readonly renderer: RequestRenderer }
    | undefined;

  #budget(): TokenBudget {
    return requestBudget(this.config, this.#frame, this.#state.ledger);
  }

  #emit(event: ContextCompactionEvent): void {
    try {
      this.#options.onEvent?.(event);
    } catch {
      // A listener must never break the agent loop.
    }
  }
}
