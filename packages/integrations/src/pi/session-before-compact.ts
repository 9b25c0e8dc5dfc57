import type {
  CompactionResult,
  ExtensionContext,
  ExtensionHandler,
  SessionBeforeCompactEvent,
  SessionBeforeCompactResult,
} from "@earendil-works/pi-coding-agent";
import type { CompactionOutcome } from "@threadfold/core";
import { exportSession } from "@threadfold/importers";
import { type ContextSession, planWindow, type SessionOptions } from "@threadfold/session";
import { createMemoryStore } from "@threadfold/stores";
import { type CompactionPreset, piPreset, windowStrategy } from "@threadfold/strategies";
import { type BranchLog, branchLog } from "./branch-log.ts";
import { branchSession, importBranch, ordinalFrom } from "./branch-session.ts";

/** Why Threadfold supplied no compaction. pi then makes its own, as if the handler were not there. */
export type PiProblem =
  /** There was no fold: the outcome says why. */
  | { readonly kind: "no-fold"; readonly outcome: CompactionOutcome }
  /** The fold changes bodies behind the summary, which a compaction entry of pi cannot say. */
  | { readonly kind: "not-expressible" }
  /** The branch could not be read, or the store failed. The error may quote content. */
  | { readonly kind: "failed"; readonly error: unknown };

/** What Threadfold folds sessions of pi with. */
export interface PiCompactionOptions extends Omit<SessionOptions, "threadId" | "preset" | "format"> {
  /** Hears why pi was left to its own compaction. What a fold came to goes to `onEvent`. */
  readonly onProblem?: (problem: PiProblem) => void;
}

type Handler = ExtensionHandler<SessionBeforeCompactEvent, SessionBeforeCompactResult>;
type Result = SessionBeforeCompactResult | PiProblem;

/**
 * Makes a handler for pi's `session_before_compact`: pi decides when to compact and what it keeps, and Threadfold supplies
 * the compaction entry. Its summary is structured, pins stay in it word for word, and a later one adds to it instead of
 * rewriting it. pi's log stays as it is; the thread, its plans and what was folded are in `store` as well, where `explain`
 * and `search` find them. Without `store` they last as long as the process.
 *
 * Never throws: when nothing can be supplied pi goes on with its own compaction. The veto of a hook and the aborted signal
 * cancel pi's compaction.
 */
export function sessionBeforeCompact({ onProblem, ...options }: PiCompactionOptions = {}): Handler {
  const store = options.store ?? createMemoryStore();
  return async (event, context) => {
    const result = await supply(event, context, { ...options, store });
    if (event.signal.aborted) return { cancel: true };
    if (!("kind" in result)) return result;
    onProblem?.(result);
    return undefined;
  };
}

async function supply(
  event: SessionBeforeCompactEvent,
  context: ExtensionContext,
  options: Omit<PiCompactionOptions, "onProblem">,
): Promise<Result> {
  try {
    return await folded(event, context, options);
  } catch (error) {
    return { kind: "failed", error };
  }
}

async function folded(
  { signal, branchEntries, preparation, customInstructions }: SessionBeforeCompactEvent,
  { sessionManager, model }: ExtensionContext,
  options: Omit<PiCompactionOptions, "onProblem">,
): Promise<Result> {
  const { firstKeptEntryId, tokensBefore } = preparation;
  const log = branchLog(sessionManager.getSessionId(), branchEntries);
  const imported = await importBranch(log, signal);
  let cut = 0;
  const session = await branchSession(imported, {
    ...options,
    preset: keepingFrom(() => cut),
    config: { maxInputTokens: model?.contextWindow ?? tokensBefore + 1, ...options.config },
  });
  const line = log.lineOf(firstKeptEntryId);
  cut = line === undefined ? session.thread.length : ordinalFrom(session.thread, line);
  const instructions = customInstructions === undefined ? {} : { instructions: customInstructions };
  const outcome = await session.compact({ force: true, signal, ...instructions });
  if (outcome.type === "vetoed") return { cancel: true };
  if (!("plan" in outcome)) return { kind: "no-fold", outcome };
  const compaction = compactionOf(session, log);
  return compaction === undefined ? { kind: "not-expressible" } : { compaction: { ...compaction, tokensBefore } };
}

/** pi's policy with pi's own cut: pi knows the user's settings, and where a turn is to be split. */
const keepingFrom = (cut: () => number): CompactionPreset => ({
  ...piPreset,
  ladder: [windowStrategy({ name: "pi-cut", cut, fold: "summarize" })],
});

/** The compaction that the exporter writes behind the branch, when it is all that the exporter writes. */
function compactionOf(
  { thread, plan }: ContextSession,
  log: BranchLog,
): Omit<CompactionResult, "tokensBefore"> | undefined {
  const window = planWindow(thread, plan);
  const { text, added } = exportSession("pi", { thread, plan, window, at: plan.createdAt, source: log.text });
  if (added !== 1) return undefined;
  const { summary, firstKeptEntryId, details } = JSON.parse(text.slice(log.text.length));
  return typeof summary === "string" ? { summary, firstKeptEntryId, details } : undefined;
}
