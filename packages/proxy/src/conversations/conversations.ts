import {
  asThreadId,
  type Clock,
  type ContextCompactionConfig,
  sha256,
  type ThreadfoldStore,
  type ThreadId,
} from "@threadfold/core";
import { messageReader } from "@threadfold/importers";
import { contentOf } from "@threadfold/integrations/mirror";
import { formatById } from "@threadfold/renderer";
import { ContextSession } from "@threadfold/session";
import type { CompactionPreset } from "@threadfold/strategies";
import { LRUCache } from "lru-cache";
import { cacheMarksIn, objectOf } from "../apis/wire-value.ts";
import { Conversation, type ReadRequest } from "./conversation.ts";

/** How conversations are stored and folded. */
export interface ConversationOptions {
  /** The store for the threads. It is never closed here. */
  readonly store: ThreadfoldStore;
  /** The policy; `threadfold` by default. */
  readonly preset?: CompactionPreset;
  /** Settings that override the preset's. Without `maxInputTokens`, the window of each request's model decides. */
  readonly config?: Partial<ContextCompactionConfig>;
  /** The most conversations kept in memory, 100 by default; an evicted one is read from the store again when needed. */
  readonly maxOpenConversations?: number;
}

/** A header with which a client may name its thread. It is not passed on to the provider. */
export const THREAD_HEADER = "x-threadfold-thread";

/** The conversations of all clients, each identified by its opening messages. */
export class Conversations {
  readonly #options: ConversationOptions;
  readonly #clock: Clock;
  readonly #open: LRUCache<string, Promise<Conversation>>;
  readonly #resting = new Set<Promise<void>>();

  /** @param onProblem called with any error while an evicted conversation is saved. */
  constructor(options: ConversationOptions, clock: Clock, onProblem: (error: unknown) => void) {
    this.#options = options;
    this.#clock = clock;
    this.#open = new LRUCache({
      max: options.maxOpenConversations ?? 100,
      dispose: (conversation) => {
        const resting = conversation.then((one) => one.rest()).catch(onProblem);
        this.#resting.add(resting);
        void resting.then(() => this.#resting.delete(resting));
      },
    });
  }

  /** Returns the conversation of a request. @throws what opening its thread throws; the next request tries again. */
  of(request: ReadRequest): Promise<Conversation> {
    const threadId = threadIdOf(request);
    const key = `${request.api.format} ${threadId}`;
    const known = this.#open.get(key);
    if (known !== undefined) return known;
    const opened = this.#openOne(threadId, request);
    this.#open.set(key, opened);
    // A conversation that could not be opened has nothing to keep.
    opened.catch(() => this.#open.peek(key) === opened && this.#open.delete(key));
    return opened;
  }

  /** Saves and closes every conversation: appends the answers that no client sent back to their threads. */
  async rest(): Promise<void> {
    this.#open.clear();
    await Promise.all(this.#resting);
  }

  async #openOne(threadId: ThreadId, { api, body }: ReadRequest): Promise<Conversation> {
    const { store, preset, config } = this.#options;
    const { model } = body;
    const session = await ContextSession.open({
      threadId,
      store,
      format: formatById(api.format),
      clock: this.#clock,
      cacheBreakpoints: cacheMarksOf(body),
      ...(preset !== undefined && { preset }),
      ...(config !== undefined && { config }),
      ...(typeof model === "string" && { model }),
    });
    return new Conversation(session, api, this.#clock);
  }
}

/** Returns the thread of a conversation: the one that the client names, or one named after the opening messages. */
function threadIdOf({ api, headers, values }: ReadRequest): ThreadId {
  const named = headers[THREAD_HEADER];
  if (typeof named === "string" && named !== "") return asThreadId(named);
  const end = values.findIndex(isFromModel);
  const opening = messageReader(api.format, { seed: "" }).read(end === -1 ? values : values.slice(0, end));
  return asThreadId(`${api.provider}-${sha256(opening.map(contentOf).join("\n")).slice(0, 16)}`);
}

/** True for messages by the model, and for items that are not messages, such as calls, which are the model's too. */
function isFromModel(value: unknown): boolean {
  const { role, type } = objectOf(value) ?? {};
  return role === "assistant" || (role === undefined && type !== undefined && type !== "message");
}

/**
 * Returns how a client marks cached prefixes, so that folded requests get marks of the same kind where they are stable.
 */
function cacheMarksOf(body: ReadRequest["body"]): boolean | { readonly ttl: "5m" | "1h" } {
  const [mark] = cacheMarksIn([body["system"], body["messages"], body["tools"]]);
  const ttl = mark?.["ttl"];
  if (ttl === "5m" || ttl === "1h") return { ttl };
  return mark !== undefined;
}
