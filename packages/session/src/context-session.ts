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
  type PromptCachePrice,
  type ProviderAwareTokenizer,
  type RecallPage,
  type RecallRequest,
  type Summarizer,
  sha256,
  type ThreadEntryInput,
  type ThreadfoldStore,
  type ThreadId,
  type TokenBudget,
  utilization,
} from "@threadfold/core";
import {
  type CompactionQualityMetrics,
  compactionQuality,
  MemoryRecallIndex,
  qualityEvent,
  type ReadArtifactTool,
  type RehydrationResult,
  type SearchThreadTool,
} from "@threadfold/rehydration";
import { formatById, type ProviderFormat } from "@threadfold/renderer";
import type { CompactionPreset, OverflowFigures } from "@threadfold/strategies";
import { ExtractiveSummarizer } from "@threadfold/summarizers";
import type { Calibration } from "@threadfold/tokenizers";
import { cachePriceOf } from "./cache-price-of.ts";
import { calibratedParts } from "./calibrated-parts.ts";
import type { CompactOptions } from "./compact-options.ts";
import { FoldMemory } from "./fold-memory.ts";
import type { FoldScene } from "./fold-scene.ts";
import { foldTurn } from "./fold-turn.ts";
import { type Handoff, type HandoffOptions, handoff } from "./handoff.ts";
import type { PreparedRequest } from "./prepared-request.ts";
import { type PlanPreview, previewPlan } from "./preview-plan.ts";
import { requestBudget } from "./request-budget.ts";
import { EMPTY_FRAME, isSameFrame, type RequestFrame } from "./request-frame.ts";
import { type RenderScene, RequestRenderer } from "./request-renderer.ts";
import { NO_JOURNAL, SessionJournal, type SessionRecorder } from "./session-journal.ts";
import type { SessionOptions } from "./session-options.ts";
import { type SessionParts, sessionParts } from "./session-parts.ts";
import { systemClock } from "./system-clock.ts";
import { extendState, type ThreadState, threadState } from "./thread-state.ts";
import { Unfolding } from "./unfolding.ts";
import type { UsageReport } from "./usage-state.ts";

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
  readonly #unfolding: Unfolding;
  readonly #journal: SessionRecorder;
  #frame: RequestFrame;
  #state: ThreadState;
  #plan: CompactionPlan;
  readonly #memory: FoldMemory;
  readonly #price: PromptCachePrice | undefined;

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
    this.#journal =
      options.journal === false
        ? NO_JOURNAL
        : new SessionJournal(parts.store, options.threadId, options.tenantId ?? null, this.#clock);
    this.#unfolding = new Unfolding({
      index: parts.store.recall ?? new MemoryRecallIndex(),
      artifacts: parts.store.artifacts,
      config: parts.config,
      tenantId: options.tenantId ?? null,
      tokenizer: parts.tokenizer,
      clock: this.#clock,
      ...(options.securityContext !== undefined && { securityContext: options.securityContext }),
      ...(options.onEvent !== undefined && { onEvent: options.onEvent }),
      moment: () => ({ state: this.#state, plan: this.#plan }),
    });
    this.#frame = options.frame ?? EMPTY_FRAME;
    this.#memory = new FoldMemory(options, options.journal === false ? null : parts.store.journal, this.#clock);
    this.#price = cachePriceOf(parts.config, this.format.id);
    this.#state = threadState(thread, parts.tokenizer, parts.durabilityOf);
    this.#plan = plan;
  }

  /**
   * Opens a session on a thread: an existing one as the store has it, or a new one.
   *
   * @throws ThreadfoldError `INVALID_CONFIG`, or what the store throws.
   */
  static async open(options: SessionOptions): Promise<ContextSession> {
    const parts = calibratedParts(sessionParts(options), options.calibration);
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
    this.#take(options.frame);
    const outcome = await this.compact(options);
    return this.render(outcome, await this.#unfolding.forRequest(this.#freeTokens));
  }

  /** Renders the request under the current plan, without folding, and records its digest. `rehydrated` is shown in it alone. */
  async render(
    outcome: CompactionOutcome | null = null,
    rehydrated: readonly RehydrationResult[] = [],
  ): Promise<PreparedRequest> {
    const rendered = this.#rendererWith(rehydrated).render(this.#plan);
    const { rendering, payload, verification } = rendered;
    const { text, digest, bytes } = rendered.digest;
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
    this.#memory.requestSent({ planVersion: prepared.plan.version, tokens: prepared.tokens });
    await this.#journal.requestRendered(prepared, {
      frame: this.#frame,
      tokenizer: this.#tokenizer.id,
      summaryRole: this.#summaryRole,
      ...(this.#options.model !== undefined && { model: this.#options.model }),
      threadVersion: this.#state.thread.version,
      rehydrated,
    });
    return prepared;
  }

  /** Folds when the trigger fires, or in any case with `force`. Never throws for the sake of folding: see the outcome. */
  async compact(options: CompactOptions = {}): Promise<CompactionOutcome> {
    const scene = await this.#scene(options);
    const base = { threadId: this.threadId, budgetLimit: scene.config.maxInputTokens };
    this.#emit({ ...base, type: "compaction_check_started", tokensBefore: scene.renderer.measure(this.#plan) });
    const outcome = (options.force ? undefined : this.#memory.settled(scene)) ?? (await this.#fold(scene, options));
    this.#emit({ ...base, type: "compaction_completed", outcome });
    return outcome;
  }

  /**
   * Says what `compact` would do now: the plan, its tokens, what the commit costs and saves, and what the model would no
   * longer see. Nothing is stored: no artifact, no plan, no journal entry.
   */
  async dryRun(options: CompactOptions = {}): Promise<PlanPreview> {
    return previewPlan(await this.#scene(options), options);
  }

  /**
   * Takes note of what the provider reported of the newest request. The figure feeds the trigger while the plan that it
   * was measured under holds (L17), teaches {@link calibration}, and goes into the journal.
   */
  reportUsage(report: UsageReport): Promise<void> {
    return this.#memory.usageReported(report);
  }

  /** Takes note that the provider refused the newest request as too long: the next `prepare` folds for it, once (L19). */
  reportOverflow(report: OverflowFigures = {}): void {
    this.#memory.overflowed(report, this.config.maxInputTokens);
  }

  /** What is known of the model's counter by now. Keep it and open the next session with it. */
  get calibration(): Calibration {
    return this.#memory.calibration;
  }

  /** Finds passages of the thread by their words, folded or not. @throws ThreadfoldError `INVALID_QUERY`. */
  search(request: RecallRequest): Promise<RecallPage> {
    return this.#unfolding.search(request);
  }

  /** `read_artifact` and `search_thread`: the model's own ways to what is folded, for a host to offer. */
  tools(): readonly [ReadArtifactTool, SearchThreadTool] {
    return this.#unfolding.tools();
  }

  /** Begins a fresh thread in this session's store with what a goal needs of this one, and a reference back (seed 001). */
  handoff(options: HandoffOptions): Promise<Handoff> {
    return handoff(this, options);
  }

  /** Signs that the newest fold took away what was still needed (seed 002). Walks what came after that fold. */
  quality(taskCompletionSuccess: boolean | null = null): CompactionQualityMetrics {
    return compactionQuality(this.#state.thread, this.#plan, taskCompletionSuccess);
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

  async #fold(scene: FoldScene, options: CompactOptions): Promise<CompactionOutcome> {
    const turn = await foldTurn(scene, this.store.plans, options);
    // An epoch ends here: how well its fold served is told before the next one begins.
    if (turn.plan !== turn.basis && turn.basis.version > 0)
      this.#emit(
        qualityEvent(turn.basis, scene.config.maxInputTokens, compactionQuality(scene.state.thread, turn.basis)),
      );
    this.#plan = turn.plan;
    if (turn.plan !== turn.basis) await this.#journal.planCommitted(turn.basis, turn.plan);
    await this.#memory.folded(scene, turn, options.force === true);
    return turn.outcome;
  }

  async #scene(options: CompactOptions): Promise<FoldScene> {
    this.#take(options.frame);
    await this.#memory.load();
    return {
      threadId: this.threadId,
      tenantId: this.#options.tenantId ?? null,
      state: this.#state,
      plan: this.#plan,
      preset: this.#preset,
      config: this.#effectiveConfig(),
      overheadTokens: overheadTokens(this.#budget()),
      renderer: this.#renderer(),
      artifacts: this.store.artifacts,
      summarizer: this.#memory.summarizer(this.#summarizer, options.force === true),
      ...(this.#options.determinismProbe !== undefined && { determinismProbe: this.#options.determinismProbe }),
      clock: this.#clock,
      spareRehydrated: this.#unfolding.sparesRehydrated,
      usage: this.#memory.usage,
      idleSeconds: this.#memory.idleSeconds,
      price: this.#price,
      history: this.#memory.history(this.#plan),
      emit: (event) => this.#emit(event),
    };
  }

  /** The configuration with the stricter of its cap and what the model was found to take (S28). */
  #effectiveConfig(): ContextCompactionConfig {
    const limit = Math.max(this.config.outputReserveTokens + 1, this.#memory.limit);
    return limit >= this.config.maxInputTokens ? this.config : { ...this.config, maxInputTokens: limit };
  }

  #detectPins(grown: AgentThread, fromOrdinal: number): readonly Pin[] {
    return detectPins(grown.messagesBetween(fromOrdinal), grown.livePins, {
      maxTokens: Math.min(this.config.detectedPinMaxTokens, Math.floor(this.config.maxInputTokens / 16)),
      countTokens: (text) => this.#tokenizer.countTokens(text),
    });
  }

  /** A frame that says the same as the one before changes nothing, so what was rendered with that one still holds. */
  #take(frame: RequestFrame | undefined): void {
    if (frame !== undefined && !isSameFrame(frame, this.#frame)) this.#frame = frame;
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

  /** Tokens that the request under the current plan leaves below the cap. */
  get #freeTokens(): number {
    const { maxInputTokens, outputReserveTokens } = this.config;
    return maxInputTokens - outputReserveTokens - this.#renderer().measure(this.#plan);
  }

  get #summaryRole() {
    return this.#options.summaryRole ?? this.config.summaryRole;
  }

  #rendererWith(rehydrated: readonly RehydrationResult[]): RequestRenderer {
    if (rehydrated.length === 0) return this.#renderer();
    const content = rehydrated.map(({ tokenCount, ...result }) => ({ ...result, tokens: tokenCount }));
    return new RequestRenderer({ ...this.#renderScene(), rehydrated: content }, this.#renderer());
  }

  #renderer(): RequestRenderer {
    const { frame, state } = this.#renderScene();
    if (this.#rendererFor?.frame !== frame || this.#rendererFor.state !== state) {
      const renderer = new RequestRenderer(this.#renderScene(), this.#rendererFor?.renderer);
      this.#rendererFor = { frame, state, renderer };
    }
    return this.#rendererFor.renderer;
  }

  #renderScene(): RenderScene {
    const { model } = this.#options;
    const scene = { state: this.#state, frame: this.#frame, format: this.format, summaryRole: this.#summaryRole };
    return model === undefined ? scene : { ...scene, model };
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
