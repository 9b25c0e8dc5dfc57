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

/** A plan as a provider's own edits of the prompt, and what of it they are not. */
export interface NativeEdits<Fields extends object = JsonObject> {
  /** Fields to add to those of the lowered request. */
  readonly fields: Fields;
  /** Names of the betas that the request must ask for. */
  readonly betas: readonly string[];
  /** Headers that ask for them, for hosts that write their own. */
  readonly headers: Readonly<Record<string, string>>;
  /** The plan without what was handed over. Render this one: what it no longer names goes out whole. */
  readonly rest: CompactionPlan;
  /** Where the provider deviates from the plan, or does not follow it. Empty only when nothing was handed over. */
  readonly differences: readonly NativeDifference[];
}

/** Figures of a compaction at the provider. */
export interface NativeCompactionOptions {
  /** Tokens of the prompt above which the provider compacts. The plan's folded size by default, so that it is due now. */
  readonly compactAt?: number;
}

/** Why a decision of a plan is not among a provider's own edits and stays with rendering. */
export type LeftReason =
  /** The provider has no edit that does it. */
  | "no-such-edit"
  /** The edit was not asked for. */
  | "not-asked-for"
  /** The record keeps head and tail of a body; the provider clears whole bodies. */
  | "keeps-head-and-tail"
  /** The provider edits from the oldest on, and something older stays in the plan. */
  | "something-older-stays"
  /** The provider clears the inputs of all calls whose results it clears, or of none. */
  | "inputs-of-some-calls"
  /** The provider clears the thinking of whole turns, from the oldest on, and never of the newest. */
  | "thinking-by-turn";

/** Where a provider's own edits deviate from the plan, or leave work to rendering. Data, so that a host can decide. */
export type NativeDifference =
  /** Not handed over: these decisions are in `rest` and rendered by us. */
  | {
      readonly kind: "left-to-rendering";
      readonly action: CompactionAction;
      readonly reason: LeftReason;
      readonly messageIds: readonly MessageId[];
    }
  /** The provider clears the results of these calls too, though the plan keeps them. */
  | { readonly kind: "cleared-too"; readonly messageIds: readonly MessageId[] }
  /** The provider's placeholder stands for these bodies; the key data that ours would show is gone. */
  | { readonly kind: "key-data-lost"; readonly messageIds: readonly MessageId[] }
  /** The provider writes its own summary of these messages; that of the plan is not sent. */
  | { readonly kind: "summary-by-provider"; readonly messageIds: readonly MessageId[] }
  /** The provider summarizes these messages too, though the plan keeps them. */
  | { readonly kind: "summarized-too"; readonly messageIds: readonly MessageId[] }
  /** Pins that the provider's summary may lose: at best the model is told to keep them. */
  | { readonly kind: "pins-at-risk"; readonly told: boolean; readonly pinIds: readonly PinId[] }
  /** The provider does not compact before the prompt has this many tokens, and this one has fewer. */
  | { readonly kind: "not-due"; readonly tokens: number; readonly threshold: number }
  /** The threshold that was asked for is below the provider's minimum, which is sent instead. */
  | { readonly kind: "threshold-raised"; readonly asked: number; readonly threshold: number }
  /** What the model sees is made at the provider: token counts and recorded requests are those of the prompt before its edits. */
  | { readonly kind: "edited-out-of-sight" };

const REASONS: Readonly<Record<LeftReason, string>> = {
  "no-such-edit": "the provider has no such edit",
  "not-asked-for": "the edit was not asked for",
  "keeps-head-and-tail": "the provider clears whole bodies",
  "something-older-stays": "the provider edits from the oldest on, and something older stays",
  "inputs-of-some-calls": "the provider clears the inputs of all cleared calls or of none",
  "thinking-by-turn": "the provider clears the thinking of whole older turns alone",
};

/** A difference as one line for a person. */
export function describeNativeDifference(difference: NativeDifference): string {
  switch (difference.kind) {
    case "left-to-rendering":
      return `${difference.action} of ${count(difference.messageIds)} stays with rendering: ${REASONS[difference.reason]}`;
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
      return `the provider compacts at no less than ${difference.threshold} tokens; ${difference.asked} were asked for`;
    case "edited-out-of-sight":
      return "what the model sees is made at the provider, so counts and recorded requests are those before its edits";
  }
}

const count = ({ length }: readonly unknown[]): string => `${length} ${length === 1 ? "message" : "messages"}`;

/** The messages of the main branch that a plan sends in their place, oldest first. */
export function sentMessages(thread: AgentThread, plan: CompactionPlan): readonly Message[] {
  const removed = new Set(
    planRecords(plan).flatMap((record): readonly MessageId[] =>
      removesMessages(record) ? record.span.messageIds : [],
    ),
  );
  return [...thread.messages].filter(({ id, branch }) => branch === undefined && !removed.has(id));
}

/** What of each message the provider clears in our place. */
export type TakenTargets = ReadonlyMap<MessageId, readonly ClearTarget[]>;

/** The plan without what was handed over. The same plan when nothing was. */
export function restOfPlan(plan: CompactionPlan, taken: TakenTargets, takesSummaries: boolean): CompactionPlan {
  const summarizations = takesSummaries ? [] : plan.summarizations;
  if (taken.size === 0 && summarizations.length === plan.summarizations.length) return plan;
  return sealPlan({
    ...plan,
    summarizations,
    clearings: plan.clearings.flatMap((record) => remainingClears(record, taken)),
  });
}

/** One record for each set of targets that is left of it. */
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

/** The records of the rest as differences. `reasonOf` says why a record stays. */
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
 * How a compaction at the provider differs from the summaries of a plan: it takes the whole prompt and writes its own.
 *
 * @param rest the plan that is rendered.
 * @param threshold tokens above which the provider compacts.
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

/** A request that does nothing but compact. */
export interface CompactionCall {
  /** Where it is sent, as the path behind the provider's base URL. */
  readonly path: string;
  /** Its body without the model's name and the output limit. */
  readonly payload: JsonObject;
  /** Names of the beta features that it must ask for. */
  readonly betas: readonly string[];
}

/** How a provider is asked for its own compaction. */
export interface ProviderCompaction {
  /** Takes no lower threshold, in tokens. */
  readonly leastTokens: number;
  /** Fields of a request that is to be compacted above so many tokens, before it is answered. */
  fields(aboveTokens: number): JsonObject;
  /** The payload of a request as one that asks for the compaction alone. */
  call(payload: JsonObject): CompactionCall;
  /** Names of the beta features that a payload must ask for on account of its compaction, or of items of an earlier one. */
  betas(payload: JsonObject): readonly string[];
}

/** Asked for by requests that compact on demand, and by every request that carries a signed block. */
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

/** Which kinds of compaction blocks messages have. Looks at each block of each request, and so makes nothing on its way. */
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
 * The compaction that the provider of a format makes itself; null where it makes none. Figures and fields are those of the
 * SDKs (Anthropic 1.12, OpenAI 7.57).
 */
export const providerCompaction = (format: string): ProviderCompaction | null =>
  Object.hasOwn(COMPACTIONS, format) ? (COMPACTIONS[format] ?? null) : null;
