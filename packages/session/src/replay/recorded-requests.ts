import {
  type AgentThread,
  type ArtifactId,
  type CompactionPlan,
  emptyPlan,
  type ProviderAwareTokenizer,
  type RequestRenderedRecord,
  summaryRoleSchema,
  summaryWordingSchema,
  ThreadfoldError,
  type ToolDurability,
} from "@threadfold/core";
import { formatById, type ProviderFormat, type RehydratedContent } from "@threadfold/renderer";
import {
  extendState,
  parseFrame,
  type RenderedPlan,
  type RenderSources,
  type RequestFrame,
  RequestRenderer,
  type ThreadState,
  threadState,
} from "@threadfold/turn";

/** Where to find what the recorded requests of a thread were made from. */
export interface RecordedSources {
  /** The whole thread. It may be longer each time that it is read. */
  readonly thread: AgentThread;
  /** Returns the plan of a version, from 1; null when there is none. */
  plan(version: number): Promise<CompactionPlan | null>;
  /** Returns the content of an artifact; null when it is gone. */
  content(id: ArtifactId): Promise<string | null>;
}

/** How recorded requests are rendered again. */
export interface RecordedRequestsOptions {
  /** Custom formats that requests were rendered in, in addition to Threadfold's. */
  readonly formats: readonly ProviderFormat[];
  /** Counts tokens of what is rendered. It does not affect the bytes. */
  readonly tokenizer: ProviderAwareTokenizer;
  /**
   * True to reuse what a request shares with the previous one, as a session does. Otherwise each request is rendered
   * from its first message on.
   */
  readonly growing: boolean;
}

/** A recorded request, rendered again. */
export interface RecordedRequest {
  readonly state: ThreadState;
  readonly plan: CompactionPlan;
  readonly format: ProviderFormat;
  readonly frame: RequestFrame;
  readonly rendered: RenderedPlan;
}

/** A dummy policy: durability decides what is folded, not how a plan is rendered. */
const ANY_DURABILITY = (): ToolDurability => "anchoring";

/**
 * Renders the recorded requests of a thread again, in the order of its journal. Consecutive requests share plan, frame
 * and most of the thread, so the newest of each is kept, and a long history is not read and counted again for every
 * request.
 */
export class RecordedRequests {
  readonly #sources: RecordedSources;
  readonly #options: RecordedRequestsOptions;
  #state: ThreadState | undefined;
  #frame: { readonly id: ArtifactId; readonly frame: RequestFrame } | undefined;
  #plan: CompactionPlan | undefined;
  #renderer: RequestRenderer | undefined;

  constructor(sources: RecordedSources, options: RecordedRequestsOptions) {
    this.#sources = sources;
    this.#options = options;
  }

  /**
   * Renders a recorded request again.
   *
   * @throws ThreadfoldError `STORE_CORRUPT`, `PLAN_NOT_FOUND` or `ARTIFACT_NOT_FOUND` when a source is gone,
   * `INVALID_CONFIG` for an unknown format.
   */
  async render(record: RequestRenderedRecord): Promise<RecordedRequest> {
    const state = this.#stateAt(record.threadVersion);
    const frame = await this.#frameOf(record.frame);
    const rehydrated = await Promise.all(record.rehydrated.map((kept) => this.#rehydrated(kept)));
    const format = formatById(record.format, this.#options.formats);
    const plan = await this.#planOf(record.planVersion);
    const renderer = this.#rendererOf({ state, frame, format, ...renderOptions(record) }, rehydrated);
    return { state, plan, format, frame, rendered: renderer.render(plan) };
  }

  /** Keeps the renderer without rehydrated content, because content brought back for one request is not in the next. */
  #rendererOf(sources: RenderSources, rehydrated: readonly RehydratedContent[]): RequestRenderer {
    const renderer = new RequestRenderer(sources, this.#options.growing ? this.#renderer : undefined);
    this.#renderer = renderer;
    return rehydrated.length === 0 ? renderer : new RequestRenderer({ ...sources, rehydrated }, renderer);
  }

  /** Returns the thread as it was at a version. */
  #stateAt(version: number): ThreadState {
    const thread = this.#sources.thread.atVersion(version);
    if (thread.version !== version) throw new ThreadfoldError("STORE_CORRUPT", `The thread has no version ${version}.`);
    const before = this.#state;
    const goesOn = before !== undefined && before.thread.version <= version;
    const { tokenizer } = this.#options;
    this.#state = goesOn ? extendState(before, thread) : threadState(thread, tokenizer, ANY_DURABILITY);
    return this.#state;
  }

  async #frameOf(id: ArtifactId): Promise<RequestFrame> {
    if (this.#frame?.id === id) return this.#frame.frame;
    const frame = parseFrame(await this.#content(id, "The request's system text and tools are missing."));
    this.#frame = { id, frame };
    return frame;
  }

  async #planOf(version: number): Promise<CompactionPlan> {
    if (this.#plan?.version === version) return this.#plan;
    const { id } = this.#sources.thread;
    const plan = version === 0 ? emptyPlan(id, "none") : await this.#sources.plan(version);
    if (plan === null) throw new ThreadfoldError("PLAN_NOT_FOUND", `The store has no plan ${version} of thread ${id}.`);
    this.#plan = plan;
    return plan;
  }

  async #rehydrated({
    artifactId,
    content,
    tokens,
    truncated,
  }: RequestRenderedRecord["rehydrated"][number]): Promise<RehydratedContent> {
    const absence = `The content that artifact ${artifactId} was rehydrated with is missing.`;
    return { artifactId, content: await this.#content(content, absence), tokens, truncated };
  }

  async #content(id: ArtifactId, absence: string): Promise<string> {
    const content = await this.#sources.content(id);
    if (content === null) throw new ThreadfoldError("ARTIFACT_NOT_FOUND", absence, { details: { artifactId: id } });
    return content;
  }
}

/** Reads the render options that a record holds. */
function renderOptions({ options }: RequestRenderedRecord) {
  const { summaryRole, summaryWording, model } = options;
  return {
    summaryRole: summaryRoleSchema.parse(summaryRole),
    ...(summaryWording !== undefined && { summaryWording: summaryWordingSchema.parse(summaryWording) }),
    ...(typeof model === "string" && { model }),
  };
}
