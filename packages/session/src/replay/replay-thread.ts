import {
  type AgentThread,
  type RequestRenderedRecord,
  ThreadfoldError,
  type ThreadfoldStore,
  type ThreadId,
} from "@threadfold/core";
import { COMPACTION_RENDER_FORMAT_VERSION, type ProviderFormat, payloadDigest } from "@threadfold/renderer";
import { heuristicTokenizer } from "@threadfold/tokenizers";
import { RecordedRequests, type RecordedSources } from "./recorded-requests.ts";

/** One recorded request, rendered again. */
export interface ReplayedRequest {
  /** Place of the record in the thread's journal. */
  readonly sequence: number;
  readonly threadVersion: number;
  readonly planVersion: number;
  readonly format: string;
  readonly recordedDigest: string;
  /** Digest of the bytes that were rendered now; null when they could not be rendered at all. */
  readonly replayedDigest: string | null;
  readonly equal: boolean;
  /** Why it could not be rendered or why it may differ; null when the digests are equal. */
  readonly problem: string | null;
}

/** What a replay needs beside the store. */
export interface ReplayOptions {
  /** The formats of your own that requests of the thread were rendered in. */
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
  // The journal first: a request that another process records meanwhile is one of a thread that is longer than this one.
  const recorded = await store.journal.read(threadId);
  const thread = await store.threads.load(threadId);
  if (thread === null) throw new ThreadfoldError("THREAD_NOT_FOUND", `There is no thread ${threadId} in this store.`);
  const requests = new RecordedRequests(storedSources(store, thread), {
    formats,
    tokenizer: heuristicTokenizer(),
    // Rendered from the log alone: what a session took over from request to request is not taken for granted.
    growing: false,
  });
  const replayed: ReplayedRequest[] = [];
  for (const entry of recorded) {
    if (entry.record.type === "request-rendered") replayed.push(await replay(requests, entry.sequence, entry.record));
  }
  return replayed;
}

async function replay(
  requests: RecordedRequests,
  sequence: number,
  record: RequestRenderedRecord,
): Promise<ReplayedRequest> {
  const { threadVersion, planVersion, format, payloadDigest: recordedDigest } = record;
  const base = { sequence, threadVersion, planVersion, format, recordedDigest };
  try {
    const { rendered } = await requests.render(record);
    const replayedDigest = payloadDigest(rendered.payload).digest;
    const equal = replayedDigest === recordedDigest;
    return { ...base, replayedDigest, equal, problem: equal ? null : differenceOf(record) };
  } catch (cause) {
    const problem = cause instanceof Error ? cause.message : "The request could not be rendered.";
    return { ...base, replayedDigest: null, equal: false, problem };
  }
}

function differenceOf({ renderVersion }: RequestRenderedRecord): string {
  if (renderVersion === COMPACTION_RENDER_FORMAT_VERSION) return "the bytes differ";
  return `it was rendered by format ${renderVersion}; this is ${COMPACTION_RENDER_FORMAT_VERSION}`;
}

/** What a store holds of a thread. */
function storedSources(store: ThreadfoldStore, thread: AgentThread): RecordedSources {
  return {
    thread,
    plan: (version) => store.plans.getPlan(thread.id, version),
    content: async (id) => (await store.artifacts.retrieve(id))?.content ?? null,
  };
}
