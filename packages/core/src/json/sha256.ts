import { sha256 as nobleSha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import { canonicalPieces } from "./canonical-json.ts";
import { continuedTexts, writtenTexts } from "./long-list.ts";

type HashFunction = (algorithm: string, data: string | Uint8Array, encoding: "hex") => string;

/** Chosen at the first use: Node loads all of its cryptography for it. */
let implementation: ((data: string | Uint8Array) => string) | undefined;

/**
 * SHA-256 of a text (as UTF-8) or of bytes, in lower-case hexadecimal. Uses Node's own implementation where available,
 * else the portable one. The choice affects the speed, never the result.
 */
export function sha256(data: string | Uint8Array): string {
  implementation ??= chooseImplementation();
  return implementation(data);
}
function chooseImplementation(): (data: string | Uint8Array) => string {
  const host = globalThis as { process?: { getBuiltinModule?: (name: string) => { hash?: HashFunction } | undefined } };
  const hash = host.process?.getBuiltinModule?.("node:crypto")?.hash;
  return hash === undefined ? portableSha256 : (data) => hash("sha256", data, "hex");
}

/** SHA-256 in plain JavaScript, for hosts without a native one. Lower-case hexadecimal. */
export function portableSha256(data: string | Uint8Array): string {
  return bytesToHex(nobleSha256(typeof data === "string" ? utf8ToBytes(data) : data));
}

/** SHA-256 of the canonical JSON of a value, in hexadecimal: the identity of every value that Threadfold hashes. */
export function digestOf(value: unknown): string {
  const pieces = canonicalPieces(value);
  if (pieces.length === 1) return sha256(pieces[0] as string);
  return pieces.reduce((hash, piece) => hash.update(piece), startSha256()).digest();
}

/** The hashes of frozen lists up to their closing brackets, by list. */
const listHashes = new WeakMap<readonly string[], RunningSha256>();

/**
 * SHA-256 of a list of texts as canonical JSON, in hexadecimal. A frozen list is read only once, and of a list made by
 * {@link continuedList} only what is new.
 *
 * @throws ThreadfoldError `INVALID_JSON` for a text with a lone surrogate.
 */
export function listDigest(items: readonly string[]): string {
  const known = listHashes.get(items);
  if (known !== undefined) return known.update("]").digest();
  const pieces = writtenTexts(items);
  if (pieces === undefined) return digestOf(items);
  const hash = pieces.reduce((seen, piece) => seen.update(piece), startSha256());
  if (Object.isFrozen(items)) listHashes.set(items, hash);
  return hash.update("]").digest();
}

/** Returns a frozen list that continues another one, and is neither serialized nor hashed again as far as the other. */
export function continuedList<Text extends string>(former: readonly Text[], more: readonly Text[]): readonly Text[] {
  const items = continuedTexts(former, more);
  const hash = former.length === 0 || more.length === 0 ? undefined : listHashes.get(former);
  const end = hash === undefined ? undefined : writtenTexts(more);
  if (hash !== undefined && end !== undefined) listHashes.set(items, hash.update(`,${end.join("").slice(1)}`));
  return items;
}

/**
 * A SHA-256 in progress. An immutable value: `update` returns a new one, so that texts with a common beginning share
 * the work of hashing it.
 */
export interface RunningSha256 {
  /** Returns the hash with this text appended as UTF-8. The text must not end in the middle of a surrogate pair. */
  update(text: string): RunningSha256;
  /** Returns the digest of everything so far, in lower-case hexadecimal. */
  digest(): string;
}

interface HostHash {
  copy(): HostHash;
  update(text: string, encoding: "utf8"): HostHash;
  digest(encoding: "hex"): string;
}

type CreateHash = (algorithm: string) => HostHash;

/** Starts a SHA-256 of nothing. Uses Node's own implementation where available, else the portable one. */
export function startSha256(): RunningSha256 {
  const host = globalThis as {
    process?: { getBuiltinModule?: (name: string) => { createHash?: CreateHash } | undefined };
  };
  const createHash = host.process?.getBuiltinModule?.("node:crypto")?.createHash;
  return createHash === undefined ? startPortableSha256() : running(createHash("sha256"));
}

const running = (hash: HostHash): RunningSha256 => ({
  update: (text) => running(inParts(text).reduce((seen, part) => seen.update(part, "utf8"), hash.copy())),
  digest: () => hash.copy().digest("hex"),
});

/** In UTF-16 code units. Node takes five times as long per character when given megabytes of text at once. */
const LONGEST_PART = 1 << 19;

/** Splits a long text into parts, none of which ends in the middle of a surrogate pair. */
function inParts(text: string): readonly string[] {
  const parts: string[] = [];
  let from = 0;
  while (text.length - from > LONGEST_PART) {
    const end = from + LONGEST_PART;
    const to = isHighSurrogate(text.charCodeAt(end - 1)) ? end - 1 : end;
    parts.push(text.slice(from, to));
    from = to;
  }
  return from === 0 ? [text] : [...parts, text.slice(from)];
}

const isHighSurrogate = (code: number): boolean => code >= 0xd800 && code < 0xdc00;

/** The same as {@link startSha256} in plain JavaScript, for hosts without a native implementation. */
export function startPortableSha256(): RunningSha256 {
  return portable(nobleSha256.create());
}

const portable = (hash: ReturnType<typeof nobleSha256.create>): RunningSha256 => ({
  update: (text) => portable(hash.clone().update(utf8ToBytes(text))),
  digest: () => bytesToHex(hash.clone().digest()),
});
