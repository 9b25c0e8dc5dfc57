import { ThreadfoldError, type ThreadId, type VectorEntry, type VectorMatch, type VectorStore } from "@threadfold/core";

interface KeptVector {
  readonly entry: VectorEntry;
  readonly norm: number;
}

/** The reference vector store: in this process, exact, every entry compared. Equal content gives equal answers. */
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

/** A vector of zeros points nowhere and is like nothing. */
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
