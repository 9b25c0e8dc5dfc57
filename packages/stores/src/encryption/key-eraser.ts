import type { KeyStore, ThreadId } from "@threadfold/core";
import type { ErasableStore, StoreEraser } from "../erasure/store-eraser.ts";
import type { StoreInspector } from "../inspection/stored-rows.ts";
import type { PlaceOf } from "./sealed-places.ts";

/** Erases by destroying a subject's key: what it sealed is noise from then on, wherever copies of it lie. */
export class KeyEraser implements StoreEraser {
  readonly #keys: KeyStore;
  readonly #placeOf: PlaceOf;
  readonly #subjectOf: (threadId: ThreadId) => string;
  readonly #inspector: StoreInspector;
  readonly #inner: Partial<ErasableStore>;

  constructor(
    keys: KeyStore,
    placeOf: PlaceOf,
    subjectOf: (threadId: ThreadId) => string,
    inspector: StoreInspector,
    inner: Partial<ErasableStore>,
  ) {
    this.#keys = keys;
    this.#placeOf = placeOf;
    this.#subjectOf = subjectOf;
    this.#inspector = inspector;
    this.#inner = inner;
  }

  async threadsOf(subject: string): Promise<readonly ThreadId[]> {
    const found: ThreadId[] = [];
    for await (const threadId of this.#inspector.threadIds())
      if (this.#subjectOf(threadId) === subject) found.push(threadId);
    return found;
  }

  async isErased(threadId: ThreadId): Promise<boolean> {
    return this.#keys.isShredded(this.#placeOf(threadId).subject);
  }

  async erase(subject: string): Promise<boolean> {
    const [threadId] = await this.threadsOf(subject);
    if (threadId === undefined) return false;
    await this.#keys.shred(this.#placeOf(threadId).subject);
    return true;
  }

  async sweep(nowMs: number): Promise<number> {
    return (await this.#inner.eraser?.sweep(nowMs)) ?? 0;
  }
}
