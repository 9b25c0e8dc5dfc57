import {
  BudgetInfeasibleError,
  type Clock,
  type CompactionOutcome,
  planRecords,
  type ThreadId,
} from "@threadfold/core";
import { ThreadMirror } from "@threadfold/integrations/mirror";
import { type ContextSession, type FrameFields, type PreparedRequest, SerialQueue } from "@threadfold/session";
import type { CollectedAnswer } from "../answers/answer-collector.ts";
import type { ProviderApi, Refusal, RequestHead, WireObject } from "../apis/provider-api.ts";

/** A request of a client whose conversation could be read. */
export interface ReadRequest extends RequestHead {
  readonly api: ProviderApi;
  /** The conversation in the body, all of it. */
  readonly values: readonly unknown[];
}

/** What becomes of a request. */
export type Turn =
  /** It goes out exactly as it came: nothing of its conversation is folded. */
  | (TurnNotes & { readonly type: "as-it-came"; readonly session: ContextSession })
  | (TurnNotes & { readonly type: "folded"; readonly session: ContextSession; readonly body: WireObject })
  /** Nothing that fits its budget can be made of it. */
  | (TurnNotes & { readonly type: "refused"; readonly refusal: Refusal });

/** What is to be said about a turn. */
interface TurnNotes {
  readonly threadId: ThreadId;
  /** Tokens of the request, counted. */
  readonly tokens: number;
  /** How folding ended; null when it was not asked for. */
  readonly outcome: CompactionOutcome | null;
}

/** An answer that the client has not handed back yet. */
interface OpenAnswer {
  readonly values: readonly unknown[];
  readonly answer: readonly unknown[];
}

/**
 * The conversations of clients that begin with the same words, each on a thread of its own in one tree of forks. A client
 * sends all of its conversation with each request. Its newest answer is not in the thread until the client hands it back
 * with the next request, as it understood it, or the conversation rests.
 */
export class Conversation {
  readonly #mirror: ThreadMirror;
  readonly #queue = new SerialQueue();
  /** The newest answer of each thread. */
  readonly #open = new Map<ThreadId, OpenAnswer>();
  /** The model that each session makes requests for. */
  readonly #models = new WeakMap<ContextSession, string>();

  constructor(session: ContextSession, api: ProviderApi, clock: Clock) {
    this.#mirror = new ThreadMirror({ session, format: api.format, clock });
  }

  /**
   * Takes in what is new and makes the request. Calls are answered one after the other, for they may be on different ways
   * of the conversation.
   *
   * @throws what a store throws; ThreadfoldError `INVALID_MESSAGE` for a value that is no message.
   */
  turn(request: ReadRequest, signal: AbortSignal): Promise<Turn> {
    return this.#queue.run(async () => {
      signal.throwIfAborted();
      await this.#keepAnswerBefore(request.values);
      const { session } = await this.#mirror.sync(request.values);
      this.#open.delete(session.threadId);
      this.#retarget(session, request.body["model"]);
      return turnOf(request, session, signal);
    });
  }

  /** Takes in what was read of the answer to a turn: what it used, and the answer itself for when it is handed back. */
  async answered({ values }: ReadRequest, session: ContextSession, collected: CollectedAnswer): Promise<void> {
    const { answer, failure } = collected;
    if (failure !== undefined) await session.failed(failure);
    if (answer === undefined) return;
    this.#open.set(session.threadId, { values, answer: answer.values });
    await session.complete({ messages: [], ...answer.report });
  }

  /** Appends the answers that no request handed back. */
  rest(): Promise<void> {
    return this.#queue.run(async () => {
      for (const [threadId, open] of this.#open) await this.#keep(threadId, open);
    });
  }

  /** A request that does not go on behind an answer leaves it: asked anew, or edited. It stays in its own thread. */
  async #keepAnswerBefore(values: readonly unknown[]): Promise<void> {
    const { threadId } = this.#mirror.session;
    const open = this.#open.get(threadId);
    if (open !== undefined && values.length <= open.values.length) await this.#keep(threadId, open);
  }

  async #keep(threadId: ThreadId, { values, answer }: OpenAnswer): Promise<void> {
    await this.#mirror.sync([...values, ...answer]);
    this.#open.delete(threadId);
  }

  #retarget(session: ContextSession, model: unknown): void {
    if (typeof model !== "string" || this.#models.get(session) === model) return;
    this.#models.set(session, model);
    session.switchModel({ model });
  }
}

/** Prepares the request of a session that has all of the client's conversation. */
async function turnOf(request: ReadRequest, session: ContextSession, signal: AbortSignal): Promise<Turn> {
  const { api, body } = request;
  const frame: FrameFields = api.frameOf(request);
  const { threadId } = session;
  try {
    const prepared = await session.prepare({ frame, signal });
    const { tokens, outcome } = prepared;
    const notes = { threadId, tokens, outcome, session };
    if (foldsNothing(prepared)) return { type: "as-it-came", ...notes };
    return { type: "folded", ...notes, body: api.withConversation(body, prepared.payload) };
  } catch (error) {
    if (!(error instanceof BudgetInfeasibleError)) throw error;
    const { required, budget, message } = error;
    const refusal = api.tooLong(required, budget, message);
    return { type: "refused", threadId, tokens: required, outcome: null, refusal };
  }
}

/** True when a request says no more and no less than the client does: nothing is folded, nothing was brought back or pinned. */
const foldsNothing = ({ plan, manifest }: PreparedRequest): boolean =>
  planRecords(plan).length === 0 &&
  manifest.messages.every(({ action }) => action !== "pins" && action !== "rehydration");
