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
import { listOf, objectOf } from "../apis/wire-value.ts";
import { Conversation, type ReadRequest } from "./conversation.ts";

/** What conversations are kept and folded with. */
export interface ConversationOptions {
  /** Where the threads are kept. It stays open. */
  readonly store: ThreadfoldStore;
  /** The policy; `threadfold` by default. */
  readonly preset?: CompactionPreset;
  /** Figures that override the preset's. Without `maxInputTokens` the window of each request's model decides. */
  readonly config?: Partial<ContextCompactionConfig>;
  /** How many conversations are kept in memory, 100 by default; one that was dropped is read from the store again. */
  readonly maxOpenConversations?: number;
}

/** A header by which a client may name its thread itself. It is not passed on. */
export const THREAD_HEADER = "x-threadfold-thread";

/** The conversations of every client, each found by what it begins with. */
export class Conversations {
  readonly #options: ConversationOptions;
  readonly #clock: Clock;
  readonly #open: LRUCache<string, Promise<Conversation>>;
  readonly #resting = new Set<Promise<void>>();

  /** @param onProblem hears what failed while a conversation was put to rest. */
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

  /** The conversation of a request. @throws what opening its thread throws; the next request tries again. */
  of(request: ReadRequest): Promise<Conversation> {
    const threadId = threadIdOf(request);
    const key = `${request.api.format} ${threadId}`;
    const known = this.#open.get(key);
    if (known !== undefined) return known;
    const opened = this.#openOne(threadId, request);
    this.#open.set(key, opened);
    // One that could not be opened has nothing to keep.
    opened.catch(() => this.#open.peek(key) === opened && this.#open.delete(key));
    return opened;
  }

  /** Puts every conversation to rest: answers that were not handed back go into their threads. */
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

/** The thread that a conversation begins with: the one that the client names, or one named after its opening. */
function threadIdOf({ api, headers, values }: ReadRequest): ThreadId {
  const named = headers[THREAD_HEADER];
  if (typeof named === "string" && named !== "") return asThreadId(named);
  const end = values.findIndex(isFromModel);
  const opening = messageReader(api.format, { seed: "" }).read(end === -1 ? values : values.slice(0, end));
  return asThreadId(`${api.provider}-${sha256(opening.map(contentOf).join("\n")).slice(0, 16)}`);
}

/** Messages of the model name it as their author; items that are no messages, such as calls, are the model's as well. */
function isFromModel(value: unknown): boolean {
  const { role, type } = objectOf(value) ?? {};
  return role === "assistant" || (role === undefined && type !== undefined && type !== "message");
}

/** How a client marks cached prefixes: folded requests have marks of the same kind, at the places that are stable then. */
function cacheMarksOf(body: ReadRequest["body"]): boolean | { readonly ttl: "5m" | "1h" } {
  const [mark] = marksIn([body["system"], body["messages"], body["tools"]]);
  const ttl = mark?.["ttl"];
  if (ttl === "5m" || ttl === "1h") return { ttl };
  return mark !== undefined;
}

const marksIn = (value: unknown): readonly Readonly<Record<string, unknown>>[] => {
  const own = objectOf(objectOf(value)?.["cache_control"]);
  if (own !== undefined) return [own];
  return (listOf(value) ?? listOf(objectOf(value)?.["content"]) ?? []).flatMap(marksIn);
};
