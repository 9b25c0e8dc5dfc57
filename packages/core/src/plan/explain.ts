import { enablePatches, type Patch, produceWithPatches } from "immer";
import { ThreadfoldError } from "../errors/threadfold-error.ts";
import { canonicalJson } from "../json/canonical-json.ts";
import type { ArtifactId, MessageId } from "../model/ids.ts";
import type { AgentThread } from "../thread/agent-thread.ts";
import { spanLength, spanStart } from "../thread/span-reference.ts";
import { actionOf, type CompactionPlan, planRecords, requireIds } from "./compaction-plan.ts";
import { hashedPatches, hashedRecord } from "./plan-hash.ts";
import { type CompactionAction, kindOf, type PlanRecord } from "./plan-record.ts";

/** Where the full content of a message can be read. The thread always has it; an artifact may have it too. */
export type Recovery =
  | { readonly from: "thread"; readonly messageId: MessageId; readonly ordinal: number }
  | { readonly from: "artifact"; readonly artifactId: ArtifactId };

/** Why the prompt shows a message unchanged, folded, or not at all. */
export interface Explanation {
  readonly messageId: MessageId;
  readonly ordinal: number;
  readonly turn: number;
  readonly step: number;
  readonly action: CompactionAction | "hidden-branch";
  readonly planVersion: number;
  /** Version of the plan that first folded it; null when it is not folded. */
  readonly sincePlanVersion: number | null;
  readonly strategy: string | null;
  /** The reason, as one sentence for people. */
  readonly reason: string;
  /** The messages that are folded together with this one, including itself; empty when it is not folded. */
  readonly foldedWith: readonly MessageId[];
  readonly recovery: readonly Recovery[];
}

/**
 * Explains why a message is or is not in the prompt, since when, by which strategy, and how to get it back (P1).
 *
 * @throws ThreadfoldError `MESSAGE_NOT_FOUND` when the thread has no such message.
 */
export function explainMessage(
  thread: Pick<AgentThread, "id" | "message">,
  plan: CompactionPlan,
  messageId: MessageId,
): Explanation {
  const message = thread.message(messageId);
  if (message === undefined) {
    throw new ThreadfoldError("MESSAGE_NOT_FOUND", `Thread ${thread.id} has no message ${messageId}.`);
  }
  const { ordinal, turn, step, branch } = message;
  const { action, record } = actionOf(plan, messageId, ordinal);
  const artifactId = record === null ? undefined : kindOf(record).artifactOf(record);
  const hidden = branch !== undefined;
  return {
    messageId,
    ordinal,
    turn,
    step,
    action: hidden ? "hidden-branch" : action,
    planVersion: plan.version,
    sincePlanVersion: record?.sincePlanVersion ?? null,
    strategy: record?.strategy ?? null,
    reason: hidden ? `The message is on side branch ${branch}, which the main prompt does not show.` : reasonOf(record),
    foldedWith: record?.span.messageIds ?? [],
    recovery: [
      { from: "thread", messageId, ordinal },
      ...(artifactId === undefined ? [] : [{ from: "artifact" as const, artifactId }]),
    ],
  };
}

function reasonOf(record: PlanRecord | null): string {
  return record?.reason ?? "No plan record names the message; it is in the prompt as it is.";
}

/** What changed from one plan to the next. */
export interface PlanDiff {
  readonly fromVersion: number;
  readonly toVersion: number;
  readonly added: readonly PlanRecord[];
  readonly removed: readonly PlanRecord[];
  /** Immer patches from the first plan's records to the second's, both keyed by action and first message. */
  readonly patches: readonly Patch[];
  readonly inversePatches: readonly Patch[];
}

type KeyedRecords = Record<string, PlanRecord>;

/**
 * Compares two plans record by record. A record that differs in any field counts as both removed and added.
 *
 * @throws ThreadfoldError `HISTORY_NOT_LOADED` when the message ids of a plan were left in the store.
 */
export function planDiff(from: CompactionPlan, to: CompactionPlan): PlanDiff {
  requireIds(from);
  requireIds(to);
  enablePatches();
  const before = keyRecords(from);
  const after = keyRecords(to);
  const same = new Set(Object.keys(after).filter((key) => sameRecord(before[key], after[key])));
  const changed = (records: KeyedRecords) => Object.keys(records).filter((key) => !same.has(key));
  const [, patches, inversePatches] = produceWithPatches(before, (draft: KeyedRecords) => {
    for (const key of Object.keys(before)) if (!(key in after)) delete draft[key];
    for (const key of changed(after)) draft[key] = after[key] as PlanRecord;
  });
  return {
    fromVersion: from.version,
    toVersion: to.version,
    added: changed(after).map((key) => after[key] as PlanRecord),
    removed: changed(before).map((key) => before[key] as PlanRecord),
    patches,
    inversePatches,
  };
}

/**
 * Returns what changed from one plan to the next, as the journal hashes it (`diffDigest`): patches, in which the ids of
 * long spans stand as they do in what a plan's id is computed from.
 *
 * @throws ThreadfoldError `HISTORY_NOT_LOADED` when the message ids of a plan were left in the store.
 */
export const planChanges = (from: CompactionPlan, to: CompactionPlan): readonly object[] =>
  hashedPatches(planDiff(from, to).patches, to);

function keyRecords(plan: CompactionPlan): KeyedRecords {
  return Object.fromEntries(planRecords(plan).map((record) => [`${record.action} ${spanStart(record.span)}`, record]));
}

function sameRecord(a: PlanRecord | undefined, b: PlanRecord | undefined): boolean {
  if (a === b || a === undefined || b === undefined) return a === b;
  // Nearly all records that differ were made anew, which is known without writing a whole summary.
  if (a.sincePlanVersion !== b.sincePlanVersion || spanLength(a.span) !== spanLength(b.span)) return false;
  return canonicalJson(hashedRecord(a)) === canonicalJson(hashedRecord(b));
}
