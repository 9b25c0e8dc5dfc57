import {
  type IndexedPassage,
  type Message,
  passagesOf,
  passageText,
  type RecallHit,
  type RecallIndex,
  type RecallPage,
  type RecallRequest,
  readRecallRequest,
  searchPassages,
  type ThreadId,
} from "@threadfold/core";
import MiniSearch from "minisearch";

/** A passage with its number among the thread's passages. */
interface KeptPassage extends IndexedPassage {
  readonly id: number;
}

/** What is indexed of one thread. */
class ThreadIndex {
  readonly messages = new Map<string, Message>();
  readonly kept: KeptPassage[] = [];
  words = 0;
  readonly #search = new MiniSearch<KeptPassage>({
    fields: ["terms"],
    // Terms come ready from the passage, and a query is one term at a time.
    extractField: (kept, field) => (field === "id" ? kept.id : (kept.terms as never)),
    tokenize: (terms) => terms as unknown as string[],
    stringifyField: (terms) => terms as never,
    processTerm: (term) => term,
    searchOptions: { tokenize: (term) => [term] },
  });

  add(message: Message): void {
    if (this.messages.has(message.id)) return;
    this.messages.set(message.id, message);
    for (const indexed of passagesOf(message)) {
      const kept = { ...indexed, id: this.kept.length };
      this.kept.push(kept);
      this.words += indexed.passage.words;
      this.#search.add(kept);
    }
  }

  find(term: string): readonly number[] {
    return this.#search.search(term).map(({ id }) => id as number);
  }
}

/** A recall index that lives in this process. It is made again from the thread when the process starts. */
export class MemoryRecallIndex implements RecallIndex {
  readonly #threads = new Map<ThreadId, ThreadIndex>();

  async index(threadId: ThreadId, messages: Iterable<Message>): Promise<void> {
    let index = this.#threads.get(threadId);
    if (index === undefined) {
      index = new ThreadIndex();
      this.#threads.set(threadId, index);
    }
    for (const message of messages) index.add(message);
  }

  async search(threadId: ThreadId, request: RecallRequest): Promise<RecallPage> {
    const search = readRecallRequest(request);
    const index = this.#threads.get(threadId) ?? new ThreadIndex();
    const { found, total, nextCursor } = searchPassages<number>(
      {
        passages: index.kept.length,
        words: index.words,
        find: (term) => index.find(term),
        passage: (id) => (index.kept[id] as KeptPassage).passage,
      },
      search,
    );
    const hits = found.map(({ passage: { words: _words, ...place }, score }): RecallHit => {
      const message = index.messages.get(place.messageId) as Message;
      return Object.freeze({ ...place, score, excerpt: passageText(message, place) });
    });
    return Object.freeze({ hits: Object.freeze(hits), total, nextCursor });
  }

  async remove(threadId: ThreadId): Promise<void> {
    this.#threads.delete(threadId);
  }
}
