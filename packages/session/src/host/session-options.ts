import type {
  Calibration,
  Clock,
  CompactionEventListener,
  CompletionModel,
  ContextCompactionConfig,
  DeterminismProbe,
  ModelRow,
  ProviderAwareTokenizer,
  SecurityContext,
  Summarizer,
  SummaryCacheStore,
  SummaryRole,
  ThreadfoldStore,
  ThreadId,
} from "@threadfold/core";
import type { VectorSearch } from "@threadfold/rehydration";
import type { ProviderFormat } from "@threadfold/renderer";
import type { CompactionPreset, ToolDeclaration } from "@threadfold/strategies";
import type { SummaryCheck, SummaryModelSettings } from "@threadfold/summarizers";
import type { FrameFields, SummaryFailure } from "@threadfold/turn";
import type { BackgroundOptions } from "../queue/compaction-queue.ts";
import type { Environment } from "./compaction-switch.ts";
import type { OverBudget } from "./prepared-request.ts";
import type { SessionHooks } from "./session-hooks.ts";

/**
 * The options of `ContextSession.open`: those of a session, except that the store may be given as a path or address,
 * preset and format by name, and `threadId` may be omitted for a conversation that is never opened again.
 */
export interface OpenOptions extends Omit<SessionOptions, "threadId" | "store" | "preset" | "format"> {
  /** Id of the conversation; the same id opens it again. If omitted, a random one is generated: `session.threadId`. */
  readonly threadId?: string;
  /**
   * The store, or a string as `openStore` takes it: the path of a SQLite file, `memory:`, or `postgres://…`. In memory
   * by default. Closing the session closes it.
   */
  readonly store?: ThreadfoldStore | string;
  /** The folding policy, or the name of a preset as `presetByName` takes it. `threadfold` by default. */
  readonly preset?: CompactionPreset | string;
  /** The provider's request format, or its name as `formatById` takes it. `anthropic-messages` by default. */
  readonly format?: ProviderFormat | string;
}

/** When the provider's own compaction is used; see `SessionOptions.providerCompaction`. */
export type ProviderCompactionOption =
  | { readonly when: "threshold"; readonly compactAt?: number }
  | { readonly when: "on-demand" };

/** Options of a session. Only `threadId` has no default. */
export interface SessionOptions {
  /** Id of the conversation; the same id opens it again. */
  readonly threadId: ThreadId;
  /**
   * Stores the thread, plans, artifacts and journal. In memory by default, and then lost when the process ends. Closing
   * the session closes it.
   */
  readonly store?: ThreadfoldStore;
  /**
   * Maximum time for one call to the store, in milliseconds; after that the call fails with `TIMED_OUT`. Whether it had
   * an effect is then unknown, and it is safe to call again. 120 000 by default, longer than the timeouts of the server
   * stores.
   */
  readonly storeTimeLimitMs?: number;
  /**
   * How long `close` waits for work in progress, and then for the store to close, in milliseconds each. Folds that are
   * still running after that are aborted. 10 000 by default.
   */
  readonly closeTimeLimitMs?: number;
  /** The folding policy. `threadfold` by default. */
  readonly preset?: CompactionPreset;
  /** Settings that override the preset's, such as `maxInputTokens`. */
  readonly config?: Partial<ContextCompactionConfig>;
  /**
   * Counts tokens; by classes of characters by default. Until the provider first reports usage, the counter's own
   * figures are used, and as much of the budget as the counter may be off by is kept free, if that error is known (a
   * counter of Threadfold's) and `safetyBufferTokens` is not set. From then on all figures are in the provider's
   * tokens.
   */
  readonly tokenizer?: ProviderAwareTokenizer;
  /** What earlier sessions learned about how models count tokens; `ContextSession.calibration` returns it, refined. */
  readonly calibration?: Calibration;
  /**
   * Model that summarizes folded spans, with the preset's prompt. Its summaries are checked and cached, and the
   * extractive summarizer replaces it when it fails; handoffs use it as well. After it has failed in three folds in a
   * row, it is skipped for eight folds and then tried again. For more control, pass a `modelSummarizer` as
   * `summarizer`.
   */
  readonly summaryModel?: CompletionModel;
  /** Settings for calls to `summaryModel`: output cap, temperature, and how much of the folded messages it is sent. */
  readonly summaryModelSettings?: SummaryModelSettings;
  /**
   * What happens to a fold whose summarizer fails. `fold` (the default): a summary made without it is used. `keep`: the
   * history stays as it is, and the outcome is `failed` with the problem; a request over its budget is folded to the
   * floor anyway, because it could not be sent.
   */
  readonly onSummaryFailure?: SummaryFailure;
  /**
   * How long a fold waits for a summary from `summaryModel`, `summarizer`, or a function that a hook returns, and for
   * a strategy that makes its own records, in milliseconds; after that the summary counts as failed, and the library
   * makes the record. 180 000 by default. With `background: false`, a `prepare`
   * that folds waits as well, so that a shorter limit keeps a hanging model from holding up the agent.
   */
  readonly summaryTimeLimitMs?: number;
  /** Caches the summaries of `summaryModel` beyond the lifetime of this process. */
  readonly summaryCache?: SummaryCacheStore;
  /** Custom summarizer of folded spans, checked by `summaryChecks`. Extractive, without a model, by default. */
  readonly summarizer?: Summarizer;
  /**
   * Checks that a summary from `summaryModel` or `summarizer` must pass. The checks for untrusted authors by default;
   * `[]` for none.
   */
  readonly summaryChecks?: readonly SummaryCheck[];
  /**
   * False to leave secrets in messages, such as keys and passwords, visible to summarizers and in summaries and events.
   * True by default. Thread, pins and artifacts are never redacted.
   */
  readonly redactSecrets?: boolean;
  /** The provider's request format. Anthropic Messages by default. */
  readonly format?: ProviderFormat;
  /**
   * The host's system text and tools, for every request. Fields passed to `prepare` override these one by one, for that
   * request only: a call with just `tools` keeps this `system`.
   */
  readonly frame?: FrameFields;
  /** Role of the messages that replace folded spans; takes precedence over `config.summaryRole` and the preset's. */
  readonly summaryRole?: SummaryRole;
  /**
   * Name of the model that requests go to. Content that it does not accept, such as another model's signed reasoning,
   * is left out with a warning. Without a name, the format's own table applies, which suits the strictest model. If
   * `config` sets no `maxInputTokens`, and the preset none that fits the model's window, the model's effective window
   * is the cap. Its prices are used to weigh folds.
   */
  readonly model?: string;
  /** Facts about models, in addition to Threadfold's own table (`MODELS`); rows given here take precedence. */
  readonly models?: readonly ModelRow[];
  /**
   * Whether requests carry cache breakpoints, as far as the provider and the model support them: after tools and system
   * text, after the folds, where the previous request ended, and at the newest message that stays. `ttl` is for
   * providers that let the caller choose. Gemini finds prefixes itself and has no breakpoints; OpenAI's formats need a
   * `model` that supports them. Breakpoints that are already in the thread are replaced. They move from request to
   * request and are only part of `payload`: digest, recorded bytes and replay are those of the request without them.
   * False by default.
   */
  readonly cacheBreakpoints?: boolean | { readonly ttl?: "5m" | "1h" };
  /**
   * `auto` sets breakpoints as `cacheBreakpoints: true` does and, if the provider offers a choice (Anthropic: five
   * minutes or one hour), picks for each request how long prefixes are kept, based on the pauses seen so far. A
   * prepared request's `cacheTime` has the choice. Cannot be combined with `cacheBreakpoints`.
   */
  readonly cachePolicy?: "auto";
  /**
   * Uses the provider's own compaction in addition to our folds (Anthropic Messages and OpenAI Responses). `threshold`:
   * every request asks for it in `payload`, above `compactAt` tokens, by default four fifths of our own fold threshold.
   * `on-demand`: only `ContextSession.compactAtProvider` does. The compaction that comes back in an answer becomes an
   * entry of the thread. The next plan refers to it, so that it is sent instead of the messages that it replaces, and
   * also contains our own fold of them, made without a model, for every other provider. Once a fold of ours is due, it
   * supersedes the provider's. Models that are known not to compact are not asked.
   */
  readonly providerCompaction?: ProviderCompactionOption;
  /**
   * Checks whether the source of a replayable tool result is unchanged. Without one, no result is cleared for being
   * replayable.
   */
  readonly determinismProbe?: DeterminismProbe;
  /**
   * Declarations of tools about their own results, made with `declareTool`. `config.toolDurabilityOverrides` takes
   * precedence. What a tool notes about its sources is recorded when its results are appended, and compared before one
   * is cleared.
   */
  readonly declaredTools?: readonly ToolDeclaration[];
  /**
   * What `prepare` does with a request that, after folding, still takes more than `maxInputTokens` minus output reserve
   * and safety buffer. `barest` (the default): if the fold failed, everything possible is folded without a model; a
   * request that then fits is returned, and otherwise `BudgetInfeasibleError` is thrown. `throw`: it is thrown at once.
   * `send`: the request is returned as it is, for a host that reads `outcome` and `overBudget`. A hook's veto and
   * switched-off folding are always respected. `prepare` may override this per call.
   */
  readonly onOverBudget?: OverBudget;
  /**
   * False to switch automatic folding off: the outcome of `prepare` and `compact` is `disabled`, an existing plan
   * stays, and `compact({ force: true })` still folds. `setAutoCompaction` changes it later. Setting the environment
   * variable `THREADFOLD_DISABLE_COMPACTION` to `1` or `true` switches it off as well, whatever is set here. True by
   * default.
   */
  readonly compaction?: boolean;
  /**
   * Who waits for the summaries of `summaryModel` or `summarizer`. By default, no `prepare` does: a fold that is due
   * but not urgent starts after its request is returned, and takes effect with the first request after its commit.
   * Content that it would hide but that calls used in the meantime is mentioned in its summary. A request over its
   * budget is folded at once, without the model. `false`: the request that finds a fold due waits for it; this suits a
   * process that ends after each turn, because its `close` would end every background fold. With a `queue`, workers
   * fold ahead of need (`startCompactionWorker`): `prepare` requests a fold and continues, takes over the new plan once
   * it is committed, and folds itself only when the request exceeds the cap or the queue does not answer.
   */
  readonly background?: BackgroundOptions | false;
  /** Environment variables to read. Those of the process by default. */
  readonly environment?: Environment;
  /**
   * Semantic search, for `search_thread` and for content that is brought back automatically: `store` holds the vectors
   * that the host put there, and `embed` turns a query into a vector. Its results come after those of the word search
   * and have a separate token allowance. If the store or embedder fails or takes too long, that is reported as
   * `vector_search_failed`, and only the word search answers.
   */
  readonly vectors?: VectorSearch;
  /** Functions of the host that are called before and after folds. */
  readonly hooks?: SessionHooks;
  /** Notices warn that accuracy may suffer once this many folds were made. The preset's value by default, or 3. */
  readonly warnAfterCompactions?: number;
  /** Clock that dates plans, records and events. The system clock by default. */
  readonly clock?: Clock;
  /**
   * False for a session that will never be replayed or audited, such as one with an in-memory store: nothing is written
   * to the journal, and digests that only the journal needs are not computed. True by default.
   */
  readonly journal?: boolean;
  /**
   * The tenant that owns the thread and everything stored for it, in a store that separates tenants. None by default.
   */
  readonly tenantId?: string | null;
  /** On whose behalf externalized content is read back; the journal then records who read what, and who was refused. */
  readonly securityContext?: SecurityContext;
  /** Called with every compaction event. Errors that it throws are ignored. */
  readonly onEvent?: CompactionEventListener;
}
