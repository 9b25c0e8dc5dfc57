import { setImmediate as nextTick } from "node:timers/promises";
import { actionOf, type CompactionAction, planRecords, ThreadfoldError, type ThreadId } from "@threadfold/core";
import type { ImportedSession } from "@threadfold/importers";
import { ContextSession, type HiddenContent, type PlanPreview, type PreviewOutcome } from "@threadfold/session";
import { loadTokenizer } from "@threadfold/tokenizers";
import type { CliContext } from "../command/cli-command.ts";
import { type SourceData, sourceData } from "../compact/compact-data.ts";
import { type CompactRequest, countedBudget } from "../compact/compact-run.ts";

/** The records of a plan that do the same by the same strategy. */
interface PlannedGroup {
  readonly action: Exclude<CompactionAction, "include">;
  readonly strategy: string;
  readonly messages: number;
  /** Tokens that the messages take unfolded. */
  readonly tokens: number;
  /** The reason of the record that holds the most tokens. */
  readonly reason: string;
}

/** What a commit costs and saves, in input-token-equivalents, with the prices that it was weighed by. */
export interface PlanCost {
  readonly prices: { readonly id: string; readonly read: number; readonly write: number; readonly ttlSeconds: number };
  readonly cache: "warm" | "cold" | "uncached";
  readonly rewrittenTokens: number;
  readonly cost: number;
  readonly savingPerCall: number;
  /** Null when it never pays. */
  readonly breakEvenCalls: number | null;
  readonly expectedCalls: number;
}

/** `data` of `plan --json`: an interface; fields are added and never changed. All figures of size are tokens. */
export interface PlanData {
  readonly threadId: ThreadId;
  readonly source: SourceData;
  readonly outcome: PreviewOutcome["type"];
  /** Why a fold is due; null when none is. */
  readonly trigger: { readonly level: "soft" | "hard"; readonly reason: string } | null;
  readonly tokens: {
    readonly before: number;
    readonly after: number;
    readonly budget: number;
    readonly counter: string;
  };
  readonly plan: {
    readonly planId: string;
    readonly version: number;
    readonly kept: number;
    readonly folded: readonly PlannedGroup[];
  };
  /** Null when nothing was weighed. */
  readonly cost: PlanCost | null;
  readonly hidden: HiddenContent;
}

/** The result of `plan`, as data. */
export function planData({ request, imported, session, counter, preview }: PlanRun): PlanData {
  const { outcome, decision, plan } = preview;
  const { thread } = session;
  const kept = [...thread.messages].filter(
    ({ branch, id }) => branch === undefined && actionOf(plan, id).action === "include",
  );
  return {
    threadId: thread.id,
    source: sourceData(imported, thread),
    outcome: outcome.type,
    trigger: decision.level === "none" ? null : { level: decision.level, reason: decision.reason },
    tokens: { ...outcome.tokens, budget: request.budget, counter },
    plan: { planId: plan.planId, version: plan.version, kept: kept.length, folded: foldedGroups(preview) },
    cost: costOf(preview),
    hidden: preview.hidden,
  };
}

function foldedGroups({ plan }: PlanPreview): readonly PlannedGroup[] {
  const groups = new Map<string, PlannedGroup & { readonly largest: number }>();
  for (const { action, strategy, span, originalTokens, reason } of planRecords(plan)) {
    const key = `${action} ${strategy}`;
    const known = groups.get(key) ?? { action, strategy, messages: 0, tokens: 0, reason, largest: 0 };
    groups.set(key, {
      ...known,
      messages: known.messages + span.messageIds.length,
      tokens: known.tokens + originalTokens,
      ...(originalTokens > known.largest && { reason, largest: originalTokens }),
    });
  }
  return [...groups.values()].map(({ largest: _largest, ...group }) => group).sort((a, b) => b.tokens - a.tokens);
}

function costOf({ weighing }: PlanPreview): PlanCost | null {
  if (weighing === null) return null;
  const { price, temperature, suffix, cost, savingPerCall, breakEvenCalls, expectedCalls } = weighing;
  const { id, read, write, ttlSeconds } = price;
  return {
    prices: { id, read, write, ttlSeconds },
    cache: temperature,
    rewrittenTokens: suffix,
    cost: Math.round(cost),
    savingPerCall: Math.round(savingPerCall),
    breakEvenCalls: Number.isFinite(breakEvenCalls) ? Math.ceil(breakEvenCalls) : null,
    expectedCalls,
  };
}

/** What `plan` was asked for: like `compact`, and by which prices, and whether a fold has to be due. */
export interface PlanRequest extends CompactRequest {
  readonly dryRun: boolean;
  readonly force: boolean;
  /** Id of the price row; that of the request format when it is absent. */
  readonly prices: string | undefined;
  /** The command that commits the plan, but for the store to commit it to. */
  readonly compactCommand: string;
}

/** The result of `plan`, before it is printed. */
export interface PlanRun {
  readonly request: PlanRequest;
  readonly imported: ImportedSession;
  readonly session: ContextSession;
  readonly counter: string;
  readonly preview: PlanPreview;
}

/**
 * Makes the plan that `compact` would commit, in memory.
 *
 * @throws ThreadfoldError what a session throws, and `ABORTED`.
 */
export async function previewSession(
  request: PlanRequest,
  imported: ImportedSession,
  { io, progress }: CliContext,
): Promise<PlanRun> {
  const { threadId, system, tools, messages } = imported;
  const tokenizer = await loadTokenizer(request.tokenizer);
  const session = await ContextSession.open({
    threadId,
    preset: request.preset,
    config: {
      ...countedBudget(request.preset, request.budget),
      ...(request.prices !== undefined && { promptCachePrice: request.prices }),
    },
    tokenizer,
    format: request.format,
    frame: { system, tools },
    clock: io.clock,
    journal: false,
  });
  progress.update("appending", 0.4);
  await session.append(messages, { signal: io.signal });
  progress.update("folding", 0.6);
  await nextTick();
  const preview = await session.dryRun({ force: request.force, signal: io.signal });
  if (io.signal.aborted) throw new ThreadfoldError("ABORTED", "The command was interrupted.");
  return { request, imported, session, counter: tokenizer.id, preview };
}
