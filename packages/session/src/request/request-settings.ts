import {
  type AgentThread,
  type CacheTimes,
  type CompactionPlan,
  type ContextCompactionConfig,
  compactionConfig,
  type JsonObject,
  type Message,
  type MessageId,
  type ModelRow,
  modelName,
  modelRow,
  type PromptCachePrice,
  promptCachePrice,
  promptCachePriceFor,
  promptCachePriceOfFormat,
  promptCachePriceOfModel,
  type SummaryRole,
  type SummaryWording,
  suggestedCap,
  type TokenBudget,
  type TokenEstimate,
  tokenBudget,
} from "@threadfold/core";
import type { RehydrationResult } from "@threadfold/rehydration";
import { holdsProviderItem, newestProviderItem, type ProviderFormat, takesProviderItems } from "@threadfold/renderer";
import { type ProviderCompaction, providerCompaction } from "@threadfold/renderer/native";
import {
  EMPTY_FRAME,
  type FrameFields,
  isSameFrame,
  type ProviderCount,
  type RenderSources,
  type RequestFrame,
  RequestRenderer,
  requestBudget,
  type ThreadState,
} from "@threadfold/turn";
import { checkTarget } from "../host/checked-options.ts";
import type { ModelTarget } from "../host/prepared-request.ts";
import type { ProviderCompactionOption } from "../host/session-options.ts";

/** Share of our fold threshold at which the provider compacts: it compacts first, some calls before we would fold. */
const BEFORE_OURS = 0.8;

/** What request settings start from. */
export interface RequestSettingsParts {
  readonly config: ContextCompactionConfig;
  /** The cap set by the host or the preset, in tokens; absent when the model or the default decides. */
  readonly ownCap?: number;
  readonly models?: readonly ModelRow[];
  readonly format: ProviderFormat;
  /** Returns how the provider counts, as far as is known by now. */
  readonly count: () => ProviderCount;
  /** Returns how far the counter may be below a model's real tokens before any report, as a share of its figure. */
  readonly margin: (model: string | undefined) => number;
  readonly model?: string;
  readonly frame?: FrameFields;
  readonly summaryRole?: SummaryRole;
}

/** The prices for a model under a configuration. */
interface Pricing {
  readonly config: ContextCompactionConfig;
  readonly model: string | undefined;
  readonly price: PromptCachePrice | undefined;
  readonly times: CacheTimes | null;
}

/**
 * What requests are made from in addition to thread and plan: format, model, cap, and the host's frame. Keeps the
 * newest renderer.
 */
export class RequestSettings {
  readonly format: ProviderFormat;
  readonly summaryRole: SummaryRole;
  readonly summaryWording: SummaryWording | undefined;
  /** The frame that the session was opened with. */
  readonly ownFrame: RequestFrame;
  readonly #models: readonly ModelRow[];
  readonly #ownCap: number | undefined;
  readonly #count: () => ProviderCount;
  readonly #margin: (model: string | undefined) => number;
  #config: ContextCompactionConfig;
  #cautious: { readonly config: ContextCompactionConfig; readonly of: ContextCompactionConfig } | undefined;
  /** True while neither the host nor a model row says what the model's limit is. */
  #isGuessed: boolean;
  #model: string | undefined;
  #frame: RequestFrame;
  #priced: Pricing | undefined;
  #newest: { readonly turn: RenderSources; readonly renderer: RequestRenderer } | undefined;

  constructor(parts: RequestSettingsParts) {
    const { config, ownCap, models = [], format, model, frame, summaryRole = config.summaryRole } = parts;
    this.#count = parts.count;
    this.#margin = parts.margin;
    // Report an unknown price row when the session is opened, not at a later fold.
    cachePriceOf(config, format.id);
    this.#config = config;
    this.#ownCap = ownCap;
    this.#models = models;
    this.#isGuessed = model !== undefined && ownCap === undefined && modelRow(model, models) === undefined;
    this.format = format;
    this.#model = model;
    this.ownFrame = { ...EMPTY_FRAME, ...given(frame) };
    this.#frame = this.ownFrame;
    this.summaryRole = summaryRole;
    this.summaryWording = config.summaryWording;
  }

  /** The configuration. Until the provider reports usage, it also keeps free what the counter may miss. */
  get config(): ContextCompactionConfig {
    if (this.#config.safetyBufferTokens !== undefined || this.#count().estimate.reports > 0) return this.#config;
    if (this.#cautious?.of !== this.#config)
      this.#cautious = { of: this.#config, config: withMargin(this.#config, this.#margin(this.#model)) };
    return this.#cautious.config;
  }

  get model(): string | undefined {
    return this.#model;
  }

  /** How the provider counts, according to all its reports. */
  get estimate(): TokenEstimate {
    return this.#count().estimate;
  }

  /** What the provider charges for the current model; undefined when unknown. */
  get price(): PromptCachePrice | undefined {
    return this.#pricing.price;
  }

  /** How long prefixes can be cached; null when the provider offers no choice, or when its prices are unknown. */
  get cacheTimes(): CacheTimes | null {
    return this.#pricing.times;
  }

  /** Cached, because it is needed many times per turn and only changes with the model or the configuration. */
  get #pricing(): Pricing {
    const [config, model] = [this.#config, this.#model];
    if (this.#priced?.config === config && this.#priced.model === model) return this.#priced;
    const price = cachePriceOf(config, this.format.id, model);
    this.#priced = { config, model, price, times: cacheTimesOf(price, model) };
    return this.#priced;
  }

  get frame(): RequestFrame {
    return this.#frame;
  }

  /**
   * Sets the frame of a request: each field from the call if given there, else from the session's own frame. Undefined
   * keeps the newest request's frame. An equal frame changes nothing, so that what was rendered with it stays valid.
   */
  take(fields: FrameFields | undefined): void {
    if (fields === undefined) return;
    const frame = { ...this.ownFrame, ...given(fields) };
    if (!isSameFrame(frame, this.#frame)) this.#frame = frame;
  }

  /** Prepares the next requests for another model. @throws ThreadfoldError `INVALID_CONFIG` for an invalid target. */
  retarget(target: ModelTarget): void {
    checkTarget(target);
    const { model, maxInputTokens } = target;
    const row = model === undefined ? undefined : modelRow(model, this.#models);
    const suggested = row && Math.min(suggestedCap(row), this.#ownCap ?? Number.POSITIVE_INFINITY);
    const cap = maxInputTokens ?? suggested;
    if (cap !== undefined) this.#config = compactionConfig({ ...this.#config, maxInputTokens: cap });
    if (model !== undefined || maxInputTokens !== undefined) this.#isGuessed = model !== undefined && cap === undefined;
    if (model !== undefined) this.#model = model;
    this.#cautious = undefined;
  }

  /** True while requests go to a model whose limit is unknown: the cap may be too large for it. */
  get isGuessed(): boolean {
    return this.#isGuessed;
  }

  /** Returns a renderer of plans over the thread as it is now. */
  renderer(state: ThreadState): RequestRenderer {
    const turn = this.#renderSources(state);
    const { turn: last, renderer: before } = this.#newest ?? {};
    if (before !== undefined && isSameTurn(last, turn)) return before;
    // What was rendered for another model may contain reasoning that this one does not accept.
    const renderer = new RequestRenderer(turn, last?.model === turn.model ? before : undefined);
    this.#newest = { turn, renderer };
    return renderer;
  }

  /** Returns a renderer that includes content brought back for one request. */
  rendererWith(state: ThreadState, rehydrated: readonly RehydrationResult[]): RequestRenderer {
    if (rehydrated.length === 0) return this.renderer(state);
    const content = rehydrated.map(({ tokenCount, ...result }) => ({ ...result, tokens: tokenCount }));
    return new RequestRenderer({ ...this.#renderSources(state), rehydrated: content }, this.renderer(state));
  }

  /** Returns the newest message with a provider compaction item that a plan has not seen; null when there is none. */
  newestItem(thread: AgentThread, plan: CompactionPlan): MessageId | null {
    return newestProviderItem(thread, plan.threadVersion, this.#target);
  }

  /** Checks whether a message contains a provider compaction item that the model accepts back. */
  holdsItem(message: Pick<Message, "parts">): boolean {
    return holdsProviderItem(message, this.#target);
  }

  /** The provider's own compaction; null when it offers none, or not for this model. */
  get compaction(): ProviderCompaction | null {
    return takesProviderItems(this.#target) ? providerCompaction(this.format.id) : null;
  }

  /** Returns the fields with which a request asks the provider to compact; none when we would fold first. */
  compactionFields(asked: ProviderCompactionOption | undefined): JsonObject {
    const { compaction } = this;
    if (asked?.when !== "threshold" || compaction === null) return {};
    const { softLimit } = tokenBudget(this.config);
    const above = Math.max(compaction.leastTokens, asked.compactAt ?? Math.floor(softLimit * BEFORE_OURS));
    return above < softLimit ? compaction.fields(above) : {};
  }

  get #target() {
    const { requirements } = this.format.rules;
    return { requirements, ...(this.#model !== undefined && { model: this.#model }) };
  }

  budget(state: ThreadState): TokenBudget {
    return requestBudget(this.config, this.#frame, state.ledger, this.#count());
  }

  /** Returns the tokens that the request under a plan leaves free below its limit. */
  freeTokens(state: ThreadState, plan: CompactionPlan): number {
    return tokenBudget(this.config).limitTokens - this.renderer(state).measure(plan);
  }

  #renderSources(state: ThreadState): RenderSources {
    const { format, summaryRole, summaryWording } = this;
    const turn = {
      state,
      count: this.#count(),
      frame: this.#frame,
      format,
      summaryRole,
      ...(summaryWording !== undefined && { summaryWording }),
    };
    return this.#model === undefined ? turn : { ...turn, model: this.#model };
  }
}

const isSameTurn = (last: RenderSources | undefined, turn: RenderSources): boolean =>
  last?.frame === turn.frame &&
  last.state === turn.state &&
  last.model === turn.model &&
  last.count?.estimate === turn.count?.estimate &&
  last.count?.measured === turn.count?.measured;

/**
 * Returns a configuration that keeps free what a counter may miss: 31 of a budget of 100 if it may miss 45 per 100
 * counted.
 */
function withMargin(config: ContextCompactionConfig, margin: number): ContextCompactionConfig {
  const { roomTokens, safetyBufferTokens } = tokenBudget(config);
  const missed = Math.ceil((roomTokens * margin) / (1 + margin));
  return missed <= safetyBufferTokens ? config : { ...config, safetyBufferTokens: missed };
}

/** Returns the fields that are given, leaving out those that are undefined. */
const given = ({ system, tools, host }: FrameFields = {}): FrameFields => ({
  ...(system !== undefined && { system }),
  ...(tools !== undefined && { tools }),
  ...(host !== undefined && { host }),
});

/**
 * Returns the prices that commits are weighed with: the configured row, else the model's, else that of the request
 * format, else none. The minimum length of a cached prefix is the model's.
 *
 * @throws ThreadfoldError `INVALID_CONFIG` when no row has the configured id.
 */
function cachePriceOf(
  { promptCachePrice: configured }: ContextCompactionConfig,
  format: string,
  model?: string,
): PromptCachePrice | undefined {
  const name = nameOf(model);
  const price =
    configured === undefined
      ? (promptCachePriceOfModel(name) ?? promptCachePriceOfFormat(format))
      : typeof configured === "string"
        ? promptCachePrice(configured)
        : configured;
  return price && promptCachePriceFor(price, name);
}

function cacheTimesOf(price: PromptCachePrice | undefined, model: string | undefined): CacheTimes | null {
  const [id] = price?.otherTimes ?? [];
  if (price === undefined || id === undefined) return null;
  const other = promptCachePriceFor(promptCachePrice(id), nameOf(model));
  return price.ttlSeconds < other.ttlSeconds ? { short: price, long: other } : { short: other, long: price };
}

const nameOf = (model: string | undefined): string => (model === undefined ? "" : modelName(model));
