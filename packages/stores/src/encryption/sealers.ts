import type { ThreadId } from "@threadfold/core";
import type { KeyGuard } from "./key-guard.ts";
import type { PlaceOf } from "./sealed-places.ts";
import { Sealer } from "./sealer.ts";
import { contentErased } from "./subject-keys.ts";

/** Makes the sealers of a store's threads. */
export class Sealers {
  readonly #placeOf: PlaceOf;
  readonly #guard: KeyGuard;

  constructor(placeOf: PlaceOf, guard: KeyGuard) {
    this.#placeOf = placeOf;
    this.#guard = guard;
  }

  /** For sealing. @throws ThreadfoldError `CONTENT_ERASED`, `KEY_MISSING` or `KEY_MISMATCH`. */
  async toSeal(threadId: ThreadId): Promise<Sealer> {
    return (await this.toSealFirst(threadId)).sealer;
  }

  /** The same, and whether nothing of the thread was sealed before. */
  async toSealFirst(threadId: ThreadId): Promise<{ readonly sealer: Sealer; readonly isFirst: boolean }> {
    const { key, isFirst } = await this.#guard.sealingKey(threadId);
    return { sealer: new Sealer(this.#placeOf(threadId), key), isFirst };
  }

  /** For opening. @throws ThreadfoldError `CONTENT_ERASED` when the subject was erased. */
  async toOpen(threadId: ThreadId): Promise<Sealer> {
    if (await this.isShredded(threadId)) throw contentErased();
    return new Sealer(this.#placeOf(threadId), null, (key) => this.#guard.opened(threadId, key));
  }

  isShredded(threadId: ThreadId): Promise<boolean> {
    const { keys, subject } = this.#placeOf(threadId);
    return keys.isShredded(subject);
  }
}
