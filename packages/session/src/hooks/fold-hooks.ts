import {
  type CompactionCause,
  type CompactionNotice,
  type CompactionOutcome,
  type CompactionPlan,
  type ContextCompactionEvent,
  type NewItem,
  problemOf,
  type Summarizer,
  type SummaryChange,
  ThreadfoldError,
  withinLimit,
} from "@threadfold/core";
import { ExtractiveSummarizer, redactingSummarizer } from "@threadfold/summarizers";
import { type CompactOptions, limitedSummarizer, type Turn, waitedForOnce } from "@threadfold/turn";
import type { Hook, HookMatcher, PreCompactInput, PreCompactRuling, SessionHooks } from "../host/session-hooks.ts";
import type { SessionOptions } from "../host/session-options.ts";
import type { SessionThread } from "../thread/session-thread.ts";

type FoldHookOptions = Pick<SessionOptions, "hooks" | "redactSecrets" | "summaryTimeLimitMs">;

/** Runs a session's hooks around folds. */
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

  /** Asks the pre-compact hooks about a fold that is due, and pins the texts that they ask to pin. */
  async before(turn: Turn, reason: string, options: CompactOptions): Promise<CombinedRuling> {
    const { threadId, foldId, cause, state, plan, config, renderer } = turn;
    const { instructions, signal } = options;
    const ruling = await preCompactRuling(this.#hooks, this.#run(turn, signal), {
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

  /** Returns a summarizer for the summary in a ruling, or the other one when the ruling has none. */
  summarizer({ summary }: CombinedRuling, otherwise: Summarizer): Summarizer {
    if (summary === null) return otherwise;
    const supplied = suppliedSummarizer(summary, this.#summaryTimeLimitMs);
    return this.#redacts ? redactingSummarizer(supplied) : supplied;
  }

  /** Calls the hooks for a committed plan: post-compact, session-start with source `compact`, then boundary. */
  async after(
    turn: Turn,
    { outcome, plan, notice }: { outcome: CompactionOutcome; plan: CompactionPlan; notice: CompactionNotice },
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const { threadId, foldId, cause } = turn;
    const { postCompact, sessionStart, boundary } = this.#hooks;
    const run = this.#run(turn, signal);
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

  #run(turn: Turn, signal: AbortSignal | undefined): HookRun {
    const { threadId, foldId, cause, config } = turn;
    return {
      cause,
      signal,
      timeoutMilliseconds: this.#hooks.timeoutMilliseconds,
      onFailure: (hook, moment, problem) =>
        turn.emit({
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

const DEFAULT_TIMEOUT = 60_000;

type HookMoment = Extract<ContextCompactionEvent, { readonly type: "compaction_hook_failed" }>["moment"];

/** Called when a hook fails. */
type HookFailure = (hook: string, moment: HookMoment, problem: string) => void;

/** How hooks are run for one fold. */
interface HookRun {
  readonly cause: CompactionCause;
  readonly timeoutMilliseconds: number | undefined;
  readonly signal: AbortSignal | undefined;
  readonly onFailure: HookFailure;
}

/**
 * Calls the matching hooks one after the other, and passes each result to `take`. A hook that throws, takes too long or
 * returns something that `take` refuses is reported and skipped. Stops early when `take` returns true.
 */
async function runHooks<Input, Result>(
  hooks: readonly Hook<Input, Result>[] = [],
  moment: HookMoment,
  { cause, timeoutMilliseconds = DEFAULT_TIMEOUT, signal, onFailure }: HookRun,
  input: (signal: AbortSignal) => Input,
  take: (result: NonNullable<Result>, hook: string) => unknown = () => undefined,
): Promise<void> {
  for (const hook of hooks) {
    if (!matches(hook.matcher, cause)) continue;
    try {
      const result = await withinLimit((either) => hook.run(input(either)), {
        ...{ milliseconds: timeoutMilliseconds, waitedFor: `the hook ${hook.name}`, timers: globalThis },
        ...{ option: "hooks.timeoutMilliseconds", ...(signal !== undefined && { signal }) },
      });
      if (result !== undefined && result !== null && (await take(result, hook.name)) === true) return;
    } catch (cause) {
      if (signal?.aborted === true) return;
      onFailure(hook.name, moment, problemOf(cause));
    }
  }
}

/** The combined rulings of the pre-compact hooks. */
interface CombinedRuling {
  readonly veto: { readonly hook: string; readonly reason: string } | null;
  readonly pins: NonNullable<PreCompactRuling["pins"]>;
  readonly instructions: readonly string[];
  readonly summary: { readonly hook: string; readonly summary: NonNullable<PreCompactRuling["summary"]> } | null;
}

async function preCompactRuling(
  hooks: SessionHooks,
  run: HookRun,
  input: Omit<PreCompactInput, "signal">,
): Promise<CombinedRuling> {
  let ruling: CombinedRuling = { veto: null, pins: [], instructions: [], summary: null };
  await runHooks(
    hooks.preCompact,
    "pre-compact",
    run,
    (signal) => ({ ...input, signal }),
    (added, hook) => {
      ruling = combine(ruling, checked(added), hook);
      return ruling.veto !== null;
    },
  );
  return ruling;
}

function combine(before: CombinedRuling, added: PreCompactRuling, hook: string): CombinedRuling {
  const { veto, pins = [], instructions, summary } = added;
  return {
    veto: veto === undefined ? null : { hook, reason: veto },
    pins: [...before.pins, ...pins],
    instructions: instructions === undefined ? before.instructions : [...before.instructions, instructions],
    summary: summary === undefined ? before.summary : { hook, summary },
  };
}

function checked(ruling: PreCompactRuling): PreCompactRuling {
  const { veto, pins = [], instructions, summary } = ruling;
  const isText = (value: unknown): boolean => value === undefined || typeof value === "string";
  if (!isText(veto)) throw wrong("veto", "a string that says why");
  if (!isText(instructions)) throw wrong("instructions", "a string");
  if (!Array.isArray(pins) || !pins.every((pin) => typeof pin?.text === "string" && pin.text.trim() !== ""))
    throw wrong("pins", "a list of { text } objects that are not blank");
  if (typeof summary !== "function" && (!isText(summary) || summary?.trim() === ""))
    throw wrong("summary", "a string that is not blank, or a function");
  return ruling;
}

const wrong = (field: string, expected: string): ThreadfoldError =>
  new ThreadfoldError("INVALID_CONFIG", `${field}: a pre-compact hook returns ${expected}.`);

const matches = (matcher: HookMatcher | undefined, cause: CompactionCause): boolean =>
  matcher === undefined || (typeof matcher === "string" ? matcher === cause : matcher.includes(cause));

/**
 * Returns a summarizer that uses a hook's summary (L21). A text becomes one fact per paragraph, so that a summary that
 * is too long loses its oldest paragraphs instead of all its text; the original task is kept next to it word for word,
 * and pins are not part of a summary.
 */
function suppliedSummarizer(
  { hook, summary }: NonNullable<CombinedRuling["summary"]>,
  timeLimitMs?: number,
): Summarizer {
  const id = `hook:${hook}`;
  if (typeof summary === "function") {
    const limited = limitedSummarizer({ id, summarize: async (request) => summary(request) }, timeLimitMs);
    return waitedForOnce(limited, new ExtractiveSummarizer(), timeLimitMs);
  }
  const paragraphs = summary.split(/\n\s*\n/).flatMap((text) => (text.trim() === "" ? [] : [text.trim()]));
  return {
    id,
    summarize: async (request) => {
      const { changes } = await new ExtractiveSummarizer().summarize(request);
      const facts = paragraphs.map((text): SummaryChange => {
        const item: NewItem<"facts"> = { text, sources: [...request.span.messageIds] };
        return { op: "add", section: "facts", item };
      });
      return { changes: [...changes.filter(({ op }) => op === "set-original-task"), ...facts] };
    },
  };
}
