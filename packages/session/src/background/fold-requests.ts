import { type CompactionPlan, type ContextCompactionEvent, withinLimit } from "@threadfold/core";
import { problemOf } from "../events/problem-of.ts";
import type { FoldScene } from "../fold/fold-scene.ts";
import type { BackgroundOptions } from "./background-options.ts";
import { type EnqueueResult, queueTimedOut } from "./compaction-queue.ts";

/** For so many calls of the model a session neither asks again for the same plan, nor asks a queue that did not answer. */
const CALLS_BETWEEN_REQUESTS = 8;

/** A moment in a thread's life: the plan that held, and the step. */
interface Moment {
  readonly planVersion: number;
  readonly step: number;
}

/** What a session asks of workers. The queue keeps the jobs; this remembers what was asked, so that it is asked once. */
export class FoldRequests {
  readonly softThreshold: number;
  readonly #options: Required<BackgroundOptions>;
  readonly #emit: (event: ContextCompactionEvent) => void;
  #asked: Moment | undefined;
  #failedAtStep = Number.NEGATIVE_INFINITY;

  constructor(options: Required<BackgroundOptions>, emit: (event: ContextCompactionEvent) => void) {
    this.softThreshold = options.softThreshold;
    this.#options = options;
    this.#emit = emit;
  }

  /** True while a plan may come that this session did not commit. */
  isPending(plan: CompactionPlan): boolean {
    return this.#asked?.planVersion === plan.version;
  }

  /**
   * Asks for a fold of the thread as it is. True when it is or was asked for; false when the queue did not take it, and
   * whoever needs the fold has to make it.
   */
  async ask(scene: FoldScene, tokens: number, reason: string): Promise<boolean> {
    const { step } = scene.state.thread.position;
    const planVersion = scene.plan.version;
    const isRecent = (at: number): boolean => step - at < CALLS_BETWEEN_REQUESTS;
    if (this.#asked?.planVersion === planVersion && isRecent(this.#asked.step)) return true;
    if (isRecent(this.#failedAtStep)) return false;
    const base = { threadId: scene.threadId, budgetLimit: scene.config.maxInputTokens };
    try {
      const status = await this.#enqueue(scene);
      this.#asked = { planVersion, step };
      this.#emit({ ...base, type: "compaction_requested", planVersion, tokens, reason, status });
      return true;
    } catch (cause) {
      this.#asked = undefined;
      this.#failedAtStep = step;
      this.#emit({ ...base, type: "compaction_queue_failed", problem: problemOf(cause) });
      return false;
    }
  }

  /** Hands the job in, and gives up when the queue does not answer in time: a job that it takes later does no harm. */
  async #enqueue({ threadId, tenantId, plan, state, config }: FoldScene): Promise<EnqueueResult> {
    const { queue, softThreshold, enqueueTimeoutMilliseconds } = this.#options;
    return withinLimit(
      () =>
        queue.enqueue({
          schemaVersion: 1,
          threadId,
          tenantId,
          planVersion: plan.version,
          threadVersion: state.thread.version,
          maxInputTokens: config.maxInputTokens,
          softThreshold,
        }),
      {
        ...{ milliseconds: enqueueTimeoutMilliseconds, waitedFor: "the compaction queue", timers: globalThis },
        option: "background.enqueueTimeoutMilliseconds",
        late: (limit) => queueTimedOut(limit),
      },
    );
  }
}
