import { createPrivateKey, createPublicKey, type KeyObject, sign, verify } from "node:crypto";
import { type Checkpoint, type CheckpointSignature, checkpointNote, ThreadfoldError } from "@threadfold/core";

/** Vouches for checkpoints. A key in a vault or a device is one too, as long as it signs Ed25519. */
export type CheckpointSigner = (note: string) => Promise<CheckpointSignature>;

/**
 * Signs with an Ed25519 key in this process.
 *
 * @param privateKey PKCS#8 in PEM, or a key object.
 * @throws ThreadfoldError `INVALID_CONFIG` when it is no such key.
 */
export function ed25519Signer(privateKey: string | KeyObject): CheckpointSigner {
  const key = typeof privateKey === "string" ? readKey(() => createPrivateKey(privateKey)) : privateKey;
  if (key.type !== "private" || key.asymmetricKeyType !== "ed25519") throw noEd25519Key("private");
  const publicKey = spki(createPublicKey(key));
  return async (note) =>
    Object.freeze({ algorithm: "Ed25519", publicKey, value: sign(null, Buffer.from(note), key).toString("base64") });
}

/**
 * A public key as checkpoints carry it: SPKI in DER, base64.
 *
 * @param publicKey SPKI in PEM, or base64 of its DER.
 * @throws ThreadfoldError `INVALID_CONFIG` when it is no Ed25519 key.
 */
export function ed25519PublicKey(publicKey: string): string {
  const key = readKey(() => publicKeyOf(publicKey));
  if (key.asymmetricKeyType !== "ed25519") throw noEd25519Key("public");
  return spki(key);
}

/** What a signature is worth: who signed is checked against `publicKey` when one is trusted. */
export function signatureProblem(checkpoint: Checkpoint, publicKey?: string): string | null {
  const { signature, ...unsigned } = checkpoint;
  if (signature === undefined) return publicKey === undefined ? null : "it is not signed";
  if (publicKey !== undefined && signature.publicKey !== publicKey) return "it is signed by another key";
  return holds(signature, checkpointNote(unsigned)) ? null : "its signature does not hold";
}

function holds({ algorithm, publicKey, value }: CheckpointSignature, note: string): boolean {
  try {
    if (algorithm !== "Ed25519" || Buffer.from(value, "base64").toString("base64") !== value) return false;
    const key = publicKeyOf(publicKey);
    return key.asymmetricKeyType === "ed25519" && verify(null, Buffer.from(note), key, Buffer.from(value, "base64"));
  } catch {
    return false;
  }
}

const publicKeyOf = (text: string): KeyObject =>
  text.includes("-----BEGIN")
    ? createPublicKey(text)
    : createPublicKey({ key: Buffer.from(text.trim(), "base64"), format: "der", type: "spki" });

const spki = (key: KeyObject): string => key.export({ format: "der", type: "spki" }).toString("base64");

function readKey(read: () => KeyObject): KeyObject {
  try {
    return read();
  } catch {
    // The cause may quote the key, so it is not handed on.
    throw new ThreadfoldError("INVALID_CONFIG", "The key cannot be read.", { hint: "Give an Ed25519 key in PEM." });
  }
}

const noEd25519Key = (kind: string): ThreadfoldError =>
  new ThreadfoldError("INVALID_CONFIG", `The key is no ${kind} Ed25519 key.`, {
    hint: "Make one with: openssl genpkey -algorithm ed25519",
  });
