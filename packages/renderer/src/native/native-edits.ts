import {
  type AgentThread,
  type ClearRecord,
  type ClearTarget,
  type CompactionAction,
  type CompactionPlan,
  type JsonObject,
  type Message,
  type MessageId,
  type PinId,
  type PlanRecord,
  planRecords,
  removesMessages,
  sealPlan,
} from "@threadfold/core";
import { asList } from "../legality/legality-rule.ts";
import { COMPACTION_BETA, LEAST_COMPACTION_TOKENS } from "./clear-tool-uses.ts";

/** A plan translated into a provider's own prompt edits, with the differences between the two. */
export interface NativeEdits<Fields extends object = JsonObject> {
  /** Fields to add to the lowered request. */
  readonly fields: Fields;
  /** Names of the beta features that the request must ask for. */
  readonly betas: readonly string[];
  /** Headers that ask for these betas, for hosts that build their own requests. */
  readonly headers: Readonly<Record<string, string>>;
  /**
   * The plan without the decisions that were handed over. Render this one: anything it no longer names is sent in full.
   */
  readonly rest: CompactionPlan;
  /** Where the provider deviates from the plan or does not follow it. Empty only when nothing was handed over. */
  readonly differences: readonly NativeDifference[];
}

/** Settings of a compaction at the provider. */
export interface NativeCompactionOptions {
  /** Prompt size in tokens above which the provider compacts. By default the plan's folded size, so it is due now. */
  readonly compactAt?: number;
}

/** Why a decision of a plan is not among the provider's own edits and is left to rendering. */
export type LeftReason =
  /** The provider has no edit for it. */
  | "no-such-edit"
  /** The edit was not asked for. */
  | "not-asked-for"
  /** The record keeps the head and tail of a body; the provider clears only whole bodies. */
  | "keeps-head-and-tail"
  /** The provider edits from the oldest message on, and the plan still renders something older. */
  | "something-older-stays"
  /** The provider clears the inputs of either all or none of the calls whose results it clears. */
  | "inputs-of-some-calls"
  /** The provider clears thinking turn by turn, from the oldest on, and never that of the newest turn. */
  | "thinking-by-turn";

/**
 * A deviation of the provider's own edits from the plan, or work left to rendering. Data, so that a host can decide.
 */
export type NativeDifference =
  /** Not handed over: these decisions are in `rest` and we render them. */
  | {
      readonly kind: "left-to-rendering";
      readonly action: CompactionAction;
      readonly reason: LeftReason;
      readonly messageIds: readonly MessageId[];
    }
  /** The provider also clears the results of these calls, though the plan keeps them. */
  | { readonly kind: "cleared-too"; readonly messageIds: readonly MessageId[] }
  /** The provider's placeholder replaces these bodies; the key data that our placeholder would show is gone. */
  | { readonly kind: "key-data-lost"; readonly messageIds: readonly MessageId[] }
  /** The provider writes its own summary of these messages; the plan's summary is not sent. */
  | { readonly kind: "summary-by-provider"; readonly messageIds: readonly MessageId[] }
  /** The provider also summarizes these messages, though the plan keeps them. */
  | { readonly kind: "summarized-too"; readonly messageIds: readonly MessageId[] }
  /** Pins that the provider's summary may lose: at best, the model is told to keep them. */
  | { readonly kind: "pins-at-risk"; readonly told: boolean; readonly pinIds: readonly PinId[] }
  /** The provider compacts only above `threshold` tokens, and this prompt has fewer. */
  | { readonly kind: "not-due"; readonly tokens: number; readonly threshold: number }
  /** The requested threshold is below the provider's minimum, which is sent instead. */
  | { readonly kind: "threshold-raised"; readonly asked: number; readonly threshold: number }
  /**
   * The final prompt is made at the provider: token counts and recorded requests describe the prompt before its edits.
   */
  | { readonly kind: "edited-out-of-sight" };

const REASONS: Readonly<Record<LeftReason, string>> = {
  "no-such-edit": "the provider has no such edit",
  "not-asked-for": "the edit was not requested",
  "keeps-head-and-tail": "the provider clears whole bodies",
  "something-older-stays": "the provider edits the oldest first, and something older stays",
  "inputs-of-some-calls": "the provider clears the inputs of all cleared calls or of none",
  "thinking-by-turn": "the provider clears thinking only for whole older turns",
};

/** Describes a difference in one line for a person. */
export function describeNativeDifference(difference: NativeDifference): string {
  switch (difference.kind) {
    case "left-to-rendering":
      return `${difference.action} of ${count(difference.messageIds)} is left to rendering: ${REASONS[difference.reason]}`;
    case "cleared-too":
      return `results in ${count(difference.messageIds)} are cleared too, though the plan keeps them`;
    case "key-data-lost":
      return `the placeholder for ${count(difference.messageIds)} shows none of the key data that the plan keeps`;
    case "summary-by-provider":
      return `the provider writes its own summary of ${count(difference.messageIds)}`;
    case "summarized-too":
      return `${count(difference.messageIds)} that the plan keeps are summarized too`;
    case "pins-at-risk":
      return `${difference.pinIds.length} pins may be lost in the provider's summary${difference.told ? ", though it is told to keep them" : ""}`;
    case "not-due":
      return `the prompt has ${difference.tokens} tokens; the provider compacts above ${difference.threshold}`;
    case "threshold-raised":
      return `the provider does not compact below ${difference.threshold} tokens; ${difference.asked} were requested`;
    case "edited-out-of-sight":
      return "the provider makes the final prompt, so counts and recorded requests show it before the provider's edits";
  }
}

const count = ({ length }: readonly unknown[]): string => `${length} ${length === 1 ? "message" : "messages"}`;

/** Returns the messages of the main branch that a plan still sends in their original place, oldest first. */
export function sentMessages(thread: AgentThread, plan: CompactionPlan): readonly Message[] {
  const removed = new Set(
    planRecords(plan).flatMap((record): readonly MessageId[] =>
      removesMessages(record) ? record.span.messageIds : [],
    ),
  );
  return [...thread.messages].filter(({ id, branch }) => branch === undefined && !removed.has(id));
}

/** For each message, the targets that the provider clears for us. */
export type TakenTargets = ReadonlyMap<MessageId, readonly ClearTarget[]>;

/** Returns the plan without the decisions that were handed over, or the same object when nothing was. */
export function restOfPlan(plan: CompactionPlan, taken: TakenTargets, takesSummaries: boolean): CompactionPlan {
  const summarizations = takesSummaries ? [] : plan.summarizations;
  if (taken.size === 0 && summarizations.length === plan.summarizations.length) return plan;
  return sealPlan({
    ...plan,
    summarizations,
    clearings: plan.clearings.flatMap((record) => remainingClears(record, taken)),
  });
}

/** Returns one record for each set of targets that remains of this record. */
function remainingClears(record: ClearRecord, taken: TakenTargets): readonly ClearRecord[] {
  const groups = Map.groupBy(record.span.messageIds, (id) => {
    const gone = taken.get(id) ?? [];
    return record.targets.filter((target) => !gone.includes(target)).join();
  });
  return [...groups].flatMap(([names, messageIds]): readonly ClearRecord[] => {
    const targets = record.targets.filter((target) => names.split(",").includes(target));
    if (targets.length === 0) return [];
    return [{ ...record, targets, span: { ...record.span, messageIds } }];
  });
}

/** Reports the remaining records as differences. `reasonOf` says why a record was not handed over. */
export function leftToRendering(
  rest: CompactionPlan,
  reasonOf: (record: PlanRecord) => LeftReason,
): readonly NativeDifference[] {
  const groups = Map.groupBy(planRecords(rest), (record) => `${record.action} ${reasonOf(record)}`);
  return [...groups.values()].map((records) => {
    const first = records[0] as PlanRecord;
    return {
      kind: "left-to-rendering",
      action: first.action,
      reason: reasonOf(first),
      messageIds: records.flatMap(({ span }) => span.messageIds),
    };
  });
}

/**
 * Describes how a compaction at the provider differs from the summaries of a plan: the provider takes the whole prompt
 * and writes its own summary.
 *
 * @param rest the plan that is rendered.
 * @param threshold prompt size in tokens above which the provider compacts.
 */
export function summarizedByProvider(
  thread: AgentThread,
  plan: CompactionPlan,
  rest: CompactionPlan,
  { threshold, toldOfPins }: { readonly threshold: number; readonly toldOfPins: boolean },
): readonly NativeDifference[] {
  const asked = plan.summarizations.flatMap(({ span }) => span.messageIds);
  const wanted = new Set(asked);
  const kept = sentMessages(thread, rest).filter(({ id }) => !wanted.has(id));
  const pins = thread.livePins.map(({ id }) => id);
  const isDue = plan.originalTokens > threshold;
  return [
    { kind: "summary-by-provider", messageIds: asked },
    ...(kept.length > 0 ? [{ kind: "summarized-too", messageIds: kept.map(({ id }) => id) } as const] : []),
    ...(pins.length > 0 ? [{ kind: "pins-at-risk", told: toldOfPins, pinIds: pins } as const] : []),
    ...(isDue ? [] : [{ kind: "not-due", tokens: plan.originalTokens, threshold } as const]),
  ];
}

/** A request that only compacts. */
export interface CompactionCall {
  /** Path of the endpoint, relative to the provider's base URL. */
  readonly path: string;
  /** Request body without the model name and the output limit. */
  readonly payload: JsonObject;
  /** Names of the beta features that the request must ask for. */
  readonly betas: readonly string[];
}

/** How to ask a provider for its own compaction. */
export interface ProviderCompaction {
  /** The lowest threshold that the provider accepts, in tokens. */
  readonly leastTokens: number;
  /**
   * Returns the fields of a request that is to be compacted before it is answered, if it exceeds this number of tokens.
   */
  fields(aboveTokens: number): JsonObject;
  /** Turns the payload of a request into one that asks only for the compaction. */
  call(payload: JsonObject): CompactionCall;
  /**
   * Returns the betas that a payload must ask for because it requests a compaction or contains items of an earlier one.
   */
  betas(payload: JsonObject): readonly string[];
}

/** Required by requests that compact on demand and by every request that carries a signed compaction block. */
const ON_DEMAND_BETA = "compact-2026-09-04";

const anthropic: ProviderCompaction = {
  leastTokens: LEAST_COMPACTION_TOKENS,
  fields: (aboveTokens) => ({
    context_management: {
      edits: [{ type: "compact_20260112", trigger: { type: "input_tokens", value: aboveTokens } }],
    },
  }),
  call: (payload) => ({
    path: "v1/messages",
    payload: { ...payload, compaction: { type: "summarize" } },
    betas: [ON_DEMAND_BETA],
  }),
  betas({ messages, context_management: asked }) {
    const { signed, unsigned } = compactionBlocks(asList(messages));
    return [...(asked !== undefined || unsigned ? [COMPACTION_BETA] : []), ...(signed ? [ON_DEMAND_BETA] : [])];
  },
};

/**
 * Returns which kinds of compaction blocks the messages have. Visits every block of every request, so it allocates
 * nothing on the way.
 */
function compactionBlocks(messages: readonly unknown[]): { readonly signed: boolean; readonly unsigned: boolean } {
  let signed = false;
  let unsigned = false;
  for (const message of messages) {
    const content = (message as { readonly content?: unknown } | null)?.content;
    if (!Array.isArray(content)) continue;
    for (const block of content) {
      if (block?.type !== "compaction") continue;
      if (typeof block.signature === "string") signed = true;
      else unsigned = true;
    }
  }
  return { signed, unsigned };
}

const openai: ProviderCompaction = {
  leastTokens: 1,
  fields: (aboveTokens) => ({ context_management: [{ type: "compaction", compact_threshold: aboveTokens }] }),
  call: ({ input, instructions }) => ({
    path: "responses/compact",
    payload: { input: input ?? [], ...(instructions !== undefined && { instructions }) },
    betas: [],
  }),
  betas: () => [],
};

const COMPACTIONS: Readonly<Record<string, ProviderCompaction>> = Object.freeze({
  "anthropic-messages": anthropic,
  "openai-responses": openai,
});

/**
 * Returns the compaction that the provider of this format offers, or null if it offers none. Figures and fields are
 * those of the SDKs (Anthropic 1.12, OpenAI 7.57).
 */
export const providerCompaction = (format: string): ProviderCompaction | null =>
  Object.hasOwn(COMPACTIONS, format) ? (COMPACTIONS[format] ?? null) : null;
