import {
  type AgentThread,
  type ArtifactId,
  type CompactionPlan,
  emptyPlan,
  type RequestRenderedRecord,
  summaryRoleSchema,
  summaryWordingSchema,
  ThreadfoldError,
  type ThreadfoldStore,
  type ThreadId,
  type ToolDurability,
} from "@threadfold/core";
import {
  COMPACTION_RENDER_FORMAT_VERSION,
  formatById,
  type ProviderFormat,
  payloadDigest,
  type RehydratedContent,
} from "@threadfold/renderer";
import { heuristicTokenizer } from "@threadfold/tokenizers";
import {
  extendState,
  parseFrame,
  type RequestFrame,
  RequestRenderer,
  type ThreadState,
  threadState,
} from "@threadfold/turn";

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
  const sources = new ReplaySources(store, thread, formats);
  const replayed: ReplayedRequest[] = [];
  for (const entry of recorded) {
    if (entry.record.type === "request-rendered") replayed.push(await replay(sources, entry.sequence, entry.record));
  }
  return replayed;
}

async function replay(
  sources: ReplaySources,
  sequence: number,
  record: RequestRenderedRecord,
): Promise<ReplayedRequest> {
  const { threadVersion, planVersion, format, payloadDigest: recordedDigest } = record;
  const base = { sequence, threadVersion, planVersion, format, recordedDigest };
  try {
    const replayedDigest = await digestNow(sources, record);
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

async function digestNow(sources: ReplaySources, record: RequestRenderedRecord): Promise<string> {
  const state = sources.state(record.threadVersion);
  const frame = await sources.frame(record.frame);
  const rehydrated = await Promise.all(record.rehydrated.map((kept) => rehydratedContent(sources, kept)));
  const wording = record.options["summaryWording"];
  const renderer = new RequestRenderer({
    ...(rehydrated.length > 0 && { rehydrated }),
    state,
    frame,
    format: sources.format(record.format),
    summaryRole: summaryRoleSchema.parse(record.options["summaryRole"]),
    ...(wording !== undefined && { summaryWording: summaryWordingSchema.parse(wording) }),
    ...(typeof record.options["model"] === "string" && { model: record.options["model"] }),
  });
  return payloadDigest(renderer.render(await sources.plan(record.planVersion)).payload).digest;
}

async function rehydratedContent(
  sources: ReplaySources,
  { artifactId, content, tokens, truncated }: RequestRenderedRecord["rehydrated"][number],
): Promise<RehydratedContent> {
  const absence = `The content that artifact ${artifactId} was rehydrated with is gone.`;
  return { artifactId, content: await sources.content(content, absence), tokens, truncated };
}

/** Durability decides what is folded and not how a plan is rendered, so replay needs no policy. */
const ANY_DURABILITY = (): ToolDurability => "anchoring";

/**
 * What the recorded requests of a thread were made of, read from its store. Requests that follow one another share plan,
 * frame and most of the thread, so the newest of each is kept and a long past is not read and counted anew for each of them.
 */
class ReplaySources {
  readonly #store: ThreadfoldStore;
  readonly #thread: AgentThread;
  readonly #formats: readonly ProviderFormat[];
  #state: ThreadState | undefined;
  #frame: { readonly id: ArtifactId; readonly frame: RequestFrame } | undefined;
  #plan: CompactionPlan | undefined;

  constructor(store: ThreadfoldStore, thread: AgentThread, formats: readonly ProviderFormat[]) {
    this.#store = store;
    this.#thread = thread;
    this.#formats = formats;
  }

  /** @throws ThreadfoldError `INVALID_CONFIG` for a format that is not known here. */
  format(id: string): ProviderFormat {
    return formatById(id, this.#formats);
  }

  /** The thread as it was at a version. @throws ThreadfoldError `STORE_CORRUPT` when it has no such version. */
  state(version: number): ThreadState {
    const thread = this.#thread.atVersion(version);
    if (thread.version !== version) throw new ThreadfoldError("STORE_CORRUPT", `The thread has no version ${version}.`);
    const before = this.#state;
    const goesOn = before !== undefined && before.thread.version <= version;
    this.#state = goesOn ? extendState(before, thread) : threadState(thread, heuristicTokenizer(), ANY_DURABILITY);
    return this.#state;
  }

  /** A recorded frame. @throws ThreadfoldError `ARTIFACT_NOT_FOUND`. */
  async frame(id: ArtifactId): Promise<RequestFrame> {
    if (this.#frame?.id === id) return this.#frame.frame;
    const frame = parseFrame(await this.content(id, "The request's system text and tools are gone."));
    this.#frame = { id, frame };
    return frame;
  }

  /** A plan of the thread by its version. @throws ThreadfoldError `PLAN_NOT_FOUND`. */
  async plan(version: number): Promise<CompactionPlan> {
    const { id } = this.#thread;
    if (version === 0) return emptyPlan(id, "none");
    if (this.#plan?.version === version) return this.#plan;
    const plan = await this.#store.plans.getPlan(id, version);
    if (plan === null) throw new ThreadfoldError("PLAN_NOT_FOUND", `The store has no plan ${version} of thread ${id}.`);
    this.#plan = plan;
    return plan;
  }

  /** A kept content. @throws ThreadfoldError `ARTIFACT_NOT_FOUND`, in words of the caller's. */
  async content(id: ArtifactId, absence: string): Promise<string> {
    const artifact = await this.#store.artifacts.retrieve(id);
    if (artifact === null) throw new ThreadfoldError("ARTIFACT_NOT_FOUND", absence);
    return artifact.content;
  }
}
