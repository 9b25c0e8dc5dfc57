import type { SubjectKey } from "@threadfold/core";
import { envelopeKeyVersion, keyedDigest, openEnvelope, sealEnvelope, unsealFailed } from "./sealed-envelope.ts";
import { contextIn, type SealedPlace } from "./sealed-places.ts";

/** Seals and opens the content of one thread, with the keys of its subject. It lives for one call and then forgets them. */
export class Sealer {
  readonly #place: SealedPlace;
  readonly #newest: SubjectKey | null;
  readonly #known = new Map<number, SubjectKey>();
  readonly #onOpened: ((key: SubjectKey) => void) | undefined;

  /**
   * @param newest what seals; null for opening alone.
   * @param onOpened hears of each key that opened something.
   */
  constructor(place: SealedPlace, newest: SubjectKey | null, onOpened?: (key: SubjectKey) => void) {
    this.#place = place;
    this.#newest = newest;
    this.#onOpened = onOpened;
    if (newest !== null) this.#known.set(newest.version, newest);
  }

  seal(kind: string, id: string, content: string): string {
    return sealEnvelope(this.#sealing(), contextIn(this.#place, kind, id), content, "repeatable");
  }

  /** @throws ThreadfoldError `UNSEAL_FAILED`. */
  async open(kind: string, id: string, envelope: string): Promise<string> {
    const version = envelopeKeyVersion(envelope);
    const key = this.#known.get(version) ?? (await this.#place.keys.get(this.#place.subject, version));
    if (key === null) throw unsealFailed();
    const content = openEnvelope(key, contextIn(this.#place, kind, id), envelope);
    this.#known.set(version, key);
    this.#onOpened?.(key);
    return content;
  }

  digest(digest: string): string {
    return keyedDigest(this.#sealing(), digest);
  }

  #sealing(): SubjectKey {
    if (this.#newest === null) throw unsealFailed();
    return this.#newest;
  }
}
