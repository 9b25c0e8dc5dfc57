import type { Clock, CompactionPlan, ThreadfoldStore } from "@threadfold/core";
import { MemoryRecallIndex, type RehydrationResult } from "@threadfold/rehydration";
import { formatById } from "@threadfold/renderer";
import { journaledAccess } from "@threadfold/stores";
import { backgroundOptions } from "./background/background-options.ts";
import { FoldRequests } from "./background/fold-requests.ts";
import { problemOf } from "./events/problem-of.ts";
import { SessionEvents } from "./events/session-events.ts";
import { cachePriceOf } from "./fold/cache-price-of.ts";
import { disabledReason, processEnvironment } from "./fold/compaction-switch.ts";
import { FoldMemory } from "./fold/fold-memory.ts";
import { SessionFolding } from "./fold/session-folding.ts";
import { noJournal, SessionJournal, type SessionRecorder, type WriteFailure } from "./journal/session-journal.ts";
import { CacheMarks } from "./request/cache-marks.ts";
import { type FittingRequestPorts, fittingRequest } from "./request/fitting-request.ts";
import type { PrepareOptions } from "./request/prepare-options.ts";
import type { PreparedRequest } from "./request/prepared-request.ts";
import { RequestRecorder } from "./request/request-recorder.ts";
import { RequestScene } from "./request/request-scene.ts";
import type { SessionOptions } from "./session-options.ts";
import type { SessionParts } from "./session-parts.ts";
import { sessionSummarizer, standInSummarizer } from "./summary/session-summarizer.ts";
import { systemClock } from "./system-clock.ts";
import { SessionHistory } from "./thread/session-history.ts";
import { SessionPlan } from "./thread/session-plan.ts";
import { SessionThread } from "./thread/session-thread.ts";
import type { ThreadState } from "./thread/thread-state.ts";
import { Unfolding, type UnfoldingPorts } from "./unfold/unfolding.ts";

/** What a session is made of. */
export interface SessionRooms {
  readonly givenStore: ThreadfoldStore;
  readonly store: ThreadfoldStore;
  readonly thread: SessionThread;
  readonly request: RequestScene;
  readonly plan: SessionPlan;
  readonly folding: SessionFolding;
  readonly unfolding: Unfolding;
  readonly memory: FoldMemory;
  readonly history: SessionHistory;
  readonly recorder: RequestRecorder;
  /** Folds when that is due, and gives the next request. */
  readonly prepareRequest: (options: PrepareOptions) => Promise<PreparedRequest>;
}

/** Puts a session together. @throws ThreadfoldError `INVALID_CONFIG`. */
export function sessionRooms(
  options: SessionOptions,
  parts: SessionParts,
  first: ThreadState,
  firstPlan: CompactionPlan,
): SessionRooms {
  const { givenStore, store, preset, config, tokenizer } = parts;
  const { threadId, tenantId = null, securityContext, model, frame, summaryRole } = options;
  const clock = options.clock ?? systemClock;
  const events = new SessionEvents(options, clock);
  const onFailure: WriteFailure = (record, deferred, cause) =>
    events.emit({
      threadId,
      budgetLimit: config.maxInputTokens,
      type: "journal_write_failed",
      record,
      deferred,
      problem: problemOf(cause),
    });
  const keepsJournal = options.journal !== false;
  const journal: SessionRecorder = keepsJournal
    ? new SessionJournal(store, threadId, tenantId, clock, onFailure)
    : noJournal(store, threadId);
  const memory = new FoldMemory(options, keepsJournal ? store.journal : null, clock, onFailure);
  const { threads, ranges } = store;
  const thread = new SessionThread(first, {
    ...{ ...parts, threads, journal, ...(ranges !== undefined && { ranges }) },
    onPinsLeftOut: (left) =>
      events.emit({ threadId, budgetLimit: config.maxInputTokens, type: "detected_pins_left_out", ...left }),
    onCandidates: (candidates) =>
      events.emit({
        threadId,
        budgetLimit: config.maxInputTokens,
        type: "rule_candidates_found",
        messageIds: [...new Set(candidates.map(({ source }) => source.messageId))],
        rules: candidates.filter(({ kind }) => kind === "rule").length,
        retractions: candidates.filter(({ kind }) => kind === "retraction").length,
      }),
  });
  const plan = new SessionPlan(store, firstPlan);
  const history = new SessionHistory({ store, thread, plan });
  const request = new RequestScene({
    config,
    format: options.format ?? formatById("anthropic-messages"),
    ...(model !== undefined && { model }),
    ...(frame !== undefined && { frame }),
    ...(summaryRole !== undefined && { summaryRole }),
  });
  const unfolding = new Unfolding({
    index: store.recall ?? new MemoryRecallIndex(),
    ...readArtifacts(options, store, clock),
    config,
    tenantId,
    tokenizer,
    clock,
    ...(securityContext !== undefined && { securityContext }),
    onEvent: (event) => events.emit(event),
    moment: () => ({ state: thread.state, plan: plan.current }),
    loadHistory: () => history.load(),
    ...(ranges !== undefined && { ranges }),
    ...(options.vectors !== undefined && { vectors: options.vectors }),
  });
  const { background } = options;
  const folding = new SessionFolding({
    options,
    store,
    preset,
    summarizer: sessionSummarizer(options, parts),
    standIn: standInSummarizer(options),
    price: cachePriceOf(config, request.format.id),
    clock,
    thread,
    plan,
    request,
    memory,
    journal,
    events,
    disabled: disabledReason(options.compaction, options.environment ?? processEnvironment()),
    sparesRehydrated: () => unfolding.sparesRehydrated,
    history,
    ...(background !== undefined && {
      requests: new FoldRequests(backgroundOptions(background, config), (event) => events.emit(event)),
    }),
  });
  const rehydrate = async (): Promise<readonly RehydrationResult[]> => {
    try {
      return await history.whenNeeded(() => unfolding.forRequest(request.freeTokens(thread.state, plan.current)));
    } catch (cause) {
      const problem = problemOf(cause);
      events.emit({ threadId, budgetLimit: config.maxInputTokens, type: "rehydration_failed", problem });
      return [];
    }
  };
  const marks = new CacheMarks(options.cacheBreakpoints);
  const recorder = new RequestRecorder({ thread, request, memory, journal, marks, tokenizer: tokenizer.id });
  const whenNeeded: FittingRequestPorts["whenNeeded"] = (work) => history.whenNeeded(work);
  const fitting = { folding, recorder, request, thread, plan, rehydrate, whenNeeded };
  return {
    givenStore,
    store,
    thread,
    request,
    plan,
    folding,
    unfolding,
    memory,
    history,
    recorder,
    prepareRequest: ({ onOverBudget = options.onOverBudget, ...asked }) =>
      fittingRequest(fitting, { ...asked, ...(onOverBudget !== undefined && { onOverBudget }) }),
  };
}

/** Where artifacts are read for somebody, the journal says who, and whether the session did it on its own. */
function readArtifacts(
  { securityContext, journal }: SessionOptions,
  store: ThreadfoldStore,
  clock: Clock,
): Pick<UnfoldingPorts, "artifacts" | "askedArtifacts"> {
  if (securityContext === undefined || journal === false)
    return { artifacts: store.artifacts, askedArtifacts: store.artifacts };
  const reading = (automatic: boolean) => journaledAccess(store, { automatic, clock }).artifacts;
  return { artifacts: reading(true), askedArtifacts: reading(false) };
}
