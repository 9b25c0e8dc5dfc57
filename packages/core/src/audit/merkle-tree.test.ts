import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { runs } from "../laws/runs.ts";
import { EMPTY_TREE_ROOT, MerkleTree, merkleLeafHash, verifyConsistency, verifyInclusion } from "./merkle-tree.ts";

const LARGEST = 256;

/** The data of RFC 6962's own test tree, as its reference implementation publishes it. */
const RFC_LEAVES = ["", "00", "10", "2021", "3031", "40414243", "5051525354555657", "606162636465666768696a6b6c6d6e6f"];
const RFC_ROOTS = [
  "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
  "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
  "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
  "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
  "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
  "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
  "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
  "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
];

const node = (left: string, right: string): string =>
  createHash("sha256")
    .update(Buffer.from(`01${left}${right}`, "hex"))
    .digest("hex");

/** RFC 6962, section 2.1, word for word: `MTH(D[n])`, with nothing kept and nothing clever. */
function naiveRoot(leaves: readonly string[]): string {
  if (leaves.length === 0) return createHash("sha256").digest("hex");
  if (leaves.length === 1) return leaves[0]!;
  let split = 1;
  while (split * 2 < leaves.length) split *= 2;
  return node(naiveRoot(leaves.slice(0, split)), naiveRoot(leaves.slice(split)));
}

/** Section 2.1.1, word for word: `PATH(m, D[n])`. */
function naivePath(index: number, leaves: readonly string[], root: (leaves: readonly string[]) => string): string[] {
  if (leaves.length === 1) return [];
  let split = 1;
  while (split * 2 < leaves.length) split *= 2;
  return index < split
    ? [...naivePath(index, leaves.slice(0, split), root), root(leaves.slice(split))]
    : [...naivePath(index - split, leaves.slice(split), root), root(leaves.slice(0, split))];
}

const LEAVES = Array.from({ length: LARGEST }, (_, number) => merkleLeafHash(Buffer.from(`leaf ${number}`)));
const TREE = MerkleTree.of(LEAVES);
const ROOTS = Array.from({ length: LARGEST + 1 }, (_, size) => naiveRoot(LEAVES.slice(0, size)));

describe("R12 a Merkle tree of RFC 6962", () => {
  it("has the roots that the reference implementation publishes", () => {
    const tree = MerkleTree.of(RFC_LEAVES.map((data) => merkleLeafHash(Buffer.from(data, "hex"))));
    expect(tree.root(0)).toBe("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    expect(EMPTY_TREE_ROOT).toBe(tree.root(0));
    expect(RFC_ROOTS.map((_, index) => tree.root(index + 1))).toEqual(RFC_ROOTS);
    expect(tree.inclusionProof(0)).toEqual([
      "96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7",
      "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
      "6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4",
    ]);
    expect(tree.consistencyProof(6, 8)).toEqual([
      "0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a",
      "ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0",
      "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    ]);
  });

  it(`proves every leaf of every tree, and every tree in every larger one, up to ${LARGEST} leaves (32,896 pairs)`, () => {
    const known = new Map<string, string>();
    const root = (leaves: readonly string[]): string => {
      const key = `${leaves[0]} ${leaves.length}`;
      if (!known.has(key)) known.set(key, naiveRoot(leaves));
      return known.get(key)!;
    };
    let pairs = 0;
    for (let size = 1; size <= LARGEST; size++) {
      const leaves = LEAVES.slice(0, size);
      const rootHash = ROOTS[size]!;
      if (TREE.root(size) !== rootHash) throw new Error(`the root of ${size} leaves differs from the naive one`);
      for (let from = 1; from <= size; from++) {
        const index = from - 1;
        const path = TREE.inclusionProof(index, size);
        if (path.join() !== naivePath(index, leaves, root).join()) throw new Error(`path ${index} of ${size} differs`);
        if (!verifyInclusion({ leafHash: LEAVES[index]!, index, size, rootHash }, path))
          throw new Error(`leaf ${index} of ${size} is not proven`);
        const claim = { from, fromRoot: ROOTS[from]!, to: size, toRoot: rootHash };
        if (!verifyConsistency(claim, TREE.consistencyProof(from, size)))
          throw new Error(`${from} in ${size} is not proven`);
        pairs++;
      }
    }
    expect(pairs).toBe(32_896);
  });

  const sizes = fc
    .tuple(fc.integer({ min: 2, max: LARGEST }), fc.nat(), fc.nat())
    .map(([size, first, second]) => ({ size, index: first % size, from: (second % (size - 1)) + 1 }));
  const flips = fc.record({ item: fc.nat(), digit: fc.nat(63), by: fc.integer({ min: 1, max: 15 }) });

  const flipped = (text: string, { digit, by }: { digit: number; by: number }): string =>
    text.slice(0, digit) + (Number.parseInt(text[digit]!, 16) ^ by).toString(16) + text.slice(digit + 1);

  /** One change to a list of hashes: a digit, a hash left out, said twice or two that changed places. */
  const mutated = (proof: readonly string[], flip: { item: number; digit: number; by: number }): readonly string[] => {
    const at = flip.item % Math.max(1, proof.length);
    const changes: readonly (readonly string[])[] = [
      proof.map((hash, index) => (index === at ? flipped(hash, flip) : hash)),
      proof.filter((_, index) => index !== at),
      [...proof, LEAVES[flip.digit]!],
      [...proof.slice(0, at), ...proof.slice(at, at + 1), ...proof.slice(at)],
      proof.toReversed(),
      proof.map((hash, index) => (index === at ? hash.toUpperCase().slice(0, -1) : hash)),
    ];
    return changes[flip.item % changes.length]!;
  };

  it("refuses 10,000 proofs that were changed", () => {
    let refused = 0;
    fc.assert(
      fc.property(sizes, flips, ({ size, index, from }, flip) => {
        const inclusion = TREE.inclusionProof(index, size);
        const changedPath = mutated(inclusion, flip);
        const claim = { leafHash: LEAVES[index]!, index, size, rootHash: ROOTS[size]! };
        if (changedPath.join() !== inclusion.join()) {
          expect(verifyInclusion(claim, changedPath)).toBe(false);
          refused++;
        }
        expect(verifyInclusion({ ...claim, leafHash: flipped(claim.leafHash, flip) }, inclusion)).toBe(false);
        expect(verifyInclusion({ ...claim, rootHash: flipped(claim.rootHash, flip) }, inclusion)).toBe(false);
        expect(verifyInclusion({ ...claim, index: (index + 1) % size }, inclusion)).toBe(false);
        const consistency = TREE.consistencyProof(from, size);
        const changed = mutated(consistency, flip);
        const growth = { from, fromRoot: ROOTS[from]!, to: size, toRoot: ROOTS[size]! };
        if (changed.join() !== consistency.join()) {
          expect(verifyConsistency(growth, changed)).toBe(false);
          refused++;
        }
        expect(verifyConsistency({ ...growth, fromRoot: flipped(growth.fromRoot, flip) }, consistency)).toBe(false);
        expect(verifyConsistency({ ...growth, toRoot: flipped(growth.toRoot, flip) }, consistency)).toBe(false);
        refused += 5;
      }),
      runs(1_900),
    );
    expect(refused).toBeGreaterThan(runs(10_000).numRuns);
  });

  it("refuses claims that make no sense, and asks for what the tree does not have", () => {
    const rootHash = ROOTS[4]!;
    const leafHash = LEAVES[0]!;
    for (const [index, size] of [
      [4, 4],
      [-1, 4],
      [0.5, 4],
      [0, 0],
      [Number.NaN, 4],
    ] as const)
      expect(verifyInclusion({ leafHash, index, size, rootHash }, [])).toBe(false);
    // The proof is sound, and the place that it is claimed for is behind the end.
    const [lone, root] = [LEAVES[0]!, ROOTS[1]!];
    expect(verifyInclusion({ leafHash: lone, index: 0, size: 1, rootHash: root }, [])).toBe(true);
    expect(verifyInclusion({ leafHash: lone, index: 1, size: 1, rootHash: root }, [])).toBe(false);
    expect(verifyConsistency({ from: 5, fromRoot: ROOTS[5]!, to: 4, toRoot: rootHash }, [])).toBe(false);
    expect(verifyConsistency({ from: 0, fromRoot: EMPTY_TREE_ROOT, to: 4, toRoot: rootHash }, [])).toBe(true);
    expect(verifyConsistency({ from: 0, fromRoot: rootHash, to: 4, toRoot: rootHash }, [])).toBe(false);
    expect(verifyConsistency({ from: 4, fromRoot: rootHash, to: 4, toRoot: rootHash }, [])).toBe(true);
    const tree = MerkleTree.of(LEAVES.slice(0, 4));
    for (const [ask, message] of [
      [() => tree.root(5), "size is 5; the tree covers 0 to 4."],
      [() => tree.root(-1), "size is -1; the tree covers 0 to 4."],
      [() => tree.root(0.5), "size is 0.5; the tree covers 0 to 4."],
      [() => tree.inclusionProof(4), "index is 4; the tree covers 0 to 3."],
      [() => tree.inclusionProof(0, 5), "size is 5; the tree covers 0 to 4."],
      [() => tree.inclusionProof(0, 0), "index is 0; the tree covers 0 to 0."],
      [() => tree.consistencyProof(3, 2), "from is 3; the tree covers 0 to 2."],
      [() => tree.consistencyProof(1, 5), "to is 5; the tree covers 0 to 4."],
    ] as const)
      expect(ask).toThrow(expect.objectContaining({ code: "INVALID_CONFIG", message }));
    expect(tree.root(4)).toBe(rootHash);
    expect(tree.root(0)).toBe(EMPTY_TREE_ROOT);
    expect([tree.consistencyProof(0, 4), tree.consistencyProof(4, 4), tree.consistencyProof(0, 0)]).toEqual([
      [],
      [],
      [],
    ]);
  });
});
