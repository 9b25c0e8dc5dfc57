import type { ThreadId } from "@threadfold/core";
import type { ErasableStore, StoreEraser } from "../erasure/store-eraser.ts";
import type { StoreInspector } from "../inspection/stored-rows.ts";
import type { KeyGuard } from "./key-guard.ts";
import type { PlaceOf } from "./sealed-places.ts";

/** Erases by destroying a subject's key: what it sealed is noise from then on, wherever copies of it lie. */
export class KeyEraser implements StoreEraser {
  readonly #placeOf: PlaceOf;
  readonly #subjectOf: (threadId: ThreadId) => string;
  readonly #guard: KeyGuard;
  readonly #inspector: StoreInspector;
  readonly #inner: Partial<ErasableStore>;

  constructor(
    placeOf: PlaceOf,
    subjectOf: (threadId: ThreadId) => string,
    guard: KeyGuard,
    inspector: StoreInspector,
    inner: Partial<ErasableStore>,
  ) {
    this.#placeOf = placeOf;
    this.#subjectOf = subjectOf;
    this.#guard = guard;
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
    const { keys, subject } = this.#placeOf(threadId);
    return keys.isShredded(subject);
  }

  async erase(subject: string): Promise<boolean> {
    const threadIds = await this.threadsOf(subject);
    const [threadId] = threadIds;
    if (threadId === undefined) return false;
    // To destroy what is not there, or somebody else's, would only look like an erasure.
    for (const each of threadIds) await this.#guard.requireKeys(each);
    const { keys, subject: name } = this.#placeOf(threadId);
    await keys.shred(name);
    return true;
  }

  async sweep(nowMs: number): Promise<number> {
    return (await this.#inner.eraser?.sweep(nowMs)) ?? 0;
  }
}
