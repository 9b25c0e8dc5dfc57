import { ThreadfoldError } from "../errors/threadfold-error.ts";
import type { ArtifactId, MessageId } from "../model/ids.ts";
import type { AgentThread } from "../thread/agent-thread.ts";
import { actionOf, type CompactionPlan } from "./compaction-plan.ts";
import type { CompactionAction, PlanRecord } from "./plan-record.ts";

/** Where the full content of a message can be had. The thread always has it; an artifact may have it too. */
export type Recovery =
  | { readonly from: "thread"; readonly messageId: MessageId; readonly ordinal: number }
  | { readonly from: "artifact"; readonly artifactId: ArtifactId };

/** Why a message is in the prompt as it is, or is not in it. */
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
  /** One sentence for people. */
  readonly reason: string;
  /** The messages that are folded together with this one, itself included; empty when it is not folded. */
  readonly foldedWith: readonly MessageId[];
  readonly recovery: readonly Recovery[];
}

/**
 * Answers why a message is not in the prompt, since when, by which strategy, and how to get it back (P1).
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
      ...(record?.action === "externalize" ? [{ from: "artifact" as const, artifactId: record.artifactId }] : []),
    ],
  };
}

function reasonOf(record: PlanRecord | null): string {
  return record?.reason ?? "No plan record names the message; it is in the prompt as it is.";
}
