import { actionOf, type ClearTarget, type CompactionPlan, type Message, type MessageId } from "@threadfold/core";
import { acceptedToolName } from "../../conform/accepted-name.ts";
import { ANTHROPIC_REQUIREMENTS } from "../../formats/anthropic-messages/requirements.ts";
import { oldestRun } from "../oldest-run.ts";
import type { ClearToolUsesEdit } from "./context-management.ts";

/** A call with its result, as the provider counts them. */
interface ToolUse {
  /** As it is sent. */
  readonly toolName: string;
  readonly call: MessageId;
  /** Null for a call that nobody answered yet. */
  readonly result: MessageId | null;
  readonly isCleared: boolean;
}

/** Clearing of tool uses by the provider. */
export interface ToolUseClearing {
  readonly edit: ClearToolUsesEdit;
  /** Messages whose results, and whose inputs, the provider clears in our place. */
  readonly results: readonly MessageId[];
  readonly inputs: readonly MessageId[];
  /** Messages with results that it clears though the plan keeps them. */
  readonly clearedToo: readonly MessageId[];
}

/**
 * The cleared results of a plan as tool uses that the provider clears: it clears the oldest, except those of tools that
 * are named. Counted anew for every request, so that the same results stay cleared while the thread grows. Null when the
 * plan clears none that the provider could.
 */
export function clearToolUses(
  messages: readonly Message[],
  plan: CompactionPlan,
  mayClearMore: boolean,
): ToolUseClearing | null {
  const uses = toolUses(messages, plan);
  const cleared = new Set(uses.filter(({ isCleared }) => isCleared).map(({ toolName }) => toolName));
  const spared = uses.filter(({ toolName }) => !cleared.has(toolName));
  const aged = uses.filter(({ toolName }) => cleared.has(toolName));
  const taken = aged.slice(0, oldestRun(aged, mayClearMore));
  const last = taken.at(-1);
  if (last === undefined) return null;
  // Newer uses of spared tools are counted in: where the provider leaves them out of its count, it keeps more and not less.
  const newer = uses.length - uses.indexOf(last) - 1;
  const older = new Set(uses.slice(0, uses.indexOf(last)));
  const excluded = [...new Set(spared.filter((use) => older.has(use)).map(({ toolName }) => toolName))];
  const clearsInputs = taken.every(({ call }) => clears(plan, call, "tool-input"));
  return {
    edit: {
      type: "clear_tool_uses_20250919",
      trigger: { type: "tool_uses", value: Math.max(1, newer) },
      keep: { type: "tool_uses", value: newer },
      ...(clearsInputs && { clear_tool_inputs: true }),
      ...(excluded.length > 0 && { exclude_tools: excluded }),
    },
    results: taken.flatMap(({ result, isCleared }) => (isCleared && result !== null ? [result] : [])),
    inputs: clearsInputs ? wholly(taken, uses) : [],
    clearedToo: taken.flatMap(({ result, isCleared }) => (isCleared || result === null ? [] : [result])),
  };
}

/** Messages all of whose calls are among those. */
function wholly(taken: readonly ToolUse[], uses: readonly ToolUse[]): readonly MessageId[] {
  const partly = new Set(uses.filter((use) => !taken.includes(use)).map(({ call }) => call));
  return [...new Set(taken.map(({ call }) => call))].filter((call) => !partly.has(call));
}

function toolUses(messages: readonly Message[], plan: CompactionPlan): readonly ToolUse[] {
  const results = Map.groupBy(
    messages.flatMap(({ id, parts }) => parts.flatMap((part) => (part.type === "tool-result" ? [{ id, part }] : []))),
    ({ part }) => part.result.callId,
  );
  return messages.flatMap(({ id: call, parts }) =>
    parts.flatMap((part): readonly ToolUse[] => {
      if (part.type !== "tool-call") return [];
      // An id that is used twice has its results in the order of its calls.
      const result = results.get(part.callId)?.shift()?.id ?? null;
      const isCleared = result !== null && clears(plan, result, "tool-result");
      return [{ toolName: acceptedToolName(part.toolName, ANTHROPIC_REQUIREMENTS.toolNames), call, result, isCleared }];
    }),
  );
}

/** True when the plan empties this of a message; truncation is no clearing. */
function clears(plan: CompactionPlan, id: MessageId, target: ClearTarget): boolean {
  const { record } = actionOf(plan, id);
  return record?.action === "clear" && record.keep === undefined && record.targets.includes(target);
}
