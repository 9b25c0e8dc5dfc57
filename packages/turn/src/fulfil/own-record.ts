import {
  type ArtifactId,
  type PlanRecord,
  problemOf,
  spanOf,
  ThreadfoldError,
  type TimeLimit,
  timedOut,
  withinLimit,
} from "@threadfold/core";
import type { CompactionProposal, OwnRecord } from "@threadfold/strategies";
import { type Fulfilment, messagesOf } from "./fulfilment.ts";
import { SUMMARY_TIME_LIMIT_MS } from "./summarizer-failures.ts";

/**
 * Asks a proposal's strategy for its own content of the record. Undefined when it leaves the record to code, or when it
 * failed or did not answer in time, which is reported; null when it leaves the messages as they are. A strategy that did
 * not answer is not asked again in the same fold, so that the fold waits for it only once.
 *
 * @throws the signal's reason when it is aborted.
 */
export async function ownRecord(
  proposal: CompactionProposal,
  fulfilment: Fulfilment,
): Promise<OwnRecord | null | undefined> {
  const strategy = fulfilment.ladder.find(({ name }) => name === proposal.strategy);
  if (strategy?.execute === undefined || fulfilment.unanswering.has(strategy.name)) return undefined;
  const { execute } = strategy;
  const { shape, signal, tokenizer, summaryMaxTokens: maxTokens } = fulfilment;
  const messages = messagesOf(proposal, fulfilment);
  const span = spanOf(proposal.ordinals.map((ordinal) => shape.header(ordinal)));
  const stored = new Set<ArtifactId>();
  const store = async (text: string): Promise<ArtifactId> => {
    const artifactId = await fulfilment.storeText(text, messages);
    stored.add(artifactId);
    return artifactId;
  };
  const countTokens = (text: string): number => tokenizer.countTokens(text);
  try {
    const own = await withinLimit(
      (either) => execute.call(strategy, proposal, { messages, span, maxTokens, countTokens, store, signal: either }),
      limitOf(strategy.name, fulfilment),
    );
    if (own !== null) requireSound(own, proposal, stored);
    return own;
  } catch (cause) {
    signal?.throwIfAborted();
    const problem = `strategy ${strategy.name} made no record (${problemOf(cause)}); it was made without it`;
    fulfilment.onChange({ rule: "own-record", problem, messageIds: span.messageIds });
    return undefined;
  }
}

/** Returns the limit on the wait for a strategy's record, which is that of summaries. */
function limitOf(
  name: string,
  { signal, unanswering, summaryTimeLimitMs: milliseconds = SUMMARY_TIME_LIMIT_MS }: Fulfilment,
): TimeLimit {
  return {
    ...{ milliseconds, waitedFor: `the strategy ${name}`, option: "summaryTimeLimitMs", timers: globalThis },
    ...(signal !== undefined && { signal }),
    late: (limit) => {
      unanswering.add(name);
      return timedOut(limit);
    },
  };
}

/**
 * @throws ThreadfoldError `INVALID_PLAN` when the action is not the proposal's, or for an artifact of unknown origin.
 */
function requireSound(own: OwnRecord, { action }: CompactionProposal, stored: ReadonlySet<ArtifactId>): void {
  if (own.action !== action)
    throw new ThreadfoldError("INVALID_PLAN", `The record says ${own.action}, and the proposal ${action}.`);
  if (own.action !== "externalize") return;
  if (own.artifactId === undefined ? own.form === "span" : !stored.has(own.artifactId))
    throw new ThreadfoldError("INVALID_PLAN", "The record points to an artifact that was not stored for it.");
}

/** Returns code's record with the strategy's own content added. Fields that code preserves are kept. */
export function withOwn(record: PlanRecord, own: OwnRecord): PlanRecord {
  const { action: _action, ...said } = own;
  return record.action === "clear" && own.action === "clear"
    ? { ...record, preservedFields: { ...own.preservedFields, ...record.preservedFields } }
    : ({ ...record, ...said } as PlanRecord);
}
