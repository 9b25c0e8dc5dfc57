import {
  EventLoopTurns,
  type Message,
  passagesOf,
  passageText,
  type RecallHit,
  type RecallIndex,
  type RecallPage,
  type RecallPassage,
  type RecallRequest,
  readRecallRequest,
  searchPassages,
  type ThreadId,
} from "@threadfold/core";

/** What is indexed of one thread. */
class ThreadIndex {
  readonly messages = new Map<string, Message>();
  readonly passages: RecallPassage[] = [];
  /** By word, the numbers of the passages that hold it. */
  readonly #places = new Map<string, number[]>();
  words = 0;
  /** Ends when all that was handed in so far is indexed. */
  ready: Promise<void> = Promise.resolve();

  async add(messages: Iterable<Message>): Promise<void> {
    const turns = new EventLoopTurns();
    for (const message of messages) {
      if (this.messages.has(message.id)) continue;
      this.messages.set(message.id, message);
      for (const { passage, terms } of passagesOf(message)) {
        this.#keep(passage, terms);
        if (turns.isDue) await turns.turn();
      }
    }
  }

  find(term: string): readonly number[] {
    return this.#places.get(term) ?? [];
  }

  #keep(passage: RecallPassage, terms: readonly string[]): void {
    const number = this.passages.push(passage) - 1;
    this.words += passage.words;
    for (const term of terms) {
      const places = this.#places.get(term);
      if (places === undefined) this.#places.set(term, [number]);
      else places.push(number);
    }
  }
}

/**
 * A recall index that lives in this process. It is made again from the thread when the process starts. Indexing lets the
 * event loop turn, and a search waits for what was handed in before it.
 */
export class MemoryRecallIndex implements RecallIndex {
  readonly #threads = new Map<ThreadId, ThreadIndex>();

  async index(threadId: ThreadId, messages: Iterable<Message>): Promise<void> {
    const index = this.#threads.get(threadId) ?? new ThreadIndex();
    this.#threads.set(threadId, index);
    // One after the other: passages are numbered in the order of the thread.
    const added = index.ready.then(() => index.add(messages));
    index.ready = added.catch(() => undefined);
    return added;
  }

  async search(threadId: ThreadId, request: RecallRequest): Promise<RecallPage> {
    const search = readRecallRequest(request);
    const index = this.#threads.get(threadId) ?? new ThreadIndex();
    await index.ready;
    const { found, total, nextCursor } = searchPassages<number>(
      {
        passages: index.passages.length,
        words: index.words,
        find: (term) => index.find(term),
        passage: (number) => index.passages[number] as RecallPassage,
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
