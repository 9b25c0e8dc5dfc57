import {
  type AgentThread,
  type CacheBill,
  type Calibration,
  type CompactionPlan,
  type ContextCompactionConfig,
  cacheBill,
  type Explanation,
  type MessageId,
  type RecallPage,
  type RecallRequest,
  type ThreadfoldStore,
  type ThreadId,
  type ThreadRules,
  threadRules,
  type UnsourcedItem,
  unsourcedInPlan,
} from "@threadfold/core";
import {
  type CompactionQualityMetrics,
  compactionQuality,
  type ReadArtifactTool,
  type SearchThreadTool,
} from "@threadfold/rehydration";
import type { ProviderFormat } from "@threadfold/renderer";
import { threadTitle } from "@threadfold/stores";
import type { RequestFrame } from "@threadfold/turn";
import { type ShortSummaryOptions, shortSummary } from "../handoff/short-summary.ts";
import type { SessionOptions } from "../host/session-options.ts";
import { type ReplayedRequest, type ReplayOptions, replayThread } from "../replay/replay-thread.ts";
import type { SessionServices } from "./session-services.ts";
import { type SessionStats, sessionStats } from "./session-stats.ts";

/** What can be asked of a session without changing its thread or its plan. */
export abstract class SessionReading {
  readonly threadId: ThreadId;
  readonly store: ThreadfoldStore;
  readonly #options: SessionOptions;
  readonly #services: SessionServices;

  protected constructor(options: SessionOptions, services: SessionServices) {
    this.threadId = options.threadId;
    this.store = services.givenStore;
    this.#options = options;
    this.#services = services;
  }

  /** Brings the whole thread and its plan into memory, once, for code that walks {@link thread} or {@link plan}. */
  loadHistory(): Promise<void> {
    return this.#services.history.load();
  }

  /** The thread as this session knows it; of one that was resumed some of it is in the store, see {@link loadHistory}. */
  get thread(): AgentThread {
    return this.#services.thread.state.thread;
  }

  /** The title that the thread was given last with `setTitle`; null for one that was given none. */
  title(): Promise<string | null> {
    return threadTitle(this.store, this.threadId);
  }

  /** The plan that the next request is rendered with. */
  get plan(): CompactionPlan {
    return this.#services.plan.current;
  }

  /** The figures that hold now. */
  get config(): ContextCompactionConfig {
    return this.#services.request.config;
  }

  /** Name of the model that requests are made for; undefined where nobody named one. */
  get model(): string | undefined {
    return this.#services.request.model;
  }

  /** System text and tools that the session was opened with; a call of `prepare` may override them. */
  get frame(): RequestFrame {
    return this.#services.request.ownFrame;
  }

  /** The provider's request format. */
  get format(): ProviderFormat {
    return this.#services.request.format;
  }

  /** What is known of models' counters by now. Keep it and open the next session with it. */
  get calibration(): Calibration {
    return this.#services.memory.calibration;
  }

  /**
   * The rules of the thread: those that hold, with who said them and since when; those that were lifted, and why; those
   * that found no room; and candidates, which may be rules or retractions. Confirm a candidate with `pin(text, authority)`,
   * lift the rule that it takes back with `liftPin`, or drop it with `liftPin(candidate.id, …)`. Walks the thread.
   */
  async rules(): Promise<ThreadRules> {
    await this.loadHistory();
    return threadRules(this.thread);
  }

  /**
   * What stands in the summaries of {@link plan} as if a user had asked, ruled or allowed it, and that no message of a user
   * or of the system bears out. The prompt marks these items as the agent's own notes. Walks the thread.
   */
  async unsourcedItems(): Promise<readonly UnsourcedItem[]> {
    await this.loadHistory();
    return unsourcedInPlan(this.plan, (id) => this.thread.message(id));
  }

  /** Finds passages of the thread by their words, folded or not. @throws ThreadfoldError `INVALID_QUERY`. */
  search(request: RecallRequest): Promise<RecallPage> {
    return this.#services.unfolding.search(request);
  }

  /** `read_artifact` and `search_thread`: the model's own ways to what is folded, for a host to offer. */
  tools(): readonly [ReadArtifactTool, SearchThreadTool] {
    return this.#services.unfolding.tools();
  }

  /** Says why a message is, or is not, in the prompt. @throws ThreadfoldError `MESSAGE_NOT_FOUND`. */
  explain(messageId: MessageId): Promise<Explanation> {
    return this.#services.history.explain(messageId);
  }

  /** How full the window is under the current plan, what folding did, and what the provider reported. */
  stats(): SessionStats {
    return sessionStats(this.#services);
  }

  /**
   * What the thread's calls cost and for what, by its journal: dollars and tokens by cause of every miss of the prompt cache,
   * by fold, summary call and recall answer, and what the same calls would have cost otherwise. Reads the whole journal.
   */
  async bill(): Promise<CacheBill> {
    const { models, config } = this.#options;
    const own = config?.promptCachePrice;
    const entries = await this.store.journal.read(this.threadId);
    return cacheBill(entries, {
      ...(models !== undefined && { models }),
      ...(typeof own === "object" && { prices: [own] }),
    });
  }

  /** Signs that the newest fold took away what was still needed. Walks the thread. */
  async quality(taskCompletionSuccess: boolean | null = null): Promise<CompactionQualityMetrics> {
    await this.loadHistory();
    return compactionQuality(this.thread, this.plan, taskCompletionSuccess);
  }

  /**
   * What the thread is about, in two sentences at the most, for people: by `summaryModel`, or else in the words of its
   * first and its newest request. Walks the thread.
   */
  async shortSummary(options: ShortSummaryOptions = {}): Promise<string> {
    await this.loadHistory();
    return shortSummary(this.thread, { ...this.#options, ...options });
  }

  /** Renders every recorded request of the thread again and compares the bytes (P2). @throws ThreadfoldError `THREAD_NOT_FOUND`. */
  replay({ formats = [] }: ReplayOptions = {}): Promise<readonly ReplayedRequest[]> {
    return replayThread(this.#services.store, this.threadId, { formats: [...formats, this.format] });
  }
}
