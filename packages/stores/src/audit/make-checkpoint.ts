import {
  type Checkpoint,
  checkpointNote,
  freezeDeep,
  MerkleTree,
  merkleLeafOf,
  THREAD_CHAIN_START,
  ThreadfoldError,
  type ThreadfoldStore,
  type ThreadId,
} from "@threadfold/core";
import { inspectorOf } from "../inspection/inspector-of.ts";
import type { CheckpointSigner } from "./checkpoint-signature.ts";

/** How a checkpoint is made. */
export interface CheckpointOptions {
  /** ISO 8601 time in UTC. */
  readonly at: string;
  /** Vouches for it; without one it is unsigned. */
  readonly sign?: CheckpointSigner;
  /** Ends the reading; then there is no checkpoint. */
  readonly signal?: AbortSignal;
}

/**
 * Writes down what a thread and its journal are now, in the journal and as a value to keep elsewhere. It reads both once
 * and keeps 64 bytes of memory for each entry of the journal.
 *
 * @throws ThreadfoldError `THREAD_NOT_FOUND` for a thread without entries, `ABORTED`.
 */
export async function makeCheckpoint(
  store: ThreadfoldStore,
  threadId: ThreadId,
  { at, sign, signal }: CheckpointOptions,
): Promise<Checkpoint> {
  const state = await stateOf(store, threadId, signal);
  const unsigned = { threadId, at, ...state };
  const checkpoint = sign === undefined ? unsigned : { ...unsigned, signature: await sign(checkpointNote(unsigned)) };
  await store.journal.append(threadId, { type: "checkpoint-made", checkpoint }, at);
  return freezeDeep<Checkpoint>(checkpoint);
}

/** What a checkpoint made now would say. The journal is read first, so that it never speaks of more than the log has. */
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
