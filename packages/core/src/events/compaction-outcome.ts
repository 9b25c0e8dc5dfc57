import type { IndispensableTokens } from "../errors/threadfold-error.ts";
import type { MessageId, PinId, ThreadId } from "../model/ids.ts";
import type { CompactionPlan } from "../plan/compaction-plan.ts";
import { type PlanRecord, RECORD_KINDS, type RecordAction } from "../plan/plan-record.ts";

/** How an attempt to fold ended. Every attempt ends in exactly one of these; none of them throws. */
export type CompactionOutcome = {
  /** Messages whose bodies the artifact store did not take, so that they were not externalized; absent when it took all. */
  readonly notStored?: readonly MessageId[];
} & (
  | {
      readonly type: "committed";
      readonly plan: CompactionPlan;
      readonly tokens: TokensBeforeAfter;
      /** True when the preset's own ladder did not get there, and the deterministic floor was folded instead. */
      readonly floor: boolean;
      /** Why the fold before this one failed, when the floor was folded because the request was over its budget. */
      readonly problem?: string;
      /** Absent when the fold was given no instructions. */
      readonly instructions?: InstructionsEffect;
    }
  | {
      readonly type: "summarizer-failed-floor-used";
      readonly plan: CompactionPlan;
      readonly tokens: TokensBeforeAfter;
      readonly problem: string;
      /** Absent when the fold was given no instructions. */
      readonly instructions?: InstructionsEffect;
    }
  | { readonly type: "no-op"; readonly reason: string; readonly tokens: TokensBeforeAfter }
  | { readonly type: "postponed"; readonly reason: string; readonly tokens: TokensBeforeAfter }
  | {
      readonly type: "ineffective";
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
  /** Folding is switched off, by an option or by the environment: the plan that there is holds, and the thread is not folded any further. */
  | { readonly type: "disabled"; readonly reason: string; readonly tokens: TokensBeforeAfter }
  /** A hook of the host said no. */
  | { readonly type: "vetoed"; readonly hook: string; readonly reason: string; readonly tokens: TokensBeforeAfter }
  /** A store or another port failed. The plan before holds. */
  | {
      readonly type: "failed";
      /** Names the failure without quoting foreign text: the message of a Threadfold error, the name of any other. */
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

/** Tokens of the counted request before and after an attempt. Equal when nothing was changed. */
export interface TokensBeforeAfter {
  readonly before: number;
  readonly after: number;
}

/**
 * What the instructions of a fold did: `used`, a summarizer took them into account; `no-effect`, the fold wrote no summary,
 * or nothing that it found had to do with them.
 */
export type InstructionsEffect = "used" | "no-effect";

/** A broken rule of a provider's format, with the message and the plan record that caused it where they are known. */
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

/** From this many committed plans on a notice warns, unless a host sets another figure. */
export const WARN_AFTER_COMPACTIONS = 3;

/** The warning after many folds; its first sentence is what Codex tells its users. */
const ACCURACY_WARNING =
  "Long conversations and multiple compactions can cause the model to be less accurate. Start a new thread when that is possible.";

/** What a user interface says when a thread was folded: figures, and a text that is ready to be shown. No content of the thread. */
export interface CompactionNotice {
  readonly threadId: ThreadId;
  readonly cause: CompactionCause;
  readonly planVersion: number;
  /** How many plans were committed for the thread by now, this one included. */
  readonly compactionCount: number;
  readonly tokens: TokensBeforeAfter;
  readonly budgetLimit: number;
  readonly messages: FoldedMessageCounts;
  /** Texts that are pinned and so stand in the prompt word for word. */
  readonly pinned: number;
  readonly durationMilliseconds: number;
  /** That accuracy may suffer, from the configured number of folds on; null before. */
  readonly warning: string | null;
  /** One line for people, the warning included. */
  readonly text: string;
}

/**
 * Why a fold is looked at: somebody asked for it, it is looked at before each request, or the provider's answer asks for it
 * (an overflow, or a stop at the output limit).
 */
export type CompactionCause = "manual" | "auto" | "reactive";

/** How many messages stand in the prompt in which way. */
export interface FoldedMessageCounts {
  readonly kept: number;
  readonly summarized: number;
  readonly cleared: number;
  readonly externalized: number;
  readonly dropped: number;
}

/** What a notice is made of. */
export interface NoticeFacts {
  readonly cause: CompactionCause;
  readonly plan: CompactionPlan;
  /** Messages of the thread. */
  readonly threadLength: number;
  readonly pinned: number;
  readonly tokens: TokensBeforeAfter;
  readonly budgetLimit: number;
  readonly durationMilliseconds: number;
  /** `WARN_AFTER_COMPACTIONS` when it is left out. */
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

/** How a notice names what was done with messages, in the order of its text. */
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

/** 847 312 as `847k`: what a divider in a conversation has room for. */
function compactTokens(tokens: number): string {
  if (tokens < 1_000) return String(tokens);
  return tokens < 10_000 ? `${(tokens / 1_000).toFixed(1)}k` : `${Math.round(tokens / 1_000)}k`;
}
