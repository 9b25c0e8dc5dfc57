import { createHash, randomBytes } from "node:crypto";
import { type KeyStore, type KeyWrapper, type SubjectKey, ThreadfoldError } from "@threadfold/core";
import { fileKeyRecords } from "./file-key-records.ts";
import { type KeyRecords, memoryKeyRecords } from "./key-records.ts";

const KEY_BYTES = 32;

/** Keys that live as long as the process: for tests, and for content that shall not outlive it. */
export function memoryKeyStore(wrapper?: KeyWrapper): KeyStore {
  return new SubjectKeys(memoryKeyRecords(), wrapper);
}

/**
 * Keys in files of their own, readable by their owner alone. With a `wrapper` the files hold what a key management
 * service wrapped, so that the folder without the service opens nothing.
 */
export function fileKeyStore(folder: string, wrapper?: KeyWrapper): KeyStore {
  return new SubjectKeys(fileKeyRecords(folder), wrapper);
}

/** Makes and finds the keys of subjects among records. */
class SubjectKeys implements KeyStore {
  readonly #records: KeyRecords;
  readonly #wrapper: KeyWrapper | undefined;

  constructor(records: KeyRecords, wrapper: KeyWrapper | undefined) {
    this.#records = records;
    this.#wrapper = wrapper;
  }

  async get(subject: string, version?: number): Promise<SubjectKey | null> {
    const wanted = version ?? (await this.#newest(subject));
    const kept = wanted === 0 ? null : await this.#records.read(nameOf(subject), wanted);
    if (kept === null) return null;
    const bytes = this.#wrapper === undefined ? kept : await this.#unwrap(this.#wrapper, kept, subject, wanted);
    if (bytes.length === KEY_BYTES) return Object.freeze({ version: wanted, bytes });
    throw new ThreadfoldError("STORE_CORRUPT", `A key of ${bytes.length} bytes is none of ${KEY_BYTES}.`);
  }

  async getOrCreate(subject: string): Promise<SubjectKey> {
    return (await this.get(subject)) ?? (await this.#add(subject, 1));
  }

  async rotate(subject: string): Promise<SubjectKey> {
    return this.#add(subject, (await this.#newest(subject)) + 1);
  }

  async shred(subject: string): Promise<boolean> {
    const hadKey = (await this.#newest(subject)) > 0;
    await this.#records.destroy(nameOf(subject));
    return hadKey;
  }

  isShredded(subject: string): Promise<boolean> {
    return this.#records.isDestroyed(nameOf(subject));
  }

  async #add(subject: string, version: number): Promise<SubjectKey> {
    if (await this.isShredded(subject)) throw contentErased();
    const bytes = randomBytes(KEY_BYTES);
    const kept = await (this.#wrapper?.wrap(bytes, contextOf(subject, version)) ?? bytes);
    if (await this.#records.add(nameOf(subject), version, kept)) return Object.freeze({ version, bytes });
    // Somebody else was faster: one key of a version is enough.
    const found = await this.get(subject, version);
    if (found === null) throw contentErased();
    return found;
  }

  async #unwrap(wrapper: KeyWrapper, kept: Uint8Array, subject: string, version: number): Promise<Uint8Array> {
    try {
      return await wrapper.unwrap(kept, contextOf(subject, version));
    } catch (cause) {
      throw new ThreadfoldError("STORE_UNAVAILABLE", "The key management service did not unwrap a key.", { cause });
    }
  }

  async #newest(subject: string): Promise<number> {
    return Math.max(0, ...(await this.#records.versions(nameOf(subject))));
  }
}

/** What every use of a subject that was erased ends in. */
export function contentErased(): ThreadfoldError {
  return new ThreadfoldError("CONTENT_ERASED", "The content was erased; its key was destroyed.");
}

const nameOf = (subject: string): string => createHash("sha256").update(`threadfold subject ${subject}`).digest("hex");

const contextOf = (subject: string, version: number): Readonly<Record<string, string>> => ({
  subject: nameOf(subject),
  version: String(version),
});
