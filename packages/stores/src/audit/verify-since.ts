import {
  type Checkpoint,
  MerkleTree,
  merkleLeafOf,
  THREAD_CHAIN_START,
  ThreadfoldError,
  type ThreadfoldStore,
} from "@threadfold/core";
import { inspectorOf } from "../inspection/inspector-of.ts";
import type { StoreFinding } from "../inspection/store-finding.ts";
import type { StoreInspector } from "../inspection/stored-rows.ts";
import { signatureProblem } from "./checkpoint-signature.ts";

/**
 * Says whether a thread and its journal have only grown since a checkpoint that was kept elsewhere. This finds what no
 * chain can: an end that was cut off, and a record that was written anew as a whole. That chains hold is for
 * `verifyStore` to say; both together show that nothing up to the checkpoint was changed.
 *
 * @param publicKey the key that the checkpoint has to be signed with, as `ed25519PublicKey` gives it.
 * @param signal ends it.
 * @throws ThreadfoldError `STORE_CORRUPT` when a hash that was kept is none, `ABORTED`.
 */
export async function verifySince(
  store: ThreadfoldStore,
  checkpoint: Checkpoint,
  publicKey?: string,
  signal?: AbortSignal,
): Promise<readonly StoreFinding[]> {
  const { threadId } = checkpoint;
  const signature = signatureProblem(checkpoint, publicKey);
  if (signature !== null)
    throw new ThreadfoldError("INVALID_CONFIG", `The checkpoint cannot be trusted: ${signature}.`);
  const inspector = inspectorOf(store, signal);
  const findings: StoreFinding[] = [];
  const journal = await journalProblem(inspector, checkpoint);
  if (journal !== null) findings.push({ family: "journal", threadId, at: journal.at, problem: journal.problem });
  const entries = await entriesProblem(inspector, checkpoint);
  if (entries !== null) findings.push({ family: "entries", threadId, at: entries.at, problem: entries.problem });
  const plans = (await store.plans.listPlans(threadId)).length;
  if (plans < checkpoint.planVersion)
    findings.push({ family: "plans", threadId, at: plans + 1, problem: "it is missing: the checkpoint has it" });
  return findings;
}

interface Finding {
  readonly at: number;
  readonly problem: string;
}

async function journalProblem(
  inspector: StoreInspector,
  { threadId, size, rootHash }: Checkpoint,
): Promise<Finding | null> {
  const tree = new MerkleTree();
  for await (const { hash } of inspector.journal(threadId)) {
    if (tree.size === size) break;
    tree.append(merkleLeafOf(hash));
  }
  if (tree.size < size) return { at: tree.size + 1, problem: `it is missing: the checkpoint has ${size}` };
  return tree.root() === rootHash ? null : { at: size, problem: "the journal up to here is not the checkpoint's" };
}

async function entriesProblem(
  inspector: StoreInspector,
  { threadId, threadVersion, threadDigest }: Checkpoint,
): Promise<Finding | null> {
  let end = { version: 0, link: THREAD_CHAIN_START };
  for await (const { version, link } of inspector.entries(threadId)) {
    if (version > threadVersion) break;
    end = { version, link };
  }
  if (end.version < threadVersion)
    return { at: end.version + 1, problem: `it is missing: the checkpoint has ${threadVersion}` };
  return end.link === threadDigest
    ? null
    : { at: threadVersion, problem: "the thread up to here is not the checkpoint's" };
}
