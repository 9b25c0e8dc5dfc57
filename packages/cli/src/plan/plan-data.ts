import { setImmediate as nextTick } from "node:timers/promises";
import { actionOf, type CompactionAction, planRecords, ThreadfoldError, type ThreadId } from "@threadfold/core";
import type { ImportedSession } from "@threadfold/importers";
import { countedBudget } from "@threadfold/inspection";
import { ContextSession, type HiddenContent, type PlanPreview, type PreviewOutcome } from "@threadfold/session";
import { loadTokenizer } from "@threadfold/tokenizers";
import type { CliContext } from "../command/cli-command.ts";
import { type SourceData, sourceData } from "../compact/compact-data.ts";
import type { CompactRequest } from "../compact/compact-run.ts";

/** The records of a plan with the same action and strategy. */
interface PlannedGroup {
  readonly action: Exclude<CompactionAction, "include">;
  readonly strategy: string;
  readonly messages: number;
  /** Tokens of the messages when unfolded. */
  readonly tokens: number;
  /** The reason of the record with the most tokens. */
  readonly reason: string;
}

/** The cost and savings of a commit, in input-token-equivalents, with the prices used. */
export interface PlanCost {
  readonly prices: { readonly id: string; readonly read: number; readonly write: number; readonly ttlSeconds: number };
  readonly cache: "warm" | "cold" | "uncached";
  readonly rewrittenTokens: number;
  readonly cost: number;
  readonly savingPerCall: number;
  /** Null when the commit never pays off. */
  readonly breakEvenCalls: number | null;
  readonly expectedCalls: number;
}

/** The `data` of `plan --json`. It is a public interface: fields are added but never changed. Sizes are in tokens. */
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
  /** Null when no cost was computed. */
  readonly cost: PlanCost | null;
  readonly hidden: HiddenContent;
}

/** Returns the result of `plan` as data. */
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

/** The parsed call of `plan`: that of `compact`, the prices to use, and whether to fold although no fold is due. */
export interface PlanRequest extends CompactRequest {
  readonly dryRun: boolean;
  readonly force: boolean;
  /** Id of the price row; that of the request format when absent. */
  readonly prices: string | undefined;
  /** The command that commits the plan, except for the store option. */
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
