import {
  type AgentThread,
  type CompactionPlan,
  emptyPlan,
  type RequestRenderedRecord,
  summaryRoleSchema,
  ThreadfoldError,
  type ThreadfoldStore,
  type ThreadId,
  type ToolDurability,
} from "@threadfold/core";
import {
  COMPACTION_RENDER_FORMAT_VERSION,
  formatById,
  payloadDigest,
  type RehydratedContent,
} from "@threadfold/renderer";
import { heuristicTokenizer } from "@threadfold/tokenizers";
import { parseFrame } from "./request-frame.ts";
import { RequestRenderer } from "./request-renderer.ts";
import { threadState } from "./thread-state.ts";

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

/** Durability decides what is folded and not how a plan is rendered, so replay needs no policy. */
const ANY_DURABILITY = (): ToolDurability => "anchoring";

/**
 * Renders every recorded request of a thread again, from the log and the plans alone, and compares the bytes (P2).
 *
 * @throws ThreadfoldError `THREAD_NOT_FOUND`.
 */
export async function replayThread(store: ThreadfoldStore, threadId: ThreadId): Promise<readonly ReplayedRequest[]> {
  const thread = await store.threads.load(threadId);
  if (thread === null) throw new ThreadfoldError("THREAD_NOT_FOUND", `There is no thread ${threadId} in this store.`);
  const replayed: ReplayedRequest[] = [];
  for (const entry of await store.journal.read(threadId)) {
    if (entry.record.type === "request-rendered")
      replayed.push(await replay(store, thread, entry.sequence, entry.record));
  }
  return replayed;
}

async function replay(
  store: ThreadfoldStore,
  thread: AgentThread,
  sequence: number,
  record: RequestRenderedRecord,
): Promise<ReplayedRequest> {
  const { threadVersion, planVersion, format, payloadDigest: recordedDigest } = record;
  const base = { sequence, threadVersion, planVersion, format, recordedDigest };
  try {
    const replayedDigest = await digestNow(store, thread, record);
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

async function digestNow(store: ThreadfoldStore, whole: AgentThread, record: RequestRenderedRecord): Promise<string> {
  const thread = whole.atVersion(record.threadVersion);
  const frame = await store.artifacts.retrieve(record.frame);
  if (thread.version !== record.threadVersion) {
    throw new ThreadfoldError("STORE_CORRUPT", `The thread has no version ${record.threadVersion}.`);
  }
  if (frame === null) throw new ThreadfoldError("ARTIFACT_NOT_FOUND", "The request's system text and tools are gone.");
  const rehydrated = await Promise.all(record.rehydrated.map((kept) => rehydratedContent(store, kept)));
  const renderer = new RequestRenderer({
    ...(rehydrated.length > 0 && { rehydrated }),
    state: threadState(thread, heuristicTokenizer(), ANY_DURABILITY),
    frame: parseFrame(frame.content),
    format: formatById(record.format),
    summaryRole: summaryRoleSchema.parse(record.options["summaryRole"]),
    ...(typeof record.options["model"] === "string" && { model: record.options["model"] }),
  });
  return payloadDigest(renderer.render(await planOf(store, thread.id, record.planVersion)).payload).digest;
}

async function rehydratedContent(
  store: ThreadfoldStore,
  kept: RequestRenderedRecord["rehydrated"][number],
): Promise<RehydratedContent> {
  const { artifactId, tokens, truncated } = kept;
  const artifact = await store.artifacts.retrieve(kept.content);
  if (artifact === null)
    throw new ThreadfoldError(
      "ARTIFACT_NOT_FOUND",
      `The content that artifact ${artifactId} was rehydrated with is gone.`,
    );
  return { artifactId, content: artifact.content, tokens, truncated };
}

async function planOf(store: ThreadfoldStore, threadId: ThreadId, version: number): Promise<CompactionPlan> {
  if (version === 0) return emptyPlan(threadId, "none");
  const plan = await store.plans.getPlan(threadId, version);
  if (plan === null)
    throw new ThreadfoldError("PLAN_NOT_FOUND", `The store has no plan ${version} of thread ${threadId}.`);
  return plan;
}
