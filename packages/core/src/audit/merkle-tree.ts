import { hexToBytes } from "@noble/hashes/utils.js";
import { ThreadfoldError } from "../errors/threadfold-error.ts";
import { portableSha256, sha256 } from "../json/sha256.ts";

const LEAF = 0x00;
const NODE = 0x01;
const HASH = /^[0-9a-f]{64}$/;

/** The root of a tree without leaves (RFC 6962, section 2.1). */
export const EMPTY_TREE_ROOT: string = portableSha256("");

/** Returns the hash of a leaf (RFC 6962, section 2.1): SHA-256 of a zero byte and the leaf's data. */
export function merkleLeafHash(data: Uint8Array): string {
  const prefixed = new Uint8Array(data.length + 1);
  prefixed[0] = LEAF;
  prefixed.set(data, 1);
  return sha256(prefixed);
}

/** Returns the hash of a node (RFC 6962, section 2.1): SHA-256 of the byte 0x01 and the hashes of both children. */
export function merkleNodeHash(left: string, right: string): string {
  const joined = new Uint8Array(65);
  joined[0] = NODE;
  joined.set(hexToBytes(left), 1);
  joined.set(hexToBytes(right), 33);
  return sha256(joined);
}

/**
 * Returns the leaf hash of something with its own SHA-256, such as a journal entry: the leaf's data are those 32 bytes.
 *
 * @throws ThreadfoldError `STORE_CORRUPT` when the text is not a SHA-256 in lower-case hexadecimal.
 */
export function merkleLeafOf(digest: string): string {
  if (!isHash(digest)) throw new ThreadfoldError("STORE_CORRUPT", "A stored hash is not a SHA-256 hash.");
  return merkleLeafHash(hexToBytes(digest));
}

/**
 * A Merkle tree as defined in RFC 6962, over leaves that are only ever appended. Complete subtrees are kept, so an
 * append costs one hash on average, and a root or proof a logarithmic number, for the current tree and any earlier one.
 */
export class MerkleTree {
  /** Level k holds the hashes of the complete subtrees of 2^k leaves, from the left. */
  readonly #levels: string[][] = [[]];

  /** Makes a tree over leaf hashes, first to last. */
  static of(leafHashes: Iterable<string>): MerkleTree {
    const tree = new MerkleTree();
    for (const leaf of leafHashes) tree.append(leaf);
    return tree;
  }

  /** The number of leaves. */
  get size(): number {
    return (this.#levels[0] as string[]).length;
  }

  /** Appends a leaf hash. */
  append(leafHash: string): void {
    let hash = leafHash;
    for (let level = 0; ; level++) {
      const row = (this.#levels[level] ??= []);
      row.push(hash);
      if (row.length % 2 === 1) return;
      hash = merkleNodeHash(row[row.length - 2] as string, hash);
    }
  }

  /**
   * Returns the root over the first `size` leaves, by default all.
   *
   * @throws ThreadfoldError `INVALID_CONFIG` when `size` exceeds the tree.
   */
  root(size: number = this.size): string {
    this.#requireWithin("size", size, this.size);
    return size === 0 ? EMPTY_TREE_ROOT : this.#hash(0, size);
  }

  /**
   * Returns the proof that a leaf, counted from 0, is in the tree of the first `size` leaves (RFC 6962, section 2.1.1).
   *
   * @throws ThreadfoldError `INVALID_CONFIG` when the tree has no such leaf or is smaller than `size`.
   */
  inclusionProof(index: number, size: number = this.size): readonly string[] {
    this.#requireWithin("size", size, this.size);
    this.#requireWithin("index", index, size - 1);
    return this.#path(index, 0, size);
  }

  /**
   * Returns the proof that the tree of the first `to` leaves extends the tree of the first `from` leaves (RFC 6962,
   * section 2.1.2). It is empty when the sizes are equal or `from` is 0.
   *
   * @throws ThreadfoldError `INVALID_CONFIG` when a size exceeds the tree, or `from` exceeds `to`.
   */
  consistencyProof(from: number, to: number = this.size): readonly string[] {
    this.#requireWithin("to", to, this.size);
    this.#requireWithin("from", from, to);
    return from === 0 || from === to ? [] : this.#subproof(from, 0, to, true);
  }

  /** Returns the hash of the leaves from `start`, a multiple of the largest power of two in the range, up to `end`. */
  #hash(start: number, end: number): string {
    const count = end - start;
    const level = 31 - Math.clz32(count);
    if (count === 2 ** level) return this.#levels[level]?.[start / count] as string;
    const middle = start + splitOf(count);
    return merkleNodeHash(this.#hash(start, middle), this.#hash(middle, end));
  }

  #path(index: number, start: number, end: number): readonly string[] {
    if (end - start === 1) return [];
    const middle = start + splitOf(end - start);
    return index < middle
      ? [...this.#path(index, start, middle), this.#hash(middle, end)]
      : [...this.#path(index, middle, end), this.#hash(start, middle)];
  }

  #subproof(from: number, start: number, end: number, isWhole: boolean): readonly string[] {
    if (from === end) return isWhole ? [] : [this.#hash(start, end)];
    const middle = start + splitOf(end - start);
    return from <= middle
      ? [...this.#subproof(from, start, middle, isWhole), this.#hash(middle, end)]
      : [...this.#subproof(from, middle, end, false), this.#hash(start, middle)];
  }

  #requireWithin(name: string, value: number, most: number): void {
    if (Number.isSafeInteger(value) && value >= 0 && value <= most) return;
    throw new ThreadfoldError(
      "INVALID_CONFIG",
      `${name} is ${String(value)}; the tree covers 0 to ${Math.max(0, most)}.`,
    );
  }
}

/** The claim that an inclusion proof proves. Hashes are SHA-256 in lower-case hexadecimal. */
export interface InclusionClaim {
  readonly leafHash: string;
  /** Position of the leaf, from 0. */
  readonly index: number;
  readonly size: number;
  readonly rootHash: string;
}

/** Checks whether a proof proves an inclusion (RFC 9162, section 2.1.3.2, for the trees of RFC 6962). */
export function verifyInclusion(
  { leafHash, index, size, rootHash }: InclusionClaim,
  proof: readonly string[],
): boolean {
  if (!isCount(index) || !isCount(size) || index >= size || ![leafHash, rootHash, ...proof].every(isHash)) return false;
  let place = index;
  let last = size - 1;
  let hash = leafHash;
  for (const sibling of proof) {
    if (last === 0) return false;
    if (place % 2 === 1 || place === last) {
      hash = merkleNodeHash(sibling, hash);
      while (place % 2 === 0 && place !== 0) [place, last] = [place / 2, Math.floor(last / 2)];
    } else hash = merkleNodeHash(hash, sibling);
    [place, last] = [Math.floor(place / 2), Math.floor(last / 2)];
  }
  return last === 0 && hash === rootHash;
}

/** The claim that a consistency proof proves: the tree of `toRoot` extends the tree of `fromRoot`. */
export interface ConsistencyClaim {
  readonly from: number;
  readonly fromRoot: string;
  readonly to: number;
  readonly toRoot: string;
}

/** Checks whether a proof proves consistency (RFC 9162, section 2.1.4.2, for the trees of RFC 6962). */
export function verifyConsistency({ from, fromRoot, to, toRoot }: ConsistencyClaim, proof: readonly string[]): boolean {
  if (!isCount(from) || !isCount(to) || from > to || ![fromRoot, toRoot, ...proof].every(isHash)) return false;
  if (from === to) return proof.length === 0 && fromRoot === toRoot && (from > 0 || fromRoot === EMPTY_TREE_ROOT);
  if (from === 0) return proof.length === 0 && fromRoot === EMPTY_TREE_ROOT;
  const isComplete = Number.isInteger(Math.log2(from));
  const [first, ...rest] = isComplete ? [fromRoot, ...proof] : proof;
  if (first === undefined) return false;
  let [place, last] = [from - 1, to - 1];
  while (place % 2 === 1) [place, last] = [Math.floor(place / 2), Math.floor(last / 2)];
  let [before, after] = [first, first];
  for (const sibling of rest) {
    if (last === 0) return false;
    if (place % 2 === 1 || place === last) {
      before = merkleNodeHash(sibling, before);
      after = merkleNodeHash(sibling, after);
      while (place % 2 === 0 && place !== 0) [place, last] = [place / 2, Math.floor(last / 2)];
    } else after = merkleNodeHash(after, sibling);
    [place, last] = [Math.floor(place / 2), Math.floor(last / 2)];
  }
  return last === 0 && before === fromRoot && after === toRoot;
}

/** The largest power of two below a count of at least two: where RFC 6962 splits a tree. */
function splitOf(count: number): number {
  return 2 ** (31 - Math.clz32(count - 1));
}

const isHash = (text: string): boolean => HASH.test(text);
const isCount = (value: number): boolean => Number.isSafeInteger(value) && value >= 0;
