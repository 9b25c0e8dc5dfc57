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
 * What `ContextSession.open` takes: the options of a session, with a path or an address in the place of a store, names in the
 * place of a preset and a format, and without a name for a conversation that nobody opens again.
 */
export interface OpenOptions extends Omit<SessionOptions, "threadId" | "store" | "preset" | "format"> {
  /** Names the conversation; the same name opens it again. Without one a new thread gets a random name: `session.threadId`. */
  readonly threadId?: string;
  /**
   * Where everything is kept, or what `openStore` takes: the path of a SQLite file, `memory:`, or `postgres://…`. Memory by
   * default. `close` of the session closes it.
   */
  readonly store?: ThreadfoldStore | string;
  /** How folds are made, or the name of a preset as `presetByName` takes it. `threadfold` by default. */
  readonly preset?: CompactionPreset | string;
  /** The provider's request format, or its name as `formatById` takes it. `anthropic-messages` by default. */
  readonly format?: ProviderFormat | string;
}

/** When a provider compacts by its own means; see `SessionOptions.providerCompaction`. */
export type ProviderCompactionOption =
  | { readonly when: "threshold"; readonly compactAt?: number }
  | { readonly when: "on-demand" };

/** What a session is made of. Only `threadId` has no default. */
export interface SessionOptions {
  /** Names the conversation; the same name opens it again. */
  readonly threadId: ThreadId;
  /**
   * Where thread, plans, artifacts and journal are kept. Memory by default: gone when the process ends. `close` of the
   * session closes it.
   */
  readonly store?: ThreadfoldStore;
  /**
   * How long one call of the store may take, in milliseconds; then it ends in `TIMED_OUT`. What became of it is not known,
   * and it is safe to call again. 120 000 by default, which is more than what the stores of servers wait for by themselves.
   */
  readonly storeTimeLimitMs?: number;
  /**
   * How long `close` waits for what is under way, and then for the store to close, in milliseconds each. Folds that are
   * still made after so long are aborted. 10 000 by default.
   */
  readonly closeTimeLimitMs?: number;
  /** The policy. `threadfold` by default. */
  readonly preset?: CompactionPreset;
  /** Figures that override the preset's. */
  readonly config?: Partial<ContextCompactionConfig>;
  /**
   * Counts tokens. By classes of characters by default. Until the provider reports its first figure the counter's own are
   * taken, and where its error is known (a counter of Threadfold, and `safetyBufferTokens` not set) that much of the room is
   * kept free; from then on all figures are in the provider's tokens.
   */
  readonly tokenizer?: ProviderAwareTokenizer;
  /** What earlier sessions learned of models' counters; `ContextSession.calibration` returns it, improved. */
  readonly calibration?: Calibration;
  /**
   * Summarizes folded spans with a model: with the preset's prompt, checked, cached, and with the extractive summarizer
   * in its place when it fails; handoffs are written with it as well. One that failed in three folds in a row is left
   * alone for eight, and then tried again. For more control, hand a `modelSummarizer` to `summarizer`.
   */
  readonly summaryModel?: CompletionModel;
  /** How `summaryModel` is asked: cap of its answer, temperature, and how much of the folded messages it is sent. */
  readonly summaryModelSettings?: SummaryModelSettings;
  /**
   * What becomes of a fold whose summarizer fails. `fold`, by default: a summary without it takes its place. `keep`: the
   * history stays as it is, and the outcome is `failed` with the problem; a request above its room is folded to the floor
   * all the same, because it could not be sent.
   */
  readonly onSummaryFailure?: SummaryFailure;
  /**
   * How long a fold waits for a summary of `summaryModel`, of `summarizer`, or of a function that a hook returns, in
   * milliseconds: after that it counts as failed for a summary. 180 000 by default. With `background: false` a `prepare`
   * that folds waits with it; a shorter time keeps a model that hangs from holding up the agent then.
   */
  readonly summaryTimeLimitMs?: number;
  /** Keeps the summaries of `summaryModel` beyond this process. */
  readonly summaryCache?: SummaryCacheStore;
  /** Summarizes folded spans in its own way, looked at by `summaryChecks`. Extractive, without a model, by default. */
  readonly summarizer?: Summarizer;
  /**
   * What a summary of `summaryModel` or `summarizer` must pass; the checks for untrusted authors by default, none for
   * `[]`.
   */
  readonly summaryChecks?: readonly SummaryCheck[];
  /**
   * False to let summarizers, summaries and events have the secrets that stand in messages, such as keys and passwords.
   * True by default. Thread, pins and artifacts are never touched.
   */
  readonly redactSecrets?: boolean;
  /** The provider's request format. Anthropic Messages by default. */
  readonly format?: ProviderFormat;
  /**
   * System text and tools of the host, for every request. What a call of `prepare` passes takes precedence field by
   * field, for that request: a call with `tools` alone keeps this `system`.
   */
  readonly frame?: FrameFields;
  /**
   * The role of the messages that stand for folded spans; takes precedence over `config.summaryRole` and the preset's.
   */
  readonly summaryRole?: SummaryRole;
  /**
   * Name of the model that requests go to. What it cannot take back, such as another model's signed reasoning, is left
   * out with a warning. Without it the format's own table holds, which suits the strictest model. Where neither `config`
   * nor the preset sets `maxInputTokens`, the model's effective window is the cap; its prices weigh folds.
   */
  readonly model?: string;
  /** What is known of models, on top of the table that comes with Threadfold (`MODELS`); a row of one's own wins. */
  readonly models?: readonly ModelRow[];
  /**
   * Set to have requests mark where their cached prefixes end, as far as the provider of the format and the model take such
   * marks: behind tools and system text, behind the folds, where the request before ended, and at the newest message that
   * stays. `ttl` is for providers that let one choose. Gemini finds prefixes itself and has no marks, OpenAI's formats need
   * `model` to be one that takes them. Marks that came with the thread give way. The marks move from request to request
   * and are part of `payload` alone: digest, recorded bytes and replay are those of the request without them. False by
   * default.
   */
  readonly cacheBreakpoints?: boolean | { readonly ttl?: "5m" | "1h" };
  /**
   * `auto` marks as `cacheBreakpoints: true` does, and chooses request by request for which time prefixes are kept where the
   * provider lets one choose (Anthropic: five minutes or one hour), by the pauses seen so far. `cacheTime` of a prepared request
   * says which. Not together with `cacheBreakpoints`.
   */
  readonly cachePolicy?: "auto";
  /**
   * Has the provider compact by its own means, beside our folds (Anthropic Messages and OpenAI Responses). `threshold`: every
   * request asks for it in `payload`, above `compactAt` tokens, by default four fifths of what makes us fold. `on-demand`:
   * only `ContextSession.compactAtProvider` does. What comes back in an answer is an entry of the thread; the next plan names it,
   * so that it is sent in the place of what it stands for, and holds our own fold beside it, without a model, for every other
   * provider. A fold of ours takes its place once that is due. Models that are known not to compact are not asked.
   */
  readonly providerCompaction?: ProviderCompactionOption;
  /**
   * Checks whether the source of a replayable result is still as it was. Without one no result is cleared for being
   * replayable.
   */
  readonly determinismProbe?: DeterminismProbe;
  /**
   * What tools say of their own results, made with `declareTool`. `config.toolDurabilityOverrides` takes precedence. What
   * a tool notes about its sources is noted when its results are appended, and compared before one would be cleared.
   */
  readonly declaredTools?: readonly ToolDeclaration[];
  /**
   * What `prepare` does with a request that takes more than `maxInputTokens` less answer and safety buffer after folding.
   * `barest`: where the fold failed, everything that can be is folded without a model; a request that fits is handed out,
   * and otherwise `BudgetInfeasibleError` is thrown. `throw`: it is thrown at once. `send`: the request is handed out as
   * it is, for a host that reads `outcome` and `overBudget`. A hook's veto and switched-off folding are heeded in any case.
   * `barest` by default; `prepare` may override it call by call.
   */
  readonly onOverBudget?: OverBudget;
  /**
   * False to fold nothing unasked: `prepare` and `compact` say `disabled`, a plan that is there already stays, and
   * `compact({ force: true })` folds all the same. `setAutoCompaction` switches it over later. The
   * environment variable `THREADFOLD_DISABLE_COMPACTION` set to `1` or `true` does the same, whatever is set here. True
   * by default.
   */
  readonly compaction?: boolean;
  /**
   * Who waits for the summaries of `summaryModel` or `summarizer`. By default no `prepare` does: a fold that is due and does
   * not press begins when its request is handed out, and holds from the request after its commit; before that, what calls used
   * meanwhile and it would take out is told in its summary. A request that does not fit its room is folded at once, without
   * the model. `false`: the request that finds a fold due waits for it, as suits a process that ends after each turn, whose
   * `close` would end every fold behind it. With a `queue`, workers fold ahead of need (`startCompactionWorker`): `prepare`
   * asks for a fold and goes on, takes over the new plan once it is committed, and folds by itself only when the request
   * exceeds the cap or the queue does not answer.
   */
  readonly background?: BackgroundOptions | false;
  /** The variables that are looked at. The process's own by default. */
  readonly environment?: Environment;
  /**
   * Search by meaning, for `search_thread` and for what comes back on its own: `store` holds what the host put there,
   * and `embed` turns a query into a vector. What it finds comes behind what words find, with tokens of its own. A
   * store or embedder that fails or takes too long is reported as `vector_search_failed`, and the words alone answer.
   */
  readonly vectors?: VectorSearch;
  /** What the host has called before and after a fold. */
  readonly hooks?: SessionHooks;
  /** From this many folds on notices warn that accuracy may suffer. What the preset says by default, or 3. */
  readonly warnAfterCompactions?: number;
  /** Dates plans, records and events. The machine's clock by default. */
  readonly clock?: Clock;
  /**
   * False for a session that nobody will replay or audit, such as one whose store ends with the process: nothing goes
   * into the journal, and the digests that only the journal needs are not made. True by default.
   */
  readonly journal?: boolean;
  /** Whose thread it is, in a store that keeps tenants apart: what is kept of it is stored as theirs. Nobody's by default. */
  readonly tenantId?: string | null;
  /** On whose behalf externalized content is read back; the journal then says who read what, and who was refused. */
  readonly securityContext?: SecurityContext;
  /** Called with every event of compaction. What it throws is ignored. */
  readonly onEvent?: CompactionEventListener;
}
