import type {
  AgentContext,
  ClientCapabilities,
  CompactionStatus,
  ContentBlock,
  NoticeSeverity,
  SessionUpdate,
} from "@agentclientprotocol/sdk";
import {
  type CompactionEventListener,
  type CompactionOutcome,
  type CompactionPlan,
  type ContextCompactionEvent,
  renderSummary,
} from "@threadfold/core";

/** Events about one attempt to fold. */
type FoldEvent = Extract<ContextCompactionEvent, { readonly foldId: string }>;
type CompletedEvent = Extract<FoldEvent, { readonly type: "compaction_completed" }>;

/**
 * Returns an `onEvent` listener for a session that reports folding to the client: `compaction_update` from the moment
 * that something is about to be folded, with the new plan's figures and summaries once it is committed; `usage_update`
 * whenever the size of the request changes; and `notice` for anything else that a user should know. Compactions and
 * notices are sent only to a client that lists them in its capabilities. A check that folds nothing is not reported as
 * a compaction. An update that cannot be sent is dropped without an error.
 *
 * @see https://agentclientprotocol.com/protocol/v1/overview
 */
export function foldUpdates(session: AcpSession): CompactionEventListener {
  const { compaction, notices } = session.capabilities?.session ?? {};
  const folds = new FoldsUnderWay();
  const usage = new UsageShown();
  return (event) => {
    const updates = [
      ...(compaction == null ? [] : folds.updatesFor(event)),
      ...(notices == null ? [] : noticesFor(event)),
      ...usage.updatesFor(event),
    ];
    for (const update of updates) sendUpdate(session, update).catch(ignore);
  };
}

/** The connection is gone: its `closed` tells the host, and that must not end the agent's loop. */
const ignore = (): void => undefined;

/** The attempts to fold that have been reported to the client and have not ended. */
class FoldsUnderWay {
  readonly #told = new Set<string>();
  readonly #notices = new Map<string, string>();

  updatesFor(event: ContextCompactionEvent): readonly SessionUpdate[] {
    switch (event.type) {
      case "compaction_proposal_generated":
        return this.#begin(event.foldId);
      case "compaction_boundary":
        this.#notices.set(event.foldId, event.notice.text);
        return this.#begin(event.foldId);
      case "compaction_completed":
        return this.#end(event);
      default:
        return [];
    }
  }

  #begin(foldId: string): readonly SessionUpdate[] {
    if (this.#told.has(foldId)) return [];
    this.#told.add(foldId);
    return [compactionUpdate(foldId, "in_progress")];
  }

  #end({ foldId, outcome }: CompletedEvent): readonly SessionUpdate[] {
    const wasTold = this.#told.delete(foldId);
    const notice = this.#notices.get(foldId);
    this.#notices.delete(foldId);
    const status = STATUS_OF[outcome.type];
    if (!wasTold && status === "cancelled") return [];
    return [
      {
        ...compactionUpdate(foldId, status),
        ...(status === "failed" && { error: problemOf(outcome) }),
        ...("plan" in outcome && { summary: planSummary(outcome.plan, notice) }),
      },
    ];
  }
}

/**
 * How an attempt ended, in the protocol's terms: one that ended without a fold for an expected reason is `cancelled`,
 * one that should have folded but did not is `failed`.
 */
const STATUS_OF = {
  committed: "completed",
  "summarizer-failed-floor-used": "completed",
  "no-op": "cancelled",
  postponed: "cancelled",
  conflict: "cancelled",
  aborted: "cancelled",
  disabled: "cancelled",
  vetoed: "cancelled",
  ineffective: "failed",
  inflated: "failed",
  refused: "failed",
  failed: "failed",
  infeasible: "failed",
} as const satisfies Readonly<Record<CompactionOutcome["type"], CompactionStatus>>;

function problemOf(outcome: CompactionOutcome): string {
  switch (outcome.type) {
    case "failed":
      return outcome.problem;
    case "infeasible":
      return `What must stay takes ${outcome.required} tokens, but the budget is ${outcome.budget}.`;
    case "refused":
      return "The folded request would break a rule of the provider, so it was not used.";
    default:
      return "Folding would have freed too little, so the history stays as it is.";
  }
}

const compactionUpdate = (compactionId: string, status: CompactionStatus): CompactionUpdate => ({
  ...{ sessionUpdate: "compaction_update", compactionId, status },
});

type CompactionUpdate = Extract<SessionUpdate, { readonly sessionUpdate: "compaction_update" }>;

/** Returns the update that reports a committed plan as a completed compaction. */
export const planUpdate = (plan: CompactionPlan): SessionUpdate => ({
  ...{ ...compactionUpdate(`plan-${plan.version}`, "completed"), summary: planSummary(plan) },
});

/** What a user is shown of a plan: its figures and the summaries that are new in it. */
function planSummary(plan: CompactionPlan, notice = figuresOf(plan)): ContentBlock[] {
  const summaries = plan.summarizations.filter(({ sincePlanVersion }) => sincePlanVersion === plan.version);
  return [notice, ...summaries.map(({ summary }) => renderSummary(summary))].map((text) => ({ type: "text", text }));
}

const figuresOf = ({ originalTokens, compactedTokens }: CompactionPlan): string =>
  `Context compacted: ${originalTokens} → ${compactedTokens} tokens.`;

/** Reports the size of the request when it has changed since it was last reported. */
class UsageShown {
  #shown: { readonly used: number; readonly size: number } | undefined;

  updatesFor(event: ContextCompactionEvent): readonly SessionUpdate[] {
    if (event.type !== "compaction_completed" && event.type !== "compaction_reverted") return [];
    const { tokensAfter: used, budgetLimit: size } = event;
    if (this.#shown?.used === used && this.#shown.size === size) return [];
    this.#shown = { used, size };
    return [{ sessionUpdate: "usage_update", used, size }];
  }
}

/** Notices for events other than folds. */
function noticesFor(event: ContextCompactionEvent): readonly SessionUpdate[] {
  switch (event.type) {
    case "compaction_boundary":
      return event.notice.warning === null ? [] : [notice("info", event.notice.warning)];
    case "detected_pins_left_out":
      return [
        notice(
          "warning",
          `${event.count} standing rules take ${event.tokens} tokens and are not pinned`,
          `Pinned rules may take ${event.maxTokens} tokens in total. Explicitly pin the rules that must apply.`,
        ),
      ];
    case "compaction_breaker_opened":
      return [notice("warning", "Folding failed several times in a row and is paused for a while", event.reason)];
    case "summarizer_failing":
      return [notice("warning", "The summarizing model is failing; summaries are made without it", event.problem)];
    default:
      return [];
  }
}

const notice = (severity: NoticeSeverity, title: string, description?: string): SessionUpdate => ({
  ...{ sessionUpdate: "notice", severity, title },
  ...(description !== undefined && { description }),
});

/** A protocol session, seen from the agent's side. */
export interface AcpSession {
  readonly sessionId: string;
  /** The client, as found in every handler's context. */
  readonly client: Pick<AgentContext, "notify">;
  /** The `clientCapabilities` from `initialize`; a client is sent only what it lists there. */
  readonly capabilities?: ClientCapabilities | null | undefined;
}

/** Sends one update of a session. @throws what the connection throws. */
export function sendUpdate({ client, sessionId }: AcpSession, update: SessionUpdate): Promise<void> {
  return client.notify("session/update", { sessionId, update });
}
