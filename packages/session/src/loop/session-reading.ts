import {
  type AgentThread,
  type CacheBill,
  type Calibration,
  type CompactionPlan,
  type ContextCompactionConfig,
  cacheBill,
  checkOptions,
  type Explanation,
  type MessageId,
  type OptionKinds,
  type RecallPage,
  type RecallRequest,
  requireBranch,
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

/** What is wrong with a value, the search itself says. */
const RECALL_REQUEST: OptionKinds<RecallRequest> = {
  text: "any",
  branch: "any",
  after: "any",
  before: "any",
  roles: "any",
  except: "any",
  limit: "any",
  cursor: "any",
};

/** The read-only part of a session: what can be asked of it without changing its thread or its plan. */
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

  /** Loads the whole thread and its plan into memory, once, for code that walks {@link thread} or {@link plan}. */
  loadHistory(): Promise<void> {
    return this.#services.history.load();
  }

  /**
   * The thread as this session knows it. After a resume, part of it may still be only in the store: see
   * {@link loadHistory}.
   */
  get thread(): AgentThread {
    return this.#services.thread.state.thread;
  }

  /** Returns the title last set with `setTitle`; null when none was set. */
  title(): Promise<string | null> {
    return threadTitle(this.store, this.threadId);
  }

  /** The plan that the next request is rendered with. */
  get plan(): CompactionPlan {
    return this.#services.plan.current;
  }

  /** The configuration in force now. */
  get config(): ContextCompactionConfig {
    return this.#services.request.config;
  }

  /** Name of the model that requests are made for; undefined when none was given. */
  get model(): string | undefined {
    return this.#services.request.model;
  }

  /** System text and tools that the session was opened with; a call to `prepare` may override them. */
  get frame(): RequestFrame {
    return this.#services.request.ownFrame;
  }

  /** The provider's request format. */
  get format(): ProviderFormat {
    return this.#services.request.format;
  }

  /** What has been learned about how models count tokens. Keep it, and open the next session with it. */
  get calibration(): Calibration {
    return this.#services.memory.calibration;
  }

  /**
   * Returns the thread's rules: those in force, with who stated them and since when; those that were lifted, and why;
   * those that did not fit the cap on pins; and candidates, which may be rules or retractions. Confirm a candidate with
   * `pin(text, authority)`, lift the rule that it retracts with `liftPin`, or drop it with `liftPin(candidate.id, …)`.
   * Walks the thread.
   */
  async rules(): Promise<ThreadRules> {
    await this.loadHistory();
    return threadRules(this.thread);
  }

  /**
   * Returns the items in the summaries of {@link plan} that read as if a user had requested, ruled or allowed
   * something, but that no user or system message supports. The prompt marks these items as the agent's own notes.
   * Walks the thread.
   */
  async unsourcedItems(): Promise<readonly UnsourcedItem[]> {
    await this.loadHistory();
    return unsourcedInPlan(this.plan, (id) => this.thread.message(id));
  }

  /**
   * Searches the thread, folded or not, for passages by their words. With a branch, walks the thread.
   *
   * @throws ThreadfoldError `INVALID_QUERY`, also for a branch that the thread does not have.
   */
  async search(request: RecallRequest): Promise<RecallPage> {
    if (typeof request === "object" && request !== null) checkOptions("request", request, RECALL_REQUEST);
    if (typeof request?.branch === "string") {
      await this.loadHistory();
      requireBranch(this.threadId, this.thread.messages, request.branch);
    }
    return this.#services.unfolding.search(request);
  }

  /** Returns the tools `read_artifact` and `search_thread`, with which the model itself can get at folded content. */
  tools(): readonly [ReadArtifactTool, SearchThreadTool] {
    return this.#services.unfolding.tools();
  }

  /** Explains why a message is, or is not, in the prompt. @throws ThreadfoldError `MESSAGE_NOT_FOUND`. */
  explain(messageId: MessageId): Promise<Explanation> {
    return this.#services.history.explain(messageId);
  }

  /** Returns how full the window is under the current plan, what folding did, and what the provider reported. */
  stats(): SessionStats {
    return sessionStats(this.#services);
  }

  /**
   * Returns what the thread's calls cost, according to its journal: dollars and tokens per cause of prompt cache
   * misses, per fold and summary call and for recall answers, and what the same calls would have cost otherwise. Reads
   * the whole journal.
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

  /** Returns signs that the newest fold removed something that was still needed. Walks the thread. */
  async quality(taskCompletionSuccess: boolean | null = null): Promise<CompactionQualityMetrics> {
    await this.loadHistory();
    return compactionQuality(this.thread, this.plan, taskCompletionSuccess);
  }

  /**
   * Returns what the thread is about, for people, in at most two sentences: written by `summaryModel`, or else quoted
   * from its first and its newest request. Walks the thread.
   */
  async shortSummary(options: ShortSummaryOptions = {}): Promise<string> {
    checkOptions("options", options, { summaryModel: "object", signal: "signal" });
    await this.loadHistory();
    return shortSummary(this.thread, { ...this.#options, ...options });
  }

  /** Renders every recorded request again and compares the bytes (P2). @throws ThreadfoldError `THREAD_NOT_FOUND`. */
  async replay(options: ReplayOptions = {}): Promise<readonly ReplayedRequest[]> {
    checkOptions("options", options, { formats: "list" });
    const { formats = [] } = options;
    return replayThread(this.#services.store, this.threadId, { formats: [...formats, this.format] });
  }
}
