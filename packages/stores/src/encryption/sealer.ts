import type { KeyStore, SubjectKey, ThreadId } from "@threadfold/core";
import { envelopeKeyVersion, keyedDigest, openEnvelope, sealEnvelope, unsealFailed } from "./sealed-envelope.ts";
import { contentErased } from "./subject-keys.ts";

/** Whose keys seal what of a thread. */
export interface SealedPlace {
  readonly keys: KeyStore;
  readonly subject: string;
  readonly tenantId: string | null;
  readonly threadId: ThreadId;
}

/** Seals and opens the content of one thread, with the keys of its subject. It lives for one call and then forgets them. */
export class Sealer {
  readonly #place: SealedPlace;
  readonly #newest: SubjectKey | null;
  readonly #known = new Map<number, SubjectKey>();

  private constructor(place: SealedPlace, newest: SubjectKey | null) {
    this.#place = place;
    this.#newest = newest;
    if (newest !== null) this.#known.set(newest.version, newest);
  }

  /** For sealing. @throws ThreadfoldError `CONTENT_ERASED` when the subject was erased. */
  static async toSeal(place: SealedPlace): Promise<Sealer> {
    return new Sealer(place, await place.keys.getOrCreate(place.subject));
  }

  /** For opening. @throws ThreadfoldError `CONTENT_ERASED` when the subject was erased. */
  static async toOpen(place: SealedPlace): Promise<Sealer> {
    if (await place.keys.isShredded(place.subject)) throw contentErased();
    return new Sealer(place, null);
  }

  seal(kind: string, id: string, content: string): string {
    return sealEnvelope(this.#sealing(), this.#context(kind, id), content, "repeatable");
  }

  /** @throws ThreadfoldError `UNSEAL_FAILED`. */
  async open(kind: string, id: string, envelope: string): Promise<string> {
    const version = envelopeKeyVersion(envelope);
    const key = this.#known.get(version) ?? (await this.#place.keys.get(this.#place.subject, version));
    if (key === null) throw unsealFailed();
    this.#known.set(version, key);
    return openEnvelope(key, this.#context(kind, id), envelope);
  }

  digest(digest: string): string {
    return keyedDigest(this.#sealing(), digest);
  }

  #sealing(): SubjectKey {
    if (this.#newest === null) throw unsealFailed();
    return this.#newest;
  }

  #context(kind: string, id: string) {
    return { tenant: this.#place.tenantId, thread: this.#place.threadId, kind, id };
  }
}
