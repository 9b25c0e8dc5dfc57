import { actionOf, type CompactionPlan, type Message, type MessageId } from "@threadfold/core";
import { oldestRun } from "../oldest-run.ts";
import type { ClearThinkingEdit } from "./context-management.ts";

/** Clearing of thinking by the provider, and the messages whose reasoning it clears in our place. */
export interface ThinkingClearing {
  readonly edit: ClearThinkingEdit;
  readonly messageIds: readonly MessageId[];
}

/**
 * The cleared reasoning of a plan as turns whose thinking the provider clears: the oldest ones, and never the newest. A
 * tool loop is one turn. Null when the plan clears none that the provider could.
 */
export function clearThinking(messages: readonly Message[], plan: CompactionPlan): ThinkingClearing | null {
  const thinking = messages.filter(({ parts }) => parts.some(({ type }) => type === "reasoning"));
  const turns = [...Map.groupBy(thinking, ({ turn }) => turn).values()].map((turn) => ({
    messageIds: turn.map(({ id }) => id),
    isCleared: turn.every(({ id }) => clearsReasoning(plan, id)),
  }));
  const cleared = Math.min(oldestRun(turns, false), turns.length - 1);
  if (cleared <= 0) return null;
  return {
    edit: { type: "clear_thinking_20251015", keep: { type: "thinking_turns", value: turns.length - cleared } },
    messageIds: turns.slice(0, cleared).flatMap(({ messageIds }) => messageIds),
  };
}

function clearsReasoning(plan: CompactionPlan, id: MessageId): boolean {
  const { record } = actionOf(plan, id);
  return record?.action === "clear" && record.targets.includes("reasoning");
}
