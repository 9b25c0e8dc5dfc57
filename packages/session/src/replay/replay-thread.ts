import {
  type AgentThread,
  type ArtifactsStoredRecord,
  type ChatMessage,
  type CompactionPlan,
  checkOptions,
  isCall,
  type OptionKinds,
  type RequestRenderedRecord,
  type SummaryRole,
  ThreadfoldError,
  type ThreadfoldStore,
  type ThreadId,
} from "@threadfold/core";
import { COMPACTION_RENDER_FORMAT_VERSION, formatById, type ProviderFormat, payloadDigest } from "@threadfold/renderer";
import { heuristicTokenizer } from "@threadfold/tokenizers";
import { EMPTY_FRAME, RequestRenderer, threadState } from "@threadfold/turn";
import type { PreparedRequest, RequestReference } from "../host/prepared-request.ts";
import type { RequestRecorder } from "../prepare/request-recorder.ts";
import type { RequestSettings } from "../request/request-settings.ts";
import type { SessionHistory } from "../thread/session-history.ts";
import type { SessionPlan } from "../thread/session-plan.ts";
import type { SessionThread } from "../thread/session-thread.ts";
import { RecordedRequests, type RecordedSources } from "./recorded-requests.ts";

/** One recorded request, rendered again. */
export interface ReplayedRequest {
  /** Sequence number of the record in the thread's journal. */
  readonly sequence: number;
  readonly threadVersion: number;
  readonly planVersion: number;
  readonly format: string;
  readonly recordedDigest: string;
  /** Digest of the bytes rendered now; null when the request could not be rendered at all. */
  readonly replayedDigest: string | null;
  readonly equal: boolean;
  /** Why it could not be rendered or why it may differ; null when the digests are equal. */
  readonly problem: string | null;
  /**
   * Until when content that the request brought back was kept, as ISO 8601 in UTC, if it is gone and was stored with a
   * time to live: such a request can rightly not be rendered again. Otherwise null.
   */
  readonly expiredAt: string | null;
}

/** Options of a replay. */
export interface ReplayOptions {
  /** Custom formats that requests of the thread were rendered in. */
  readonly formats?: readonly ProviderFormat[];
}

/**
 * Renders every recorded request of a thread again, from the log and the plans alone, and compares the bytes (P2).
 *
 * @throws ThreadfoldError `THREAD_NOT_FOUND`.
 */
export async function replayThread(
  store: ThreadfoldStore,
  threadId: ThreadId,
  { formats = [] }: ReplayOptions = {},
): Promise<readonly ReplayedRequest[]> {
  // The journal is read first: a request that another process records meanwhile may need a longer thread than was
  // loaded.
  const recorded = await store.journal.read(threadId);
  const thread = await store.threads.load(threadId);
  if (thread === null) throw new ThreadfoldError("THREAD_NOT_FOUND", `There is no thread ${threadId} in this store.`);
  const requests = new RecordedRequests(storedSources(store, thread), {
    formats,
    tokenizer: heuristicTokenizer(),
    // Rendered from the log alone: what a session carries over from request to request is not relied on.
    growing: false,
  });
  const replayed: ReplayedRequest[] = [];
  const lifetimes = new Lifetimes();
  for (const entry of recorded) {
    if (entry.record.type === "artifacts-stored") lifetimes.add(entry.record);
    if (entry.record.type !== "request-rendered") continue;
    replayed.push(await replay(requests, entry.sequence, entry.record, lifetimes));
  }
  return replayed;
}

/** How long the artifacts of a thread were to be kept, as its journal says. */
class Lifetimes {
  /** In milliseconds since the epoch. */
  readonly #ends = new Map<unknown, number>();

  /** Storing again only ever extends a time to live. */
  add({ artifacts }: ArtifactsStoredRecord): void {
    for (const { artifactId, createdAt, ttlSeconds } of artifacts) {
      const end = ttlSeconds === null ? Number.POSITIVE_INFINITY : Date.parse(createdAt) + ttlSeconds * 1_000;
      this.#ends.set(artifactId, Math.max(end, this.#ends.get(artifactId) ?? 0));
    }
  }

  /** Returns until when an artifact was to be kept, as ISO 8601 in UTC; null for always, or when it is not known. */
  endOf(artifactId: unknown): string | null {
    const end = this.#ends.get(artifactId) ?? Number.POSITIVE_INFINITY;
    return Number.isFinite(end) ? new Date(end).toISOString() : null;
  }
}

async function replay(
  requests: RecordedRequests,
  sequence: number,
  record: RequestRenderedRecord,
  lifetimes: Lifetimes,
): Promise<ReplayedRequest> {
  const { threadVersion, planVersion, format, payloadDigest: recordedDigest } = record;
  const base = { sequence, threadVersion, planVersion, format, recordedDigest, expiredAt: null };
  try {
    const { rendered } = await requests.render(record);
    const replayedDigest = payloadDigest(rendered.payload).digest;
    const equal = replayedDigest === recordedDigest;
    return { ...base, replayedDigest, equal, problem: equal ? null : differenceOf(record) };
  } catch (cause) {
    const failed = { ...base, replayedDigest: null, equal: false };
    const expiredAt = isMissing(cause) ? lifetimes.endOf(cause.details["artifactId"]) : null;
    if (expiredAt !== null)
      return {
        ...failed,
        expiredAt,
        problem: `Content that it brought back has expired: it was kept until ${expiredAt}.`,
      };
    const problem = cause instanceof Error ? cause.message : "The request could not be rendered.";
    return { ...failed, problem };
  }
}

const isMissing = (cause: unknown): cause is ThreadfoldError =>
  ThreadfoldError.isInstance(cause) && cause.code === "ARTIFACT_NOT_FOUND";

function differenceOf({ renderVersion }: RequestRenderedRecord): string {
  if (renderVersion === COMPACTION_RENDER_FORMAT_VERSION) return "the bytes differ";
  return `it was rendered by format ${renderVersion}; this is ${COMPACTION_RENDER_FORMAT_VERSION}`;
}

/** The sources of a thread's recorded requests in a store. */
function storedSources(store: ThreadfoldStore, thread: AgentThread): RecordedSources {
  return {
    thread,
    plan: (version) => store.plans.getPlan(thread.id, version),
    content: async (id) => (await store.artifacts.retrieve(id))?.content ?? null,
  };
}

/** What returning a recorded request again depends on. */
export interface PrepareAgainPorts {
  readonly store: ThreadfoldStore;
  readonly thread: SessionThread;
  readonly plan: SessionPlan;
  readonly history: SessionHistory;
  readonly recorder: RequestRecorder;
  readonly request: RequestSettings;
}

const REFERENCE: OptionKinds<RequestReference> = { threadId: "text", planVersion: "figure", digest: "text" };

/**
 * Returns a recorded request again, byte for byte; null when the thread already has a later answer of the model.
 *
 * @throws ThreadfoldError `REQUEST_NOT_FOUND`, `REPLAY_MISMATCH`, or what the store throws.
 */
export async function prepareAgain(
  { store, thread, plan, history, recorder, request }: PrepareAgainPorts,
  reference: RequestReference,
): Promise<PreparedRequest | null> {
  checkOptions("reference", reference, REFERENCE);
  const { threadId, planVersion, digest } = reference;
  const own = thread.state.thread.id;
  if (threadId !== own)
    throw new ThreadfoldError("REQUEST_NOT_FOUND", `The request belongs to thread ${threadId}, but this is ${own}.`);
  // Usually nothing has happened since, and neither the journal nor the rest of the thread need be read.
  const now = await history.whenNeeded(() => recorder.render(plan.current, []));
  if (now.plan.version === planVersion && now.rendered.digest.digest === digest) return recorder.record(now, null);
  const recorded = await store.journal.read(threadId);
  const record = recorded
    .map((entry) => entry.record)
    .filter(isCall)
    .findLast((call) => call.planVersion === planVersion && call.payloadDigest === digest);
  if (record === undefined)
    throw new ThreadfoldError("REQUEST_NOT_FOUND", `The journal of thread ${own} has no request ${digest}.`);
  await history.load();
  const { thread: whole, ledger } = thread.state;
  const asked = whole.atVersion(record.threadVersion).length;
  if (whole.messagesBetween(asked).some(({ role }) => role === "assistant")) return null;
  const { tokenizer } = ledger;
  const made = await new RecordedRequests(storedSources(store, whole), {
    ...{ formats: [request.format], tokenizer, growing: false },
  }).render(record);
  if (made.rendered.digest.digest === digest) return recorder.recordAgain(made, record);
  throw new ThreadfoldError("REPLAY_MISMATCH", `Request ${digest} cannot be reproduced: ${differenceOf(record)}.`);
}

/**
 * Returns the messages that a plan shows of a thread, in neutral form: the exporters of `@threadfold/importers` write
 * them into another tool's session file. Nothing is recorded.
 */
export function planWindow(
  thread: AgentThread,
  plan: CompactionPlan,
  summaryRole: SummaryRole = "user",
): readonly ChatMessage[] {
  const state = threadState(thread, heuristicTokenizer(), () => "anchoring");
  const turn = { state, frame: EMPTY_FRAME, format: formatById("neutral"), summaryRole };
  return new RequestRenderer(turn).render(plan).rendering.request.messages;
}
