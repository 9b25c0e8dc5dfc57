import {
  type Clock,
  type CompactionPlan,
  problemOf,
  scaledTokens,
  type ThreadfoldStore,
  unreported,
} from "@threadfold/core";
import { MemoryRecallIndex, type RehydrationResult } from "@threadfold/rehydration";
import { formatById, type ProviderFormat } from "@threadfold/renderer";
import { journaledAccess } from "@threadfold/stores";
import { knownCount } from "@threadfold/tokenizers";
import type { ThreadState } from "@threadfold/turn";
import { SessionEvents } from "../events/session-events.ts";
import { SessionFolding } from "../fold/session-folding.ts";
import { referencesIn, searchReferenced } from "../handoff/referenced-search.ts";
import { disabledReason, processEnvironment } from "../host/compaction-switch.ts";
import type { PreparedRequest, PrepareOptions } from "../host/prepared-request.ts";
import type { OpenOptions, SessionOptions } from "../host/session-options.ts";
import { openedOptions, type SessionParts, sessionParts, systemClock } from "../host/session-parts.ts";
import { noJournal, SessionJournal, type SessionRecorder, type WriteFailure } from "../journal/session-journal.ts";
import { type MemoryOwner, SessionMemory } from "../memory/session-memory.ts";
import { CacheMarks } from "../prepare/cache-marks.ts";
import { CacheTrace } from "../prepare/cache-trace.ts";
import { type FittingRequestPorts, fittingRequest } from "../prepare/fitting-request.ts";
import { RequestRecorder } from "../prepare/request-recorder.ts";
import { backgroundOptions } from "../queue/compaction-queue.ts";
import { RequestSettings } from "../request/request-settings.ts";
import { sessionSummarizer, standInSummarizer } from "../summary/session-summarizer.ts";
import { openThread, SessionHistory } from "../thread/session-history.ts";
import { SessionPlan } from "../thread/session-plan.ts";
import { SessionThread } from "../thread/session-thread.ts";
import { MissedContent } from "../unfold/missed-content.ts";
import { Unfolding, type UnfoldingPorts } from "../unfold/unfolding.ts";

/** The parts of an open session. */
export interface SessionServices {
  readonly givenStore: ThreadfoldStore;
  readonly store: ThreadfoldStore;
  readonly thread: SessionThread;
  readonly request: RequestSettings;
  readonly plan: SessionPlan;
  readonly folding: SessionFolding;
  readonly unfolding: Unfolding;
  readonly memory: SessionMemory;
  readonly history: SessionHistory;
  readonly recorder: RequestRecorder;
  readonly journal: SessionRecorder;
  /** Folds when that is due, and returns the next request. */
  readonly prepareRequest: (options: PrepareOptions) => Promise<PreparedRequest>;
}

/**
 * Opens the store and the thread of a session and assembles the services that work on them. A store that was given as a
 * path is closed again when the thread cannot be opened.
 *
 * @throws ThreadfoldError `INVALID_CONFIG`, or what the store throws.
 */
export async function openServices(
  given: OpenOptions,
): Promise<{ readonly options: SessionOptions; readonly services: SessionServices }> {
  const options = await openedOptions(given);
  try {
    const parts = sessionParts(options);
    const { thread, plan } = await openThread(parts.store, options.threadId, parts.config.policyVersion);
    return {
      options,
      services: sessionServices(options, parts, await SessionThread.count(thread, parts, plan), plan),
    };
  } catch (error) {
    if (typeof given.store === "string") await options.store?.close();
    throw error;
  }
}

function sessionServices(
  options: SessionOptions,
  given: SessionParts,
  first: ThreadState,
  firstPlan: CompactionPlan,
): SessionServices {
  const records = sessionRecords(options, given);
  const { clock, events, journal, memory } = records;
  const parts = { ...given, store: notingStore(given.store, journal) };
  const { givenStore, store, preset, config, tokenizer } = parts;
  const thread = sessionThread(options, parts, records, first);
  const plan = new SessionPlan(store, firstPlan);
  const history = new SessionHistory({ store, thread, plan });
  const request = requestSettings(options, parts, memory);
  const unfolding = sessionUnfolding(options, parts, records, { thread, plan, history });
  const { background } = options;
  const folding = new SessionFolding({
    options,
    store,
    preset,
    summarizer: sessionSummarizer(options, parts),
    standIn: standInSummarizer(options),
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
    behind: background !== false && (options.summaryModel !== undefined || options.summarizer !== undefined),
    ...(typeof background === "object" && { background: backgroundOptions(background, config) }),
  });
  const marks = new CacheMarks(options);
  const recorder = new RequestRecorder({
    ...{ thread, request, memory, journal, marks, clock, tokenizer: tokenizer.id },
    compactionFields: () => (folding.disabled === null ? request.compactionFields(options.providerCompaction) : {}),
    ...(options.journal !== false && { trace: new CacheTrace(first.thread.length) }),
  });
  const services = { givenStore, store, thread, request, plan, folding, unfolding, memory, history, recorder, journal };
  return { ...services, prepareRequest: requestMaker(options, services, records) };
}

/** The session's store, wrapped so that the journal learns which artifacts are stored. */
const notingStore = (store: ThreadfoldStore, journal: SessionRecorder): ThreadfoldStore =>
  Object.create(store, {
    ...Object.getOwnPropertyDescriptors(store),
    artifacts: { value: journal.noting(store.artifacts), enumerable: true },
  });

/** What a session records and remembers: events, journal and memory. */
interface SessionRecords {
  readonly clock: Clock;
  readonly events: SessionEvents;
  readonly journal: SessionRecorder;
  readonly memory: SessionMemory;
}

const formatOf = ({ format }: SessionOptions): ProviderFormat => format ?? formatById("anthropic-messages");

const memoryOwner = ({ threadId, model, calibration = {} }: SessionOptions): MemoryOwner => ({
  threadId,
  model,
  learned: calibration,
});

function sessionRecords(options: SessionOptions, { store, config, tokenizer }: SessionParts): SessionRecords {
  const { threadId, tenantId = null } = options;
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
  const journal = keepsJournal
    ? new SessionJournal(store, threadId, tenantId, clock, onFailure)
    : noJournal(store, threadId);
  return {
    clock,
    events,
    journal,
    memory: new SessionMemory(memoryOwner(options), {
      estimateOf: (model) => unreported(knownCount(tokenizer.id, model, formatOf(options).id).slope),
      journal: keepsJournal ? store.journal : null,
      clock,
      emit: (event) => events.emit(event),
      onFailure,
    }),
  };
}

function sessionThread(
  { threadId, declaredTools }: SessionOptions,
  parts: SessionParts,
  { events, journal }: SessionRecords,
  first: ThreadState,
): SessionThread {
  const { threads, ranges } = parts.store;
  const base = { threadId, budgetLimit: parts.config.maxInputTokens };
  return new SessionThread(first, {
    ...parts,
    threads,
    journal,
    ...(ranges !== undefined && { ranges }),
    ...(declaredTools !== undefined && { declaredTools }),
    onPinsLeftOut: (left) => events.emit({ ...base, type: "detected_pins_left_out", ...left }),
    onCandidates: (candidates) =>
      events.emit({
        ...base,
        type: "rule_candidates_found",
        messageIds: [...new Set(candidates.map(({ source }) => source.messageId))],
        rules: candidates.filter(({ kind }) => kind === "rule").length,
        retractions: candidates.filter(({ kind }) => kind === "retraction").length,
      }),
  });
}

function requestSettings(options: SessionOptions, { config, preset, tokenizer }: SessionParts, memory: SessionMemory) {
  const { model, models, frame, summaryRole, config: given } = options;
  const format = formatOf(options);
  const ownCap = given?.maxInputTokens ?? preset.config.maxInputTokens;
  return new RequestSettings({
    config,
    ...(ownCap !== undefined && { ownCap }),
    ...(models !== undefined && { models }),
    format,
    count: () => memory.usage,
    margin: (asked) => knownCount(tokenizer.id, asked, format.id).margin,
    ...(model !== undefined && { model }),
    ...(frame !== undefined && { frame }),
    ...(summaryRole !== undefined && { summaryRole }),
  });
}

function sessionUnfolding(
  options: SessionOptions,
  { store, config, tokenizer }: SessionParts,
  { clock, events, memory }: SessionRecords,
  { thread, plan, history }: Pick<SessionServices, "thread" | "plan" | "history">,
): Unfolding {
  const { tenantId = null, securityContext, vectors } = options;
  const { ranges } = store;
  const countTokens = (text: string): number => scaledTokens(memory.usage.estimate, tokenizer.countTokens(text));
  return new Unfolding({
    index: store.recall ?? new MemoryRecallIndex(),
    ...readArtifacts(options, store, clock),
    config,
    tenantId,
    countTokens,
    clock,
    ...(securityContext !== undefined && { securityContext }),
    onEvent: (event) => events.emit(event),
    moment: () => ({ state: thread.state, plan: plan.current }),
    loadHistory: () => history.load(),
    ...(ranges !== undefined && { ranges }),
    ...(vectors !== undefined && { vectors }),
    isReferenced: (id) => referencesIn(thread.state.thread).some(({ threadId }) => threadId === id),
    referenced: (input, maxTokens) =>
      searchReferenced(thread.state.thread, input, {
        store,
        artifacts: store.artifacts,
        ...(securityContext !== undefined && { requester: securityContext }),
        countTokens,
        maxTokens,
      }),
  });
}

/** Folds when that is due, brings back what the newest messages ask for, and hands out the next request. */
function requestMaker(
  { threadId, onOverBudget: always }: SessionOptions,
  services: Omit<SessionServices, "prepareRequest">,
  { events }: SessionRecords,
): SessionServices["prepareRequest"] {
  const { thread, plan, request, history, unfolding } = services;
  const rehydrate = async (): Promise<readonly RehydrationResult[]> => {
    try {
      return await history.whenNeeded(() => unfolding.forRequest(request.freeTokens(thread.state, plan.current)));
    } catch (cause) {
      const base = { threadId, budgetLimit: request.config.maxInputTokens };
      events.emit({ ...base, type: "rehydration_failed", problem: problemOf(cause) });
      return [];
    }
  };
  const whenNeeded: FittingRequestPorts["whenNeeded"] = (work) => history.whenNeeded(work);
  const missed = new MissedContent();
  return ({ onOverBudget = always, ...asked }) => {
    const alert = missed.look(thread.state.thread, plan.current, request.config.maxInputTokens);
    if (alert !== undefined) events.emit(alert);
    return fittingRequest(
      { ...services, rehydrate, whenNeeded },
      { ...asked, ...(onOverBudget !== undefined && { onOverBudget }) },
    );
  };
}

/** With a security context, artifact reads are journaled: for whom, and whether the session did it automatically. */
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
