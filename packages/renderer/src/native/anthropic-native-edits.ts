import type { AgentThread, ClearTarget, CompactionPlan, Message, MessageId, Pin, PlanRecord } from "@threadfold/core";
import { ANTHROPIC_REQUIREMENTS } from "../formats/anthropic-messages/requirements.ts";
import { isPlainObject } from "../legality/legality-rule.ts";
import { quotedPin } from "../neutral/pins.ts";
import {
  type AnthropicNativeFields,
  COMPACTION_BETA,
  CONTEXT_EDITING_BETA,
  type CompactEdit,
  clearThinking,
  clearToolUses,
  LEAST_COMPACTION_TOKENS,
  type ThinkingClearing,
  type ToolUseClearing,
} from "./clear-tool-uses.ts";
import {
  type LeftReason,
  leftToRendering,
  type NativeCompactionOptions,
  type NativeDifference,
  type NativeEdits,
  restOfPlan,
  sentMessages,
  summarizedByProvider,
} from "./native-edits.ts";

/** Which of Anthropic's edits a plan is translated to, and how. */
export interface AnthropicNativeOptions extends NativeCompactionOptions {
  /** The edits that may be used; all of them by default. */
  readonly edits?: readonly ("clear-tool-uses" | "clear-thinking" | "compact")[];
  /** Whether results that the plan keeps may be cleared along with older ones that it clears. False by default. */
  readonly mayClearMore?: boolean;
  /** Replaces the provider's summarization prompt. By default that prompt itself, or one that names the live pins. */
  readonly instructions?: string;
  /** Whether the provider returns the compaction block before it answers. */
  readonly pauseAfterCompaction?: boolean;
}

const EVERY_EDIT = ["clear-tool-uses", "clear-thinking", "compact"] as const;

/**
 * Translates a plan into edits that Anthropic's API makes on its side: cleared results and reasoning become context
 * editing, summaries become compaction. Opt-in: nothing is translated this way unless a host calls this function and
 * sends its result. Pure; call it again for every request, since the provider counts from the newest tool use and turn.
 *
 * The request is the lowered rendering of `rest` with `fields` added and the betas requested. Figures are those of the
 * SDK's `context_management` (types of version 1.12); `differences` lists where the provider deviates from the plan.
 */
export function anthropicNativeEdits(
  thread: AgentThread,
  plan: CompactionPlan,
  options: AnthropicNativeOptions = {},
): NativeEdits<AnthropicNativeFields> {
  const { edits = EVERY_EDIT, mayClearMore = false } = options;
  const compacts = edits.includes("compact") && plan.summarizations.length > 0;
  const messages = sentMessages(thread, compacts ? { ...plan, summarizations: [] } : plan);
  const thinking = edits.includes("clear-thinking") ? clearThinking(messages, plan) : null;
  const uses = edits.includes("clear-tool-uses") ? clearToolUses(messages, plan, mayClearMore) : null;
  const compaction = compacts ? compactEdit(thread, plan, options) : null;
  const rest = restOfPlan(plan, takenTargets(thinking, uses), compacts);
  const wanted = [thinking?.edit, uses?.edit, compaction].filter((edit) => edit !== undefined && edit !== null);
  const betas = [
    ...(thinking !== null || uses !== null ? [CONTEXT_EDITING_BETA] : []),
    ...(compacts || messages.some(carriesCompaction) ? [COMPACTION_BETA] : []),
  ];
  return {
    fields: wanted.length === 0 ? {} : { context_management: { edits: wanted } },
    betas,
    headers: betas.length === 0 ? {} : { "anthropic-beta": betas.join(",") },
    rest,
    differences: [
      ...leftToRendering(rest, (record) => reasonOf(record, options)),
      ...(uses === null ? [] : clearingDifferences(uses, plan)),
      ...(compaction === null ? [] : compactionDifferences(thread, plan, rest, options, compaction)),
      ...(wanted.length === 0 ? [] : [{ kind: "edited-out-of-sight" } as const]),
    ],
  };
}

function compactEdit(thread: AgentThread, plan: CompactionPlan, options: AnthropicNativeOptions): CompactEdit {
  const { compactAt = plan.compactedTokens, pauseAfterCompaction } = options;
  const instructions = options.instructions ?? pinInstructions(thread.livePins);
  return {
    type: "compact_20260112",
    trigger: { type: "input_tokens", value: Math.max(LEAST_COMPACTION_TOKENS, compactAt) },
    ...(instructions !== undefined && { instructions }),
    ...(pauseAfterCompaction !== undefined && { pause_after_compaction: pauseAfterCompaction }),
  };
}

function takenTargets(thinking: ThinkingClearing | null, uses: ToolUseClearing | null) {
  const taken = new Map<MessageId, readonly ClearTarget[]>();
  const take = (ids: readonly MessageId[], target: ClearTarget): void => {
    for (const id of ids) taken.set(id, [...(taken.get(id) ?? []), target]);
  };
  take(thinking?.messageIds ?? [], "reasoning");
  take(uses?.results ?? [], "tool-result");
  take(uses?.inputs ?? [], "tool-input");
  return taken;
}

function clearingDifferences(uses: ToolUseClearing, plan: CompactionPlan): readonly NativeDifference[] {
  const cleared = new Set(uses.results);
  const withKeyData = plan.clearings
    .filter(({ preservedFields }) => Object.keys(preservedFields).length > 0)
    .flatMap(({ span }) => span.messageIds.filter((id) => cleared.has(id)));
  return [
    ...(uses.clearedToo.length > 0 ? [{ kind: "cleared-too", messageIds: uses.clearedToo } as const] : []),
    ...(withKeyData.length > 0 ? [{ kind: "key-data-lost", messageIds: withKeyData } as const] : []),
  ];
}

function compactionDifferences(
  thread: AgentThread,
  plan: CompactionPlan,
  rest: CompactionPlan,
  { compactAt }: AnthropicNativeOptions,
  { trigger: { value: threshold }, instructions = "" }: CompactEdit,
): readonly NativeDifference[] {
  const toldOfPins = thread.livePins.every(
    (pin) => instructions.includes(pin.text) || instructions.includes(quotedPin(pin)),
  );
  const isRaised = compactAt !== undefined && compactAt < threshold;
  return [
    ...summarizedByProvider(thread, plan, rest, { threshold, toldOfPins }),
    ...(isRaised ? [{ kind: "threshold-raised", asked: compactAt, threshold } as const] : []),
  ];
}

function reasonOf(record: PlanRecord, { edits = EVERY_EDIT }: AnthropicNativeOptions): LeftReason {
  if (record.action === "summarize") return "not-asked-for";
  if (record.action !== "clear") return "no-such-edit";
  const { targets, keep } = record;
  if (targets.includes("tool-result")) {
    if (keep !== undefined) return "keeps-head-and-tail";
    return edits.includes("clear-tool-uses") ? "something-older-stays" : "not-asked-for";
  }
  if (targets.includes("reasoning")) return edits.includes("clear-thinking") ? "thinking-by-turn" : "not-asked-for";
  return targets.includes("tool-input") ? "inputs-of-some-calls" : "no-such-edit";
}

const carriesCompaction = ({ parts }: Message): boolean =>
  parts.some(
    (part) =>
      part.type === "opaque" &&
      ANTHROPIC_REQUIREMENTS.opaqueFrom.includes(part.provider) &&
      isPlainObject(part.value) &&
      part.value.type === "compaction",
  );

/**
 * Returns what to tell the provider's summarizer when there are pins, or undefined when there are none. It replaces the
 * provider's own prompt, so it must be a complete instruction.
 */
function pinInstructions(pins: readonly Pin[]): string | undefined {
  if (pins.length === 0) return undefined;
  return [
    "Summarize the conversation so that the work can go on from the summary alone: the task in the user's own words, what was done and found, decisions and why they were made, files and names that matter, errors and how they were solved, and what is still open. Say clearly what is done already.",
    "Repeat each of the following standing instructions word for word, one per line and in its quotes, under the heading Standing instructions:",
    ...pins.map((pin) => `- ${quotedPin(pin)}`),
    "Write the summary between <summary> and </summary>.",
  ].join("\n");
}
