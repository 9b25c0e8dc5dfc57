import { asArtifactId, asThreadId, type RecordedArtifact, type ThreadfoldStore, type ThreadId } from "@threadfold/core";
import { type ErasableStore, eraseSubject } from "../erasure/erase-subject.ts";
import { dropPlan, entry, lift, metadata, pin, START, transcript } from "../laws/sample-data.ts";

/** Some more than those whose places are noted at once. */
const ENTRIES = 36;

/**
 * Puts something into every table of a store: a thread with messages, pins, a lifted pin, receipts, plans, artifacts, a
 * journal that speaks of all of them, and an index for search; and one whose content was erased.
 */
export async function furnish(store: ThreadfoldStore & ErasableStore): Promise<void> {
  await furnishThread(store, asThreadId("kept"));
  await furnishThread(store, asThreadId("erased"));
  await eraseSubject(store, "erased", { actor: "operator-1", reason: "user-request", at: START });
}

async function furnishThread(store: ThreadfoldStore, threadId: ThreadId): Promise<void> {
  const { threads, plans, artifacts, journal } = store;
  await threads.append(threadId, transcript(ENTRIES), { expectedVersion: 0, idempotencyKey: "key 0" });
  await threads.append(threadId, [pin("p1"), pin("p2"), lift("p1")], { expectedVersion: ENTRIES });
  await threads.append(threadId, [entry(ENTRIES)], { expectedVersion: ENTRIES + 3, idempotencyKey: "key 1" });
  const thread = await threads.load(threadId);
  if (thread === null) throw new Error("the thread is there");
  const { version: threadVersion, digest: threadDigest } = thread;
  await journal.append(threadId, { type: "entries-appended", threadVersion, threadDigest }, START);
  const stored: RecordedArtifact[] = [];
  for (const [index, content] of ["frame", "first", "second"].entries()) {
    const terms = { threadId, sensitivity: "restricted", ttlSeconds: index === 2 ? 1e9 : null } as const;
    const artifactId = await artifacts.store(content, { ...metadata(), ...terms });
    const { createdAt, ttlSeconds, sensitivity, mediaType } = { ...metadata(), ...terms };
    stored.push({ artifactId, createdAt, ttlSeconds, sensitivity, mediaType });
  }
  await journal.append(threadId, { type: "artifacts-stored", artifacts: stored }, START);
  for (const version of [1, 2, 3]) {
    const plan = dropPlan(thread.messagesBetween(0, version), { threadId, version, threadVersion });
    await plans.commitPlan(threadId, plan, version - 1);
    const { planId } = plan;
    await journal.append(threadId, { type: "plan-committed", planVersion: version, planId, diffDigest: planId }, START);
  }
  await store.recall?.index(threadId, thread.messagesBetween(0));
  const request = {
    threadVersion,
    planVersion: 3,
    renderVersion: "1",
    format: "anthropic-messages",
    tokenizer: "test",
  };
  const frame = asArtifactId(stored[0]?.artifactId ?? "");
  const rendered = { frame, options: {}, rehydrated: [], payloadDigest: "0".repeat(64), tokens: 1 };
  await journal.append(threadId, { type: "request-rendered", ...request, ...rendered }, START);
}
