import {
  BudgetInfeasibleError,
  type Clock,
  type CompactionOutcome,
  modelRow,
  planRecords,
  suggestedCap,
  type ThreadId,
  tokenBudget,
} from "@threadfold/core";
import { ThreadMirror } from "@threadfold/integrations/mirror";
import { type ContextSession, type FrameFields, type PreparedRequest, SerialQueue } from "@threadfold/session";
import type { CollectedAnswer } from "../answers/answer-collector.ts";
import type { ProviderApi, Refusal, RequestHead, WireObject } from "../apis/provider-api.ts";
import { listOf, objectOf, textOf } from "../apis/wire-value.ts";

/** A client's request whose conversation could be read. */
export interface ReadRequest extends RequestHead {
  readonly api: ProviderApi;
  /** The whole conversation in the body. */
  readonly values: readonly unknown[];
}

/** What happens to a request. */
export type Turn =
  /** It is sent exactly as it came, because nothing in its conversation is folded. */
  | (TurnNotes & { readonly type: "as-it-came"; readonly session: ContextSession })
  | (TurnNotes & { readonly type: "folded"; readonly session: ContextSession; readonly body: WireObject })
  /** It cannot be made to fit its budget. */
  | (TurnNotes & { readonly type: "refused"; readonly refusal: Refusal });

/** What is reported about a turn. */
interface TurnNotes {
  readonly threadId: ThreadId;
  /** Counted tokens of the request. */
  readonly tokens: number;
  /** The outcome of folding; null when the request is refused. */
  readonly outcome: CompactionOutcome | null;
}

/** An answer that the client has not sent back yet as part of its history. */
interface OpenAnswer {
  readonly values: readonly unknown[];
  readonly answer: readonly unknown[];
}

/**
 * The conversations that begin with the same messages, each with its own thread in one tree of forks. A client sends
 * its whole conversation with each request. The newest answer is added to the thread only when the client sends it back
 * with the next request, in the client's version, or when the conversation is closed.
 */
export class Conversation {
  readonly #mirror: ThreadMirror;
  readonly #queue = new SerialQueue();
  /** The newest answer of each thread. */
  readonly #open = new Map<ThreadId, OpenAnswer>();

  constructor(session: ContextSession, api: ProviderApi, clock: Clock) {
    this.#mirror = new ThreadMirror({ session, format: api.format, clock });
  }

  /**
   * Appends what is new in the conversation and prepares the request. Calls run one at a time, because they may be on
   * different branches of the conversation.
   *
   * @throws what a store throws; ThreadfoldError `INVALID_MESSAGE` when a value is not a message.
   */
  turn(request: ReadRequest, signal: AbortSignal): Promise<Turn> {
    return this.#queue.run(async () => {
      signal.throwIfAborted();
      this.#retarget(this.#mirror.session, request.body["model"]);
      const refused = refusedAtOnce(request, this.#mirror.session);
      if (refused !== undefined) return refused;
      await this.#keepAnswerBefore(request.values);
      const { session } = await this.#mirror.sync(request.values);
      this.#open.delete(session.threadId);
      this.#retarget(session, request.body["model"]);
      return turnOf(request, session, signal);
    });
  }

  /** Records the answer to a turn: its usage, and the answer itself until the client sends it back. */
  async answered({ values }: ReadRequest, session: ContextSession, collected: CollectedAnswer): Promise<void> {
    const { answer, failure } = collected;
    if (failure !== undefined) await session.failed(failure);
    if (answer === undefined) return;
    this.#open.set(session.threadId, { values, answer: answer.values });
    await session.complete({ messages: [], ...answer.report });
  }

  /** Appends the answers that no request sent back. */
  rest(): Promise<void> {
    return this.#queue.run(async () => {
      for (const [threadId, open] of this.#open) await this.#keep(threadId, open);
    });
  }

  /** If a request does not continue after the newest answer (a retry or an edit), that answer is kept in its thread. */
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
    if (typeof model !== "string") return;
    const row = modelRow(model);
    const isAboveWindow = row !== undefined && session.config.maxInputTokens > suggestedCap(row);
    // Switching forgets what was learned about a model, even if it is the same one.
    if (session.model !== model || isAboveWindow) session.switchModel({ model });
  }
}

/** Prepares the request of a session that has the client's whole conversation. */
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

/**
 * Refuses a request whose newest words cannot fit, before they are stored, searched for rules and counted, which takes
 * long for a very long text. Returns undefined for any other request.
 */
function refusedAtOnce({ api, values }: ReadRequest, { threadId, config }: ContextSession): Turn | undefined {
  const { limitTokens } = tokenBudget(config);
  const texts = newestWords(values.at(-1));
  const length = texts.reduce((sum, text) => sum + text.length, 0);
  // Each word takes at least two characters, the second being what divides it from the next.
  if (length / 2 / WORDS_A_TOKEN <= limitTokens) return undefined;
  if (texts.reduce((sum, text) => sum + wordsIn(text), 0) / WORDS_A_TOKEN <= limitTokens) return undefined;
  const tokens = Math.ceil(length / 4);
  const why = `The newest message alone takes about ${tokens} tokens, and it is never folded.`;
  return { type: "refused", threadId, tokens, outcome: null, refusal: api.tooLong(tokens, limitTokens, why) };
}

/** A word takes more than half a token by any counter, and counters are corrected by a factor of two at most. */
const WORDS_A_TOKEN = 4;

/** Returns what the user said in the last message of a conversation; nothing if it is not the user's. */
function newestWords(value: unknown): readonly string[] {
  const { role, content } = objectOf(value) ?? {};
  if (role !== "user") return [];
  return typeof content === "string"
    ? [content]
    : (listOf(content) ?? []).map((part) => textOf(objectOf(part)?.["text"])).filter((text) => text !== "");
}

/** Counts runs of Latin letters: no counter makes fewer tokens of a text than half as many. */
function wordsIn(text: string): number {
  let words = 0;
  let isInWord = false;
  for (let index = 0; index < text.length; index++) {
    const lower = text.charCodeAt(index) | 0x20;
    const isLetter = lower >= 0x61 && lower <= 0x7a;
    if (isLetter && !isInWord) words++;
    isInWord = isLetter;
  }
  return words;
}

/** True when a request has exactly the client's content: nothing is folded, and nothing was brought back or pinned. */
const foldsNothing = ({ plan, manifest }: PreparedRequest): boolean =>
  planRecords(plan).length === 0 &&
  manifest.messages.every(({ action }) => action !== "pins" && action !== "rehydration");
