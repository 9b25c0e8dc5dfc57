import { actionOf, type ClearTarget, type CompactionPlan, type Message, type MessageId } from "@threadfold/core";
import { acceptedToolName } from "../capabilities/format-requirements.ts";
import { ANTHROPIC_REQUIREMENTS } from "../formats/anthropic-messages/requirements.ts";

/** A call with its result, as the provider counts it. */
interface ToolUse {
  /** The tool name as it is sent. */
  readonly toolName: string;
  readonly call: MessageId;
  /** Null for a call that has not been answered yet. */
  readonly result: MessageId | null;
  readonly isCleared: boolean;
}

/** A clearing of tool uses by the provider. */
export interface ToolUseClearing {
  readonly edit: ClearToolUsesEdit;
  /** Messages whose results, and messages whose inputs, the provider clears for us. */
  readonly results: readonly MessageId[];
  readonly inputs: readonly MessageId[];
  /** Messages whose results it clears although the plan keeps them. */
  readonly clearedToo: readonly MessageId[];
}

/**
 * Translates the cleared results of a plan into tool uses that the provider clears: it clears the oldest ones, except
 * those of tools that are excluded by name. Counted again for every request, so that the same results stay cleared
 * while the thread grows. Null when the provider could clear none of those that the plan clears.
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
  // Newer uses of spared tools are included: if the provider does not count them, it keeps more, never less.
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

/** Returns the messages whose calls are all among `taken`. */
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
      // When an id is used twice, its results come in the order of its calls.
      const result = results.get(part.callId)?.shift()?.id ?? null;
      const isCleared = result !== null && clears(plan, result, "tool-result");
      return [{ toolName: acceptedToolName(part.toolName, ANTHROPIC_REQUIREMENTS.toolNames), call, result, isCleared }];
    }),
  );
}

/** Checks whether the plan clears this target of a message; truncation does not count as clearing. */
function clears(plan: CompactionPlan, id: MessageId, target: ClearTarget): boolean {
  const { record } = actionOf(plan, id);
  return record?.action === "clear" && record.keep === undefined && record.targets.includes(target);
}

/** A clearing of thinking by the provider, and the messages whose reasoning it clears for us. */
export interface ThinkingClearing {
  readonly edit: ClearThinkingEdit;
  readonly messageIds: readonly MessageId[];
}

/**
 * Translates the cleared reasoning of a plan into turns whose thinking the provider clears: the oldest ones, and never
 * the newest. A tool loop is one turn. Null when the provider could clear none of it.
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

/** Something that a provider clears by age. */
interface AgedItem {
  /** Whether the plan clears it. */
  readonly isCleared: boolean;
}

/**
 * Returns how many of the oldest items a provider that clears by age may clear: up to the last item that the plan
 * clears, but not past the first one that it keeps, unless more may be cleared. Items come oldest first.
 */
function oldestRun(items: readonly AgedItem[], mayClearMore: boolean): number {
  const kept = items.findIndex(({ isCleared }) => !isCleared);
  const reach = mayClearMore || kept < 0 ? items.length : kept;
  return items.slice(0, reach).findLastIndex(({ isCleared }) => isCleared) + 1;
}

/** Anthropic's edit that clears tool results. */
export interface ClearToolUsesEdit {
  readonly type: "clear_tool_uses_20250919";
  readonly trigger: { readonly type: "tool_uses"; readonly value: number };
  readonly keep: { readonly type: "tool_uses"; readonly value: number };
  readonly clear_tool_inputs?: boolean;
  readonly exclude_tools?: readonly string[];
}

/** Anthropic's edit that clears thinking. */
interface ClearThinkingEdit {
  readonly type: "clear_thinking_20251015";
  readonly keep: { readonly type: "thinking_turns"; readonly value: number };
}

/** Anthropic's edit that compacts the prompt. */
export interface CompactEdit {
  readonly type: "compact_20260112";
  readonly trigger: { readonly type: "input_tokens"; readonly value: number };
  readonly instructions?: string;
  readonly pause_after_compaction?: boolean;
}

/** The field of a request that asks for server-side edits. Absent when none is requested. */
export interface AnthropicNativeFields {
  readonly context_management?: {
    /** Thinking comes first, as the API requires when edits are combined. */
    readonly edits: readonly (ClearThinkingEdit | ClearToolUsesEdit | CompactEdit)[];
  };
}

/** Required by requests that clear. */
export const CONTEXT_EDITING_BETA = "context-management-2025-06-27";
/** Required by requests that compact and by every request that carries a compaction block. */
export const COMPACTION_BETA = "compact-2026-01-12";
/** The lowest threshold that the provider accepts, in tokens. */
export const LEAST_COMPACTION_TOKENS = 50_000;
