import { ThreadfoldError } from "@threadfold/core";

const DIGEST_BYTES = 32;

/** A growing list of SHA-256 digests, 32 bytes each, for logs that are too long to keep as texts. */
export class DigestList {
  #bytes = Buffer.alloc(64 * DIGEST_BYTES);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** Adds a digest in hexadecimal. @throws ThreadfoldError `STORE_CORRUPT` when it is none. */
  push(digest: string): void {
    if (!/^[0-9a-f]{64}$/.test(digest)) throw new ThreadfoldError("STORE_CORRUPT", "A digest that was kept is none.");
    if ((this.#length + 1) * DIGEST_BYTES > this.#bytes.length) this.#bytes = Buffer.concat([this.#bytes, this.#bytes]);
    this.#bytes.write(digest, this.#length * DIGEST_BYTES, "hex");
    this.#length++;
  }

  at(index: number): string | undefined {
    if (!Number.isSafeInteger(index) || index < 0 || index >= this.#length) return undefined;
    return this.#bytes.toString("hex", index * DIGEST_BYTES, (index + 1) * DIGEST_BYTES);
  }
}
