import {
  type AgentThread,
  type ArtifactId,
  type CompactionPlan,
  emptyPlan,
  ThreadfoldError,
  type ThreadfoldStore,
  type ToolDurability,
} from "@threadfold/core";
import { heuristicTokenizer } from "@threadfold/tokenizers";
import { parseFrame, type RequestFrame } from "../request/request-frame.ts";
import { extendState, type ThreadState, threadState } from "../thread/thread-state.ts";

/** Durability decides what is folded and not how a plan is rendered, so replay needs no policy. */
const ANY_DURABILITY = (): ToolDurability => "anchoring";

/**
 * What the recorded requests of a thread were made of, read from its store. Requests that follow one another share plan,
 * frame and most of the thread, so the newest of each is kept and a long past is not read and counted anew for each of them.
 */
export class ReplaySources {
  readonly #store: ThreadfoldStore;
  readonly #thread: AgentThread;
  #state: ThreadState | undefined;
  #frame: { readonly id: ArtifactId; readonly frame: RequestFrame } | undefined;
  #plan: CompactionPlan | undefined;

  constructor(store: ThreadfoldStore, thread: AgentThread) {
    this.#store = store;
    this.#thread = thread;
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
