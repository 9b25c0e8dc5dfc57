import type { CompactionNotice, CompactionOutcome, CompactionPlan, Summarizer } from "@threadfold/core";
import { redactingSummarizer } from "@threadfold/summarizers";
import type { CompactOptions } from "../fold/compact-options.ts";
import type { FoldScene } from "../fold/fold-scene.ts";
import type { SessionOptions } from "../session-options.ts";
import { suppliedSummarizer } from "../summary/supplied-summarizer.ts";
import type { SessionThread } from "../thread/session-thread.ts";
import { type CombinedRuling, type HookRun, preCompactRuling, runHooks } from "./run-hooks.ts";
import type { SessionHooks } from "./session-hooks.ts";

type FoldHookOptions = Pick<SessionOptions, "hooks" | "redactSecrets" | "summaryTimeLimitMs">;

/** What a session's hooks do around one fold. */
export class FoldHooks {
  readonly #hooks: SessionHooks;
  readonly #thread: SessionThread;
  readonly #redacts: boolean;
  readonly #summaryTimeLimitMs: number | undefined;

  constructor({ hooks = {}, redactSecrets = true, summaryTimeLimitMs }: FoldHookOptions, thread: SessionThread) {
    this.#hooks = hooks;
    this.#thread = thread;
    this.#redacts = redactSecrets;
    this.#summaryTimeLimitMs = summaryTimeLimitMs;
  }

  /** Asks the pre-compact hooks about a fold that is due, and pins what they want to have pinned. */
  async before(scene: FoldScene, reason: string, options: CompactOptions): Promise<CombinedRuling> {
    const { threadId, foldId, cause, state, plan, config, renderer } = scene;
    const { instructions, signal } = options;
    const ruling = await preCompactRuling(this.#hooks, this.#run(scene, signal), {
      threadId,
      foldId,
      cause,
      reason,
      thread: state.thread,
      plan,
      tokens: renderer.measure(plan),
      budgetLimit: config.maxInputTokens,
      ...(instructions !== undefined && { instructions }),
    });
    if (ruling.veto !== null) return ruling;
    for (const { text, authority = "operator" } of ruling.pins) await this.#thread.pin(text, authority);
    return ruling;
  }

  /** The summarizer that a ruling brings along; the one that is there when it brings none. */
  summarizer({ summary }: CombinedRuling, otherwise: Summarizer): Summarizer {
    if (summary === null) return otherwise;
    const supplied = suppliedSummarizer(summary, this.#summaryTimeLimitMs);
    return this.#redacts ? redactingSummarizer(supplied) : supplied;
  }

  /** Tells the hooks of a plan that was committed: post-compact, session-start with source `compact`, then the boundary. */
  async after(
    scene: FoldScene,
    { outcome, plan, notice }: { outcome: CompactionOutcome; plan: CompactionPlan; notice: CompactionNotice },
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const { threadId, foldId, cause } = scene;
    const { postCompact, sessionStart, boundary } = this.#hooks;
    const run = this.#run(scene, signal);
    await runHooks(postCompact, "post-compact", run, (late) => {
      return { threadId, foldId, cause, outcome, plan, signal: late };
    });
    await runHooks(
      sessionStart,
      "session-start",
      run,
      (late) => ({ threadId, source: "compact" as const, cause, plan, signal: late }),
      ({ messages }) => this.#thread.append(messages),
    );
    await runHooks(boundary, "boundary", run, () => notice);
  }

  #run(scene: FoldScene, signal: AbortSignal | undefined): HookRun {
    const { threadId, foldId, cause, config } = scene;
    return {
      cause,
      signal,
      timeoutMilliseconds: this.#hooks.timeoutMilliseconds,
      onFailure: (hook, moment, problem) =>
        scene.emit({
          threadId,
          budgetLimit: config.maxInputTokens,
          foldId,
          type: "compaction_hook_failed",
          hook,
          moment,
          problem,
        }),
    };
  }
}
