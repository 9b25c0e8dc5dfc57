import {
  type Clock,
  type CompactionCause,
  type CompactionPlan,
  type ContextCompactionConfig,
  overheadTokens,
  type Summarizer,
  type ThreadfoldStore,
  tokenBudget,
} from "@threadfold/core";
import type { CompactionPreset } from "@threadfold/strategies";
import { redactJson } from "@threadfold/summarizers";
import { type CompactOptions, inProviderTokens, policyOfCall, type Turn, type TurnCommit } from "@threadfold/turn";
import type { SessionEvents } from "../events/session-events.ts";
import type { SessionOptions } from "../host/session-options.ts";
import type { SessionMemory } from "../memory/session-memory.ts";
import type { RequestSettings } from "../request/request-settings.ts";
import type { FoldSummarizers } from "../summary/session-summarizer.ts";
import type { HistoryReader } from "../thread/session-history.ts";
import type { SessionThread } from "../thread/session-thread.ts";

/** What a session's turns are assembled from. */
export interface SessionTurnPorts {
  readonly options: SessionOptions;
  readonly store: ThreadfoldStore;
  readonly preset: CompactionPreset;
  readonly clock: Clock;
  readonly thread: SessionThread;
  readonly request: RequestSettings;
  readonly memory: SessionMemory;
  readonly events: SessionEvents;
  readonly sparesRehydrated: () => boolean;
}

/** What distinguishes turns that are assembled at the same moment. */
export type TurnNames = Pick<Turn, "foldId" | "summarizer"> & { readonly cause: CompactionCause };

/** Assembles the inputs of a session's turns, as they are at one moment: thread, plan, figures and what was learned. */
export class SessionTurns {
  readonly #ports: SessionTurnPorts;

  constructor(ports: SessionTurnPorts) {
    this.#ports = ports;
  }

  /** Returns the turn as of now. @throws what the journal throws when it cannot be read. */
  async now(plan: CompactionPlan, asked: CompactOptions, names: TurnNames): Promise<Turn> {
    const { options, store, preset, clock, thread, request, memory, events, sparesRehydrated } = this.#ports;
    request.take(asked.frame);
    await memory.load();
    const state = inProviderTokens(thread.state, memory.usage.estimate);
    const providerItem = options.providerCompaction === undefined ? null : request.newestItem(state.thread, plan);
    return {
      ...names,
      threadId: options.threadId,
      tenantId: options.tenantId ?? null,
      state,
      plan,
      ...policyOfCall(preset, this.config, asked),
      overheadTokens: overheadTokens(request.budget(thread.state)),
      renderer: request.renderer(thread.state),
      artifacts: store.artifacts,
      ...((options.redactSecrets ?? true) && { redact: redactJson }),
      ...(options.determinismProbe !== undefined && { determinismProbe: options.determinismProbe }),
      clock,
      spareRehydrated: sparesRehydrated(),
      onSummaryFailure: options.onSummaryFailure ?? "fold",
      ...(options.summaryTimeLimitMs !== undefined && { summaryTimeLimitMs: options.summaryTimeLimitMs }),
      usage: memory.usage,
      idleSeconds: memory.idleSeconds,
      price: request.price,
      history: memory.history(plan),
      ...(providerItem !== null && { providerItem }),
      emit: (event) => events.emit(event),
    };
  }

  /** Loads what the fold of a turn looks at, for a session that resumed its thread. @throws what the store throws. */
  load({ config }: Turn, history: HistoryReader): Promise<void> {
    const { events, memory, options } = this.#ports;
    // Hooks are handed the thread, and listeners are told how well the last fold served, which takes all its calls.
    if (events.isHeard || (options.hooks?.preCompact ?? []).length > 0) return history.load();
    return history.loadForFold(config.maxInputTokens / Math.min(1, memory.usage.estimate.slope));
  }

  /** Makes a plan and records the tokens that it hides; see `SessionThread.countHidden`. */
  counting(makePlan: TurnCommit["plan"]): TurnCommit["plan"] {
    return async (...asked) => {
      const made = await makePlan(...asked);
      if (made.result.type === "ready") this.#ports.thread.countHidden(made.result.plan);
      return made;
    };
  }

  /** The configuration, with the stricter of its own limit and the limit learned for the model (S28). */
  get config(): ContextCompactionConfig {
    const { config } = this.#ports.request;
    const { limit } = this.#ports.memory;
    const { limitTokens, safetyBufferTokens, outputReserveTokens } = tokenBudget(config);
    if (limit >= limitTokens) return config;
    // The learned limit is not an estimate, so no margin is subtracted from it.
    return { ...config, maxInputTokens: limit + outputReserveTokens + safetyBufferTokens, safetyBufferTokens };
  }

  /** The summarizer for the next fold; see `SessionMemory.summarizer`. */
  summarizer(summarizers: FoldSummarizers, { force }: CompactOptions): Summarizer {
    const isKeeping = this.#ports.options.onSummaryFailure === "keep";
    return this.#ports.memory.summarizer(summarizers, force === true || isKeeping);
  }
}
