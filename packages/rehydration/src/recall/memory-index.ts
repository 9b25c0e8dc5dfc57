import {
  EventLoopTurns,
  loadStemmers,
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
  ThreadfoldError,
  type ThreadId,
  type VectorEntry,
  type VectorMatch,
  type VectorStore,
} from "@threadfold/core";

/** The index of one thread. */
class ThreadIndex {
  readonly messages = new Map<string, Message>();
  readonly passages: RecallPassage[] = [];
  /** For each word, the numbers of the passages that contain it. */
  readonly #places = new Map<string, number[]>();
  words = 0;
  /** Resolves when everything added so far is indexed. */
  ready: Promise<void> = Promise.resolve();

  async add(messages: Iterable<Message>): Promise<void> {
    const stemmers = await loadStemmers();
    const turns = new EventLoopTurns();
    for (const message of messages) {
      if (this.messages.has(message.id)) continue;
      this.messages.set(message.id, message);
      for (const { passage, terms } of passagesOf(message, stemmers)) {
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
 * A recall index in memory. It must be rebuilt from the thread when the process starts. Indexing yields to the event
 * loop, and a search waits until everything added before it is indexed.
 */
export class MemoryRecallIndex implements RecallIndex {
  readonly #threads = new Map<ThreadId, ThreadIndex>();

  async index(threadId: ThreadId, messages: Iterable<Message>): Promise<void> {
    const index = this.#threads.get(threadId) ?? new ThreadIndex();
    this.#threads.set(threadId, index);
    // One at a time, because passages are numbered in thread order.
    const added = index.ready.then(() => index.add(messages));
    index.ready = added.catch(() => undefined);
    return added;
  }

  async search(threadId: ThreadId, request: RecallRequest): Promise<RecallPage> {
    const search = await readRecallRequest(request);
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

interface KeptVector {
  readonly entry: VectorEntry;
  readonly norm: number;
}

/** The reference vector store: in memory and exact, comparing every entry. Equal content gives equal results. */
export class MemoryVectorStore implements VectorStore {
  readonly #threads = new Map<ThreadId, Map<string, KeptVector>>();

  async upsert(threadId: ThreadId, entries: readonly VectorEntry[]): Promise<void> {
    const kept = new Map(this.#threads.get(threadId));
    for (const entry of entries) {
      checkVector(entry.vector, lengthIn(kept));
      kept.set(entry.id, {
        entry: Object.freeze({ ...entry, vector: Object.freeze([...entry.vector]) }),
        norm: Math.hypot(...entry.vector),
      });
    }
    this.#threads.set(threadId, kept);
  }

  async search(threadId: ThreadId, vector: readonly number[], limit: number): Promise<readonly VectorMatch[]> {
    const kept = this.#threads.get(threadId);
    if (kept === undefined || kept.size === 0) return [];
    checkVector(vector, lengthIn(kept));
    const norm = Math.hypot(...vector);
    return [...kept.values()]
      .map(({ entry, norm: other }) => ({ entry, similarity: cosine(vector, norm, entry.vector, other) }))
      .sort((a, b) => b.similarity - a.similarity || (a.entry.id < b.entry.id ? -1 : 1))
      .slice(0, Math.max(0, limit));
  }

  async remove(threadId: ThreadId): Promise<void> {
    this.#threads.delete(threadId);
  }
}

/** A vector of zeros has no direction and is similar to nothing. */
function cosine(a: readonly number[], normA: number, b: readonly number[], normB: number): number {
  if (normA === 0 || normB === 0) return 0;
  return a.reduce((sum, value, index) => sum + value * (b[index] as number), 0) / (normA * normB);
}

function lengthIn(kept: ReadonlyMap<string, KeptVector>): number | undefined {
  for (const { entry } of kept.values()) return entry.vector.length;
  return undefined;
}

function checkVector(vector: readonly number[], length: number | undefined): void {
  if (vector.length > 0 && vector.every(Number.isFinite) && (length === undefined || vector.length === length)) return;
  throw new ThreadfoldError(
    "INVALID_QUERY",
    `A vector has ${vector.length} numbers; it has to have ${length ?? "at least one"}, all of them finite.`,
  );
}
