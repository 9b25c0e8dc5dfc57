import type { ThreadId } from "../model/ids.ts";
import type { CompactionPlan } from "../plan/compaction-plan.ts";
import type { CompactionCause } from "./compaction-cause.ts";
import type { TokensBeforeAfter } from "./compaction-outcome.ts";

/** From this many committed plans on a notice warns, unless a host sets another figure. */
export const WARN_AFTER_COMPACTIONS = 3;

/** What seed 001 has users told when a thread was folded often (Codex). */
const ACCURACY_WARNING =
  "Long conversations and multiple compactions can make the model less accurate. Start a new thread when that is possible.";

/** How many messages stand in the prompt in which way. */
export interface FoldedMessageCounts {
  readonly kept: number;
  readonly summarized: number;
  readonly cleared: number;
  readonly externalized: number;
  readonly dropped: number;
}

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
  /** That accuracy may suffer, from the configured number of folds on; null before (seed 001). */
  readonly warning: string | null;
  /** One line for people, the warning included. */
  readonly text: string;
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

function foldedMessages(plan: CompactionPlan, threadLength: number): FoldedMessageCounts {
  const count = (records: readonly { readonly span: { readonly messageIds: readonly unknown[] } }[]): number =>
    records.reduce((sum, { span }) => sum + span.messageIds.length, 0);
  const summarized = count(plan.summarizations);
  const cleared = count(plan.clearings);
  const externalized = count(plan.externalizations);
  const dropped = count(plan.drops);
  const kept = Math.max(0, threadLength - summarized - cleared - externalized - dropped);
  return { kept, summarized, cleared, externalized, dropped };
}

/** 847 312 as `847k`: what a divider in a conversation has room for. */
function compactTokens(tokens: number): string {
  if (tokens < 1_000) return String(tokens);
  return tokens < 10_000 ? `${(tokens / 1_000).toFixed(1)}k` : `${Math.round(tokens / 1_000)}k`;
}
