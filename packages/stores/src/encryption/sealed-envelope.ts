import type { KeyObject } from "node:crypto";
import { canonicalJson, SEALED_PREFIX as PREFIX, type SubjectKey, ThreadfoldError } from "@threadfold/core";
import { nodeCrypto } from "../shared/on-demand.ts";

/**
 * The place of sealed content. It is authenticated with the content: what was sealed for one place opens at no other.
 */
export interface EnvelopeContext {
  readonly tenant: string | null;
  readonly thread: string;
  /** The kind of content: a message, a plan's record, an artifact. */
  readonly kind: string;
  /** Which item of its kind; empty if the content itself contains the id. */
  readonly id: string;
}

/**
 * How salt and nonce are chosen. `random` makes a different envelope each time. `repeatable` derives both from the key,
 * the place and the content, so that sealing the same content at the same place again produces the same bytes: a retry
 * stays the same append. It reveals only that the content at one place is the same as before.
 */
export type EnvelopeMode = "random" | "repeatable";

// In bytes: one of format, four of the key's version, salt, nonce, commitment; then ciphertext and tag.
const FORMAT = 1;
const SALT = 32;
const NONCE = 12;
const COMMITMENT = 32;
const TAG = 16;
const HEADER = 5 + SALT + NONCE + COMMITMENT;

/**
 * Seals a text with AES-256-GCM under a key that is made for this envelope alone, derived by HKDF-SHA-256 from the
 * subject's key, a 256-bit salt and the place. The same derivation makes a commitment to the key, which is checked
 * before anything is decrypted, because AES-GCM alone lets one ciphertext open under two keys.
 */
export function sealEnvelope(
  key: SubjectKey,
  context: EnvelopeContext,
  content: string,
  mode: EnvelopeMode = "random",
): string {
  const plain = Buffer.from(content);
  const { salt, nonce } = mode === "random" ? randomSalt() : repeatableSalt(key, context, plain);
  const { contentKey, commitment } = derive(key, salt, context);
  const version = Buffer.alloc(4);
  version.writeUInt32BE(key.version);
  const header = Buffer.concat([Buffer.of(FORMAT), version, salt, nonce, commitment]);
  const cipher = nodeCrypto().createCipheriv("aes-256-gcm", contentKey, nonce, { authTagLength: TAG });
  cipher.setAAD(associatedData(header, context));
  const sealed = Buffer.concat([header, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
  return PREFIX + sealed.toString("base64url");
}

/** Checks whether a text looks like an envelope, not whether it opens. */
export const isEnvelope = (text: string): boolean => text.startsWith(PREFIX);

/** Returns the version of the key that an envelope was sealed with. @throws ThreadfoldError `UNSEAL_FAILED`. */
export function envelopeKeyVersion(text: string): number {
  return bytesOf(text).readUInt32BE(1);
}

/** Returns the length of the content in bytes of UTF-8, computed from the length of its envelope. */
export function envelopeContentBytes(envelopeLength: number): number {
  return Math.floor(((envelopeLength - PREFIX.length) * 3) / 4) - HEADER - TAG;
}

/**
 * Opens an envelope with the version of the subject's key that it names.
 *
 * @throws ThreadfoldError `UNSEAL_FAILED`, always the same error, whatever was wrong.
 */
export function openEnvelope(key: SubjectKey, context: EnvelopeContext, text: string): string {
  const bytes = bytesOf(text);
  const header = bytes.subarray(0, HEADER);
  const nonce = header.subarray(5 + SALT, 5 + SALT + NONCE);
  const { contentKey, commitment } = derive(key, saltIn(header), context);
  if (header.readUInt32BE(1) !== key.version || !nodeCrypto().timingSafeEqual(commitment, commitmentIn(header)))
    throw unsealFailed();
  try {
    const decipher = nodeCrypto().createDecipheriv("aes-256-gcm", contentKey, nonce, { authTagLength: TAG });
    decipher.setAAD(associatedData(header, context));
    decipher.setAuthTag(bytes.subarray(-TAG));
    return Buffer.concat([decipher.update(bytes.subarray(HEADER, -TAG)), decipher.final()]).toString("utf8");
  } catch {
    throw unsealFailed();
  }
}

/**
 * Checks whether an envelope was sealed for a place with the key version that it names, by its commitment and without
 * decrypting it. False for a text that is not an envelope.
 *
 * @param keyOf returns the subject's key of a version, or null.
 */
export async function isSealedWith(
  keyOf: (version: number) => Promise<SubjectKey | null>,
  context: EnvelopeContext,
  text: string,
): Promise<boolean> {
  const header = headerOf(text);
  const key = header === null ? null : await keyOf(header.readUInt32BE(1));
  return header !== null && key !== null && isCommittedTo(key, context, header);
}

/** The error for every envelope that cannot be opened. */
export function unsealFailed(): ThreadfoldError {
  return new ThreadfoldError("UNSEAL_FAILED", "Sealed content cannot be opened.");
}

/**
 * Returns a digest of plain content under the subject's key, in hexadecimal: only the key's holder can confirm a guess.
 */
export function keyedDigest(key: SubjectKey, digest: string): string {
  return nodeCrypto().createHmac("sha256", subkey(key, "digest")).update(digest).digest("hex");
}

/** Names a key without revealing anything about it: equal for equal keys of one version. */
export const keyFingerprint = (key: SubjectKey): string =>
  `${key.version}.${nodeCrypto().createHmac("sha256", subkey(key, "fingerprint")).digest("base64url")}`;

const saltIn = (header: Buffer): Buffer => header.subarray(5, 5 + SALT);
const commitmentIn = (header: Buffer): Buffer => header.subarray(HEADER - COMMITMENT, HEADER);

const isCommittedTo = (key: SubjectKey, context: EnvelopeContext, header: Buffer): boolean =>
  nodeCrypto().timingSafeEqual(derive(key, saltIn(header), context).commitment, commitmentIn(header));

/** Returns the header of an envelope, however long its content is; null for anything that is not an envelope. */
function headerOf(text: string): Buffer | null {
  if (!isEnvelope(text)) return null;
  const encoded = text.slice(PREFIX.length, PREFIX.length + Math.ceil((HEADER * 4) / 3));
  const header = Buffer.from(encoded, "base64url").subarray(0, HEADER);
  return header.length === HEADER && header[0] === FORMAT ? header : null;
}

function derive(
  key: SubjectKey,
  salt: Uint8Array,
  context: EnvelopeContext,
): { readonly contentKey: KeyObject; readonly commitment: Buffer } {
  const info = `threadfold envelope 1 ${canonicalJson([key.version, context])}`;
  // HKDF takes at most 1 024 bytes of info, and ids may be longer.
  const digest = nodeCrypto().createHmac("sha256", "threadfold envelope context").update(info).digest();
  const derived = Buffer.from(nodeCrypto().hkdfSync("sha256", keysOf(key).own, salt, digest, 64));
  return { contentKey: nodeCrypto().createSecretKey(derived.subarray(0, 32)), commitment: derived.subarray(32) };
}

const associatedData = (header: Buffer, context: EnvelopeContext): Buffer =>
  Buffer.concat([header, Buffer.from(canonicalJson(context))]);

interface Salt {
  readonly salt: Buffer;
  readonly nonce: Buffer;
}

const randomSalt = (): Salt => ({ salt: nodeCrypto().randomBytes(SALT), nonce: nodeCrypto().randomBytes(NONCE) });

function repeatableSalt(key: SubjectKey, context: EnvelopeContext, plain: Buffer): Salt {
  const place = Buffer.from(canonicalJson(context));
  const length = Buffer.alloc(4);
  length.writeUInt32BE(place.length);
  const mac = (purpose: string): Buffer =>
    nodeCrypto().createHmac("sha256", subkey(key, purpose)).update(length).update(place).update(plain).digest();
  return { salt: mac("salt"), nonce: mac("nonce").subarray(0, NONCE) };
}

/** A subject's key and what was derived from it, one key for each purpose, in the form that Node takes without a copy. */
interface KnownKeys {
  readonly own: KeyObject;
  readonly derived: Map<string, KeyObject>;
}

/** Kept as long as the subject's key is referenced: Node takes bytes as a key, but several times as slowly. */
const known = new WeakMap<SubjectKey, KnownKeys>();

function keysOf(key: SubjectKey): KnownKeys {
  const keys = known.get(key) ?? { own: nodeCrypto().createSecretKey(key.bytes), derived: new Map() };
  known.set(key, keys);
  return keys;
}

function subkey(key: SubjectKey, purpose: string): KeyObject {
  const { own, derived } = keysOf(key);
  const found =
    derived.get(purpose) ??
    nodeCrypto().createSecretKey(Buffer.from(nodeCrypto().hkdfSync("sha256", own, "", `threadfold ${purpose} 1`, 32)));
  derived.set(purpose, found);
  return found;
}

function bytesOf(text: string): Buffer {
  const encoded = text.slice(PREFIX.length);
  const bytes = Buffer.from(encoded, "base64url");
  // Other encodings of the same bytes are refused, so that every change to an envelope is detected.
  const isWhole = isEnvelope(text) && bytes.length >= HEADER + TAG && bytes.toString("base64url") === encoded;
  if (!isWhole || bytes[0] !== FORMAT) throw unsealFailed();
  return bytes;
}
