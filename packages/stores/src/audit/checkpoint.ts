import type { KeyObject } from "node:crypto";
import {
  type Checkpoint,
  type CheckpointSignature,
  checkOptions,
  checkpointNote,
  freezeDeep,
  MerkleTree,
  merkleLeafOf,
  refuseArgument,
  THREAD_CHAIN_START,
  ThreadfoldError,
  type ThreadfoldStore,
  type ThreadId,
  threadIdSchema,
} from "@threadfold/core";
import * as z from "@threadfold/core/schema";
import { inspectorOf } from "../inspection/inspector.ts";
import { nodeCrypto } from "../shared/on-demand.ts";
import { checkTimeOption } from "../shared/store-basics.ts";

/** Options for making a checkpoint. */
export interface CheckpointOptions {
  /** ISO 8601 time in UTC. */
  readonly at: string;
  /** Signs the checkpoint; without it, the checkpoint is unsigned. */
  readonly sign?: CheckpointSigner;
  /** Aborts the reading; no checkpoint is made then. */
  readonly signal?: AbortSignal;
}

/** Signs checkpoints. The key may be in a vault or a device, as long as it signs with Ed25519. */
export type CheckpointSigner = (note: string) => Promise<CheckpointSignature>;

/**
 * Records the current state of a thread and its journal, in the journal and as a value to keep elsewhere. It reads both
 * once and uses 64 bytes of memory for each journal entry.
 *
 * @throws ThreadfoldError `THREAD_NOT_FOUND` for a thread without entries, `INVALID_CONFIG` for a time that is not one,
 * `ABORTED`.
 */
export async function makeCheckpoint(
  store: ThreadfoldStore,
  threadId: ThreadId,
  options: CheckpointOptions,
): Promise<Checkpoint> {
  checkOptions("options", options, { at: "any", sign: "call", signal: "signal" });
  const { at, sign, signal } = options;
  checkTimeOption(at);
  const state = await stateOf(store, threadId, signal);
  const unsigned = { threadId, at, ...state };
  const checkpoint = sign === undefined ? unsigned : { ...unsigned, signature: await sign(checkpointNote(unsigned)) };
  await store.journal.append(threadId, { type: "checkpoint-made", checkpoint }, at);
  return freezeDeep<Checkpoint>(checkpoint);
}

/** Returns the state for a checkpoint. The journal is read first, so that it never refers to more than the log has. */
async function stateOf(
  store: ThreadfoldStore,
  threadId: ThreadId,
  signal: AbortSignal | undefined,
): Promise<Omit<Checkpoint, "threadId" | "at">> {
  const inspector = inspectorOf(store, signal);
  const tree = new MerkleTree();
  for await (const { hash } of inspector.journal(threadId)) tree.append(merkleLeafOf(hash));
  let end = { version: 0, link: THREAD_CHAIN_START };
  for await (const { version, link } of inspector.entries(threadId)) end = { version, link };
  if (end.version === 0)
    throw new ThreadfoldError("THREAD_NOT_FOUND", `There is no thread ${threadId} to make a checkpoint of.`);
  const planVersion = (await store.plans.listPlans(threadId)).at(-1)?.version ?? 0;
  return {
    size: tree.size,
    rootHash: tree.root(),
    threadVersion: end.version,
    threadDigest: end.link,
    planVersion,
  };
}

/** Reads a checkpoint that was kept as JSON. @throws ThreadfoldError `INVALID_JSON`. */
export function parseCheckpoint(text: string): Checkpoint {
  try {
    return checkpointSchema.parse(JSON.parse(text));
  } catch {
    throw new ThreadfoldError("INVALID_JSON", "The text is not a checkpoint.", {
      hint: "Pass the JSON that was printed when the checkpoint was made.",
    });
  }
}

const digest = z.string().regex(/^[0-9a-f]{64}$/);
const count = z.int().nonnegative();

/** Schema that a checkpoint must match before anything in it is trusted. */
export const checkpointSchema: z.ZodType<Checkpoint> = z.lazy(() =>
  z.strictObject({
    threadId: threadIdSchema,
    size: count,
    rootHash: digest,
    at: z.string(),
    threadVersion: count,
    threadDigest: digest,
    planVersion: count,
    signature: z
      .strictObject({ algorithm: z.literal("Ed25519"), publicKey: z.string().max(1_000), value: z.string().max(1_000) })
      .optional(),
  }),
);

/** Checks a checkpoint that a caller passes in. @throws ThreadfoldError `INVALID_CONFIG` that names the option. */
export function checkCheckpoint(option: string, checkpoint: unknown): void {
  if (!checkpointSchema.safeParse(checkpoint).success)
    refuseArgument(option, "it has to be a checkpoint, as makeCheckpoint and parseCheckpoint return it.");
}

/**
 * Signs with an Ed25519 key in this process.
 *
 * @param privateKey PKCS#8 in PEM, or a key object.
 * @throws ThreadfoldError `INVALID_CONFIG` when it is not such a key.
 */
export function ed25519Signer(privateKey: string | KeyObject): CheckpointSigner {
  const key = typeof privateKey === "string" ? readKey(() => nodeCrypto().createPrivateKey(privateKey)) : privateKey;
  const { type, asymmetricKeyType }: Partial<KeyObject> = Object(key);
  if (type !== "private" || asymmetricKeyType !== "ed25519") throw noEd25519Key("private");
  const publicKey = spki(nodeCrypto().createPublicKey(key));
  return async (note) =>
    Object.freeze({
      algorithm: "Ed25519",
      publicKey,
      value: nodeCrypto().sign(null, Buffer.from(note), key).toString("base64"),
    });
}

/**
 * Returns a public key in the form that checkpoints contain: SPKI in DER, base64.
 *
 * @param publicKey SPKI in PEM, or base64 of its DER.
 * @throws ThreadfoldError `INVALID_CONFIG` when it is not an Ed25519 key.
 */
export function ed25519PublicKey(publicKey: string): string {
  const key = readKey(() => publicKeyOf(publicKey));
  if (key.asymmetricKeyType !== "ed25519") throw noEd25519Key("public");
  return spki(key);
}

/** Returns what is wrong with a checkpoint's signature, or null. If `publicKey` is given, it must be the signer's. */
export function signatureProblem(checkpoint: Checkpoint, publicKey?: string): string | null {
  const { signature, ...unsigned } = checkpoint;
  if (signature === undefined) return publicKey === undefined ? null : "it is not signed";
  if (publicKey !== undefined && signature.publicKey !== publicKey) return "it was signed with another key";
  return holds(signature, checkpointNote(unsigned)) ? null : "its signature does not verify";
}

function holds({ algorithm, publicKey, value }: CheckpointSignature, note: string): boolean {
  try {
    if (algorithm !== "Ed25519" || Buffer.from(value, "base64").toString("base64") !== value) return false;
    const key = publicKeyOf(publicKey);
    return (
      key.asymmetricKeyType === "ed25519" &&
      nodeCrypto().verify(null, Buffer.from(note), key, Buffer.from(value, "base64"))
    );
  } catch {
    return false;
  }
}

const publicKeyOf = (text: string): KeyObject =>
  text.includes("-----BEGIN")
    ? nodeCrypto().createPublicKey(text)
    : nodeCrypto().createPublicKey({ key: Buffer.from(text.trim(), "base64"), format: "der", type: "spki" });

const spki = (key: KeyObject): string => key.export({ format: "der", type: "spki" }).toString("base64");

function readKey(read: () => KeyObject): KeyObject {
  try {
    return read();
  } catch {
    // The cause may quote the key, so it is not passed on.
    throw new ThreadfoldError("INVALID_CONFIG", "The key cannot be read.", {
      hint: "Pass an Ed25519 key in PEM format.",
    });
  }
}

const noEd25519Key = (kind: string): ThreadfoldError =>
  new ThreadfoldError("INVALID_CONFIG", `The key is not a ${kind} Ed25519 key.`, {
    hint: "Make one with: openssl genpkey -algorithm ed25519",
  });
