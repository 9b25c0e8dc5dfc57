import { createCipheriv, createDecipheriv, createHmac, hkdfSync } from "node:crypto";
import { canonicalJson, isSealedText, type SubjectKey } from "@threadfold/core";
import { runs } from "@threadfold/core/laws";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type EnvelopeContext,
  envelopeContentBytes,
  envelopeKeyVersion,
  keyedDigest,
  openEnvelope,
  sealEnvelope,
} from "./sealed-envelope.ts";

const keyOf = (fill: number, version = 1): SubjectKey => ({ version, bytes: new Uint8Array(32).fill(fill) });
const KEY = keyOf(7);
const CONTEXT: EnvelopeContext = { tenant: "t", thread: "th", kind: "message", id: "m1" };
const REFUSAL = { code: "UNSEAL_FAILED", message: "Sealed content cannot be opened.", details: {} };

const failure = (work: () => unknown): unknown => {
  try {
    return work();
  } catch (error) {
    const { code, message, details, cause } = error as {
      code: string;
      message: string;
      details: object;
      cause?: unknown;
    };
    return { code, message, details, ...(cause !== undefined && { cause }) };
  }
};
const bytesOf = (envelope: string): Buffer => Buffer.from(envelope.slice("sealed1.".length), "base64url");
const textOf = (bytes: Buffer): string => `sealed1.${bytes.toString("base64url")}`;

/** The keys of an envelope, computed here by hand from its description. */
function derived(key: SubjectKey, salt: Uint8Array, context: EnvelopeContext) {
  const info = createHmac("sha256", "threadfold envelope context")
    .update(`threadfold envelope 1 ${canonicalJson([key.version, context])}`)
    .digest();
  const both = Buffer.from(hkdfSync("sha256", key.bytes, salt, info, 64));
  return { contentKey: both.subarray(0, 32), commitment: both.subarray(32) };
}

describe("R25 an envelope", () => {
  it("stands on AES-256-GCM and HKDF-SHA-256 that give the published vectors", () => {
    // McGrew and Viega, "The Galois/Counter Mode of Operation", test case 16 (AES-256, with associated data).
    const gcm = createCipheriv(
      "aes-256-gcm",
      Buffer.from("feffe9928665731c6d6a8f9467308308feffe9928665731c6d6a8f9467308308", "hex"),
      Buffer.from("cafebabefacedbaddecaf888", "hex"),
    );
    gcm.setAAD(Buffer.from("feedfacedeadbeeffeedfacedeadbeefabaddad2", "hex"));
    const plain =
      "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a721c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39";
    const sealed = Buffer.concat([gcm.update(Buffer.from(plain, "hex")), gcm.final()]).toString("hex");
    expect(sealed).toBe(
      "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662",
    );
    expect(gcm.getAuthTag().toString("hex")).toBe("76fc6ece0f4e1768cddf8853bb2d551b");
    // RFC 5869, test case 1.
    const okm = hkdfSync(
      "sha256",
      Buffer.alloc(22, 0x0b),
      Buffer.from("000102030405060708090a0b0c", "hex"),
      Buffer.from("f0f1f2f3f4f5f6f7f8f9", "hex"),
      42,
    );
    expect(Buffer.from(okm).toString("hex")).toBe(
      "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865",
    );
  });

  it("of a repeatable sealing is these very bytes, on every machine", () => {
    const envelope = sealEnvelope(KEY, CONTEXT, "known answer é", "repeatable");
    expect(envelope).toBe(KNOWN_ANSWER);
    expect(openEnvelope(KEY, CONTEXT, KNOWN_ANSWER)).toBe("known answer é");
    const digestKey = Buffer.from(hkdfSync("sha256", KEY.bytes, "", "threadfold digest 1", 32));
    expect(keyedDigest(KEY, "abc")).toBe(createHmac("sha256", digestKey).update("abc").digest("hex"));
    // The same by hand, from the layout alone.
    const bytes = bytesOf(envelope);
    const { contentKey, commitment } = derived(KEY, bytes.subarray(5, 37), CONTEXT);
    expect(bytes.subarray(49, 81)).toEqual(commitment);
    const decipher = createDecipheriv("aes-256-gcm", contentKey, bytes.subarray(37, 49));
    decipher.setAAD(Buffer.concat([bytes.subarray(0, 81), Buffer.from(canonicalJson(CONTEXT))]));
    decipher.setAuthTag(bytes.subarray(-16));
    expect(Buffer.concat([decipher.update(bytes.subarray(81, -16)), decipher.final()]).toString()).toBe(
      "known answer é",
    );
  });

  it("opens to what was sealed, whatever it was, and says how long that is", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "grapheme", maxLength: 200 }),
        fc.constantFrom("random", "repeatable"),
        (text, mode) => {
          const content = text.toWellFormed();
          const envelope = sealEnvelope(KEY, CONTEXT, content, mode as "random");
          expect(openEnvelope(KEY, CONTEXT, envelope)).toBe(content);
          expect(envelopeContentBytes(envelope.length)).toBe(Buffer.byteLength(content));
          expect(envelopeKeyVersion(envelope)).toBe(1);
          // Whoever has no key recognises it, and recognises nothing that it is only a part of.
          expect(isSealedText(envelope)).toBe(true);
          expect(isSealedText(`${envelope} ${content}`)).toBe(false);
        },
      ),
      runs(200),
    );
  });

  it("is refused with one and the same error when any byte of it is another (100 envelopes)", () => {
    let refused = 0;
    for (let number = 0; number < runs(100, 1_000).numRuns; number++) {
      const bytes = bytesOf(sealEnvelope(KEY, CONTEXT, "x".repeat(number), number % 2 === 0 ? "random" : "repeatable"));
      for (let at = 0; at < bytes.length; at++) {
        const changed = Buffer.from(bytes);
        changed[at]! ^= 1 + ((number + at) % 255);
        // Compared by hand: so many expectations take longer than the envelopes.
        const result = JSON.stringify(failure(() => openEnvelope(KEY, CONTEXT, textOf(changed))));
        if (result !== JSON.stringify(REFUSAL)) throw new Error(`byte ${at} of envelope ${number}: ${result}`);
        refused++;
      }
    }
    expect(refused).toBeGreaterThan(14_000);
  });

  it("is refused when it was cut off, made longer, or spelled in another way", () => {
    const envelope = sealEnvelope(KEY, CONTEXT, "content");
    const spelled = `${envelope.slice(0, -1)}${String.fromCharCode(envelope.charCodeAt(envelope.length - 1) + 1)}`;
    const bad = [envelope.slice(8), "", "sealed1.", `${envelope}=`, `${envelope}A`, ` ${envelope}`, spelled];
    for (let length = 0; length < envelope.length; length++) bad.push(envelope.slice(0, length));
    for (const text of bad) expect(failure(() => openEnvelope(KEY, CONTEXT, text))).toEqual(REFUSAL);
  });

  it("is refused at any other place, and with any other key", () => {
    const envelope = sealEnvelope(KEY, CONTEXT, "content");
    const others: EnvelopeContext[] = [
      { ...CONTEXT, tenant: null },
      { ...CONTEXT, tenant: "t2" },
      { ...CONTEXT, thread: "th2" },
      { ...CONTEXT, kind: "pin" },
      { ...CONTEXT, id: "m2" },
      { ...CONTEXT, thread: "t", tenant: "th" },
      { ...CONTEXT, id: 'm1","kind":"pin' },
    ];
    for (const context of others) expect(failure(() => openEnvelope(KEY, context, envelope))).toEqual(REFUSAL);
    expect(failure(() => openEnvelope(keyOf(8), CONTEXT, envelope))).toEqual(REFUSAL);
  });

  it("cannot be rolled back to an earlier version of the key", () => {
    const bytes = bytesOf(sealEnvelope(keyOf(7, 2), CONTEXT, "content"));
    bytes.writeUInt32BE(1, 1);
    for (const key of [keyOf(7, 1), keyOf(7, 2), keyOf(9, 1)])
      expect(failure(() => openEnvelope(key, CONTEXT, textOf(bytes)))).toEqual(REFUSAL);
  });

  it("opens under one key alone, though its ciphertext is made to decrypt under two", () => {
    const [a, b] = [keyOf(1), keyOf(2)];
    const salt = Buffer.alloc(32, 5);
    const nonce = Buffer.alloc(12, 6);
    for (const committed of [a, b]) {
      const { commitment } = derived(committed, salt, CONTEXT);
      const header = Buffer.concat([Buffer.of(1), Buffer.of(0, 0, 0, 1), salt, nonce, commitment]);
      const aad = Buffer.concat([header, Buffer.from(canonicalJson(CONTEXT))]);
      const keys = [derived(a, salt, CONTEXT).contentKey, derived(b, salt, CONTEXT).contentKey] as const;
      const { block, tag } = collision(keys, nonce, aad);
      // The attack is real: AES-GCM itself takes the ciphertext under both keys.
      for (const key of keys) {
        const decipher = createDecipheriv("aes-256-gcm", key, nonce);
        decipher.setAAD(aad);
        decipher.setAuthTag(tag);
        expect(() => Buffer.concat([decipher.update(block), decipher.final()])).not.toThrow();
      }
      const envelope = textOf(Buffer.concat([header, block, tag]));
      const opened = [a, b].filter((key) => {
        const result = failure(() => openEnvelope(key, CONTEXT, envelope));
        if (typeof result !== "string") expect(result).toEqual(REFUSAL);
        return typeof result === "string";
      });
      expect(opened).toEqual([committed]);
    }
  });

  it("never has a nonce twice, nor a key for two contents (1,000,000 nonces in the full run)", () => {
    const seen = new Set<string>();
    const { numRuns } = runs(5_000, 1_000_000);
    for (let number = 0; number < numRuns; number++) {
      const bytes = bytesOf(
        sealEnvelope(KEY, CONTEXT, number % 2 === 0 ? "same" : `${number}`, number % 2 === 0 ? "random" : "repeatable"),
      );
      seen.add(bytes.toString("latin1", 5, 37));
      seen.add(bytes.toString("latin1", 37, 49));
    }
    expect(seen.size).toBe(2 * numRuns);
  });
});

// GF(2^128) as GCM has it, bit 0 being the coefficient of x^0 and the most significant one.
const R = 0xe1n << 120n;
const ONE = 1n << 127n;
const toField = (block: Buffer): bigint => BigInt(`0x${block.toString("hex")}`);
const toBlock = (value: bigint): Buffer => Buffer.from(value.toString(16).padStart(32, "0"), "hex");

function multiply(x: bigint, y: bigint): bigint {
  let [product, shifted] = [0n, y];
  for (let bit = 127n; bit >= 0n; bit--) {
    if ((x >> bit) & 1n) product ^= shifted;
    shifted = shifted & 1n ? (shifted >> 1n) ^ R : shifted >> 1n;
  }
  return product;
}

/** The inverse: to the power of 2^128 − 2. */
function invert(value: bigint): bigint {
  let [result, square] = [ONE, value];
  for (let bit = 1; bit < 128; bit++) {
    square = multiply(square, square);
    result = multiply(result, square);
  }
  return result;
}

/** One block of ciphertext and a tag that AES-GCM accepts under both keys: the two tags set equal and solved for the block. */
function collision(
  keys: readonly [Buffer, Buffer],
  nonce: Buffer,
  aad: Buffer,
): { readonly block: Buffer; readonly tag: Buffer } {
  const encrypt = (key: Buffer, block: Buffer): bigint =>
    toField(createCipheriv("aes-256-ecb", key, null).setAutoPadding(false).update(block));
  const lengths = Buffer.alloc(16);
  lengths.writeBigUInt64BE(BigInt(aad.length * 8), 0);
  lengths.writeBigUInt64BE(128n, 8);
  const sides = keys.map((key) => {
    const h = encrypt(key, Buffer.alloc(16));
    let hash = 0n;
    for (let at = 0; at < aad.length; at += 16) {
      const block = Buffer.alloc(16);
      aad.copy(block, 0, at);
      hash = multiply(hash ^ toField(block), h);
    }
    const square = multiply(h, h);
    const rest =
      multiply(hash, square) ^
      multiply(toField(lengths), h) ^
      encrypt(key, Buffer.concat([nonce, Buffer.of(0, 0, 0, 1)]));
    return { square, rest };
  });
  const [first, second] = sides as [(typeof sides)[0], (typeof sides)[0]];
  const block = multiply(first.rest ^ second.rest, invert(first.square ^ second.square));
  return { block: toBlock(block), tag: toBlock(multiply(block, first.square) ^ first.rest) };
}

const KNOWN_ANSWER =
  "sealed1.AQAAAAEe6gUzf948COSGW8tPFCF3FNDivyg5afRVX08zDfnwId0sXWuNCxuN3VXhZ8HzFhiXsKZqCnJhJ2CV_t19J8IGX_dsJgN8bHdPNNUtvW2BqA9FDFXjFJ_WNrtGb-qfT8ohuzj2v4tW2Wq9Bw";
