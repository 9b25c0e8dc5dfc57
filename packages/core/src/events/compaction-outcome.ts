import type { IndispensableTokens } from "../errors/threadfold-error.ts";
import type { MessageId, PinId, ThreadId } from "../model/ids.ts";
import type { CompactionPlan } from "../plan/compaction-plan.ts";
import { type PlanRecord, RECORD_KINDS, type RecordAction } from "../plan/plan-record.ts";

/** How an attempt to fold ended. Every attempt ends in exactly one of these; none of them throws. */
export type CompactionOutcome = {
  /** Messages that were not externalized because the store did not accept their bodies; absent when there are none. */
  readonly notStored?: readonly MessageId[];
} & (
  | {
      readonly type: "committed";
      readonly plan: CompactionPlan;
      readonly tokens: TokensBeforeAfter;
      /** True when the preset's own ladder did not reach the goal and the deterministic floor was folded instead. */
      readonly floor: boolean;
      /** Why the previous fold failed, when the floor was folded because the request was over its budget. */
      readonly problem?: string;
      /** Absent when the fold had no instructions. */
      readonly instructions?: InstructionsEffect;
    }
  | {
      readonly type: "summarizer-failed-floor-used";
      readonly plan: CompactionPlan;
      readonly tokens: TokensBeforeAfter;
      readonly problem: string;
      /** Absent when the fold had no instructions. */
      readonly instructions?: InstructionsEffect;
    }
  | { readonly type: "no-op"; readonly reason: string; readonly tokens: TokensBeforeAfter }
  | { readonly type: "postponed"; readonly reason: string; readonly tokens: TokensBeforeAfter }
  | {
      readonly type: "ineffective";
      /** Tokens that the fold would free; the most that it could free, if that was too little to make a plan. */
      readonly freed: number;
      readonly required: number;
      readonly tokens: TokensBeforeAfter;
    }
  | { readonly type: "inflated"; readonly tokens: TokensBeforeAfter }
  | {
      readonly type: "refused";
      readonly violations: readonly LegalityViolation[];
      readonly missingPins: readonly PinId[];
      readonly tokens: TokensBeforeAfter;
    }
  | { readonly type: "conflict"; readonly currentVersion: number; readonly tokens: TokensBeforeAfter }
  | { readonly type: "aborted"; readonly tokens: TokensBeforeAfter }
  /** Folding is switched off by an option or the environment: the current plan stays in force. */
  | { readonly type: "disabled"; readonly reason: string; readonly tokens: TokensBeforeAfter }
  /** A hook of the host vetoed the fold. */
  | { readonly type: "vetoed"; readonly hook: string; readonly reason: string; readonly tokens: TokensBeforeAfter }
  /** A store or another port failed. The previous plan stays in force. */
  | {
      readonly type: "failed";
      /**
       * Describes the failure without quoting foreign text: the code and message of a Threadfold error, the name and
       * code of any other.
       */
      readonly problem: string;
      /** What was thrown, for debugging. It may quote content, so it must not be logged. */
      readonly cause: unknown;
      readonly tokens: TokensBeforeAfter;
    }
  | {
      readonly type: "infeasible";
      readonly budget: number;
      readonly required: number;
      readonly indispensable: IndispensableTokens;
      readonly tokens: TokensBeforeAfter;
    }
);

/** Tokens of the counted request before and after an attempt. Equal when nothing changed. */
export interface TokensBeforeAfter {
  readonly before: number;
  readonly after: number;
}

/**
 * The effect of a fold's instructions: `used` when a summarizer took them into account; `no-effect` when the fold wrote
 * no summary, or found nothing related to them.
 */
export type InstructionsEffect = "used" | "no-effect";

/** A broken rule of a provider's format, with the message and the plan record that caused it if they are known. */
export interface LegalityViolation {
  /** Id of the rule in the format's legality table. */
  readonly rule: string;
  readonly problem: string;
  /** Position in the payload, as a JSON path. */
  readonly at: string;
  readonly messageId?: MessageId;
  /** The record that folded the message: its action, strategy and span start. */
  readonly causedBy?: string;
}

/** The number of committed plans from which on notices carry a warning, unless a host sets another. */
export const WARN_AFTER_COMPACTIONS = 3;

/** The warning after many folds; its first sentence is the one that Codex shows its users. */
const ACCURACY_WARNING =
  "Long conversations and multiple compactions can cause the model to be less accurate. Start a new thread when that is possible.";

/** What a user interface can show when a thread was folded: figures and a ready-made text, no content of the thread. */
export interface CompactionNotice {
  readonly threadId: ThreadId;
  readonly cause: CompactionCause;
  readonly planVersion: number;
  /** The number of plans committed for the thread so far, including this one. */
  readonly compactionCount: number;
  readonly tokens: TokensBeforeAfter;
  readonly budgetLimit: number;
  readonly messages: FoldedMessageCounts;
  /** The number of pinned texts, which are in the prompt word for word. */
  readonly pinned: number;
  readonly durationMilliseconds: number;
  /** A warning that accuracy may suffer, from the configured number of folds on; null before that. */
  readonly warning: string | null;
  /** One line for people, including the warning. */
  readonly text: string;
}

/**
 * Why a fold is considered: somebody asked for it (`manual`), it is checked before each request (`auto`), or the
 * provider's answer calls for it (`reactive`: an overflow, or a stop at the output limit).
 */
export type CompactionCause = "manual" | "auto" | "reactive";

/** The number of messages by what a plan does with them. */
export interface FoldedMessageCounts {
  readonly kept: number;
  readonly summarized: number;
  readonly cleared: number;
  readonly externalized: number;
  readonly dropped: number;
}

/** The input of {@link compactionNotice}. */
export interface NoticeFacts {
  readonly cause: CompactionCause;
  readonly plan: CompactionPlan;
  /** The number of messages in the thread. */
  readonly threadLength: number;
  readonly pinned: number;
  readonly tokens: TokensBeforeAfter;
  readonly budgetLimit: number;
  readonly durationMilliseconds: number;
  /** `WARN_AFTER_COMPACTIONS` by default. */
  readonly warnAfter?: number;
}

/** Makes the notice of a committed plan. */
export function compactionNotice(facts: NoticeFacts): CompactionNotice {
  const { cause, plan, tokens, budgetLimit, pinned, durationMilliseconds, warnAfter = WARN_AFTER_COMPACTIONS } = facts;
  const messages = foldedMessages(plan, facts.threadLength);
  const compactionCount = plan.version;
  const warning = compactionCount >= warnAfter ? ACCURACY_WARNING : null;
  const parts = Object.entries(messages).flatMap(([action, count]) => (count > 0 ? [`${count} ${action}`] : []));
  const change = `${compactTokens(tokens.before)} → ${compactTokens(tokens.after)} tokens`;
  const said = `Context compacted: ${change} (messages: ${parts.join(", ")}).`;
  return {
    threadId: plan.threadId,
    cause,
    planVersion: plan.version,
    compactionCount,
    tokens,
    budgetLimit,
    messages,
    pinned,
    durationMilliseconds,
    warning,
    text: warning === null ? said : `${said} ${warning}`,
  };
}

/** The word that a notice uses for each action, in the order of its text. */
const TOLD_AS = {
  summarize: "summarized",
  clear: "cleared",
  externalize: "externalized",
  drop: "dropped",
} satisfies Readonly<Record<RecordAction, keyof FoldedMessageCounts>>;

function foldedMessages(plan: CompactionPlan, threadLength: number): FoldedMessageCounts {
  const folded = Object.entries(TOLD_AS).map(([action, name]): readonly [string, number] => {
    const records: readonly PlanRecord[] = plan[RECORD_KINDS[action as RecordAction].list];
    return [name, records.reduce((sum, { span }) => sum + span.messageIds.length, 0)];
  });
  const kept = Math.max(0, threadLength - folded.reduce((sum, [, count]) => sum + count, 0));
  return { kept, ...Object.fromEntries(folded) } as unknown as FoldedMessageCounts;
}

/** Writes 847,312 as `847k`, short enough for a divider in a conversation. */
function compactTokens(tokens: number): string {
  if (tokens < 1_000) return String(tokens);
  return tokens < 10_000 ? `${(tokens / 1_000).toFixed(1)}k` : `${Math.round(tokens / 1_000)}k`;
}
