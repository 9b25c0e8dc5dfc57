import { asArtifactId, asThreadId, type RecordedArtifact, type ThreadfoldStore, type ThreadId } from "@threadfold/core";
import { type ArchivableStore, type OpenSegments, writeSegment } from "../audit/segment.ts";
import { type ErasableStore, eraseSubject } from "../erasure/erase-subject.ts";
import { dropPlan, entry, lift, metadata, pin, START, transcript } from "../laws/sample-data.ts";
import type { ObjectFolder } from "../shared/object-artifacts.ts";

/** A few more entries than those whose places are noted at once. */
const ENTRIES = 36;

const COLD = "file:/cold";
const segments = new Map<string, Uint8Array>();

/** Opens the place of the segments of furnished stores, and no other place. */
export const furnishedSegments: OpenSegments = async (address) => (address === COLD ? folderIn(segments) : null);

/** Returns a folder that lives in this process. */
export function folderIn(objects: Map<string, Uint8Array>): ObjectFolder {
  return {
    putNew: async (key, bytes) => !objects.has(key) && Boolean(objects.set(key, bytes)),
    get: async (key) => objects.get(key) ?? null,
    remove: async (key) => void objects.delete(key),
    list: async (prefix) => [...objects.keys()].filter((key) => key.startsWith(prefix)).sort(),
    folders: async (prefix) => {
      const behind = [...objects.keys()].filter((key) => key.startsWith(prefix)).map((key) => key.slice(prefix.length));
      return [
        ...new Set(behind.filter((rest) => rest.includes("/")).map((rest) => rest.split("/", 1)[0] as string)),
      ].sort();
    },
    close: async () => undefined,
  };
}

/**
 * Puts something into every table of a store: a thread with messages, pins, a lifted pin, receipts, plans, artifacts, a
 * journal with records of all of them, and a search index; one whose content was erased; and one that was archived.
 */
export async function furnish(store: ThreadfoldStore & ErasableStore & ArchivableStore): Promise<void> {
  await furnishThread(store, asThreadId("kept"));
  await furnishThread(store, asThreadId("erased"));
  await eraseSubject(store, "erased", { actor: "operator-1", reason: "user-request", at: START });
  await furnishThread(store, MOVED, { expires: false });
  await moveOut(store, MOVED);
}

/** The archived thread. */
export const MOVED = asThreadId("moved");

/** Archives a thread without checking whether it is in use. */
export async function moveOut({ archiver }: ArchivableStore, threadId: ThreadId): Promise<void> {
  const hot = await archiver.look(threadId);
  if (hot === null) throw new Error("the thread is there");
  const { bytes, lines, root } = await writeSegment({ tenant: archiver.tenant, threadId }, archiver.rows(threadId));
  const key = `segments/${root}`;
  segments.set(key, bytes);
  const receipt = { tenant: archiver.tenant, threadId, place: COLD, key, root, lines, bytes: bytes.length };
  const noted = { ...receipt, archivedAt: START, isCold: false, isDropped: false, copies: [], end: hot.end };
  await archiver.note(noted);
  await archiver.remove(noted, hot);
}

/** @param expires whether one of its artifacts has a time to live. */
export async function furnishThread(
  store: ThreadfoldStore,
  threadId: ThreadId,
  { expires = true } = {},
): Promise<void> {
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
    const terms = { threadId, sensitivity: "restricted", ttlSeconds: expires && index === 2 ? 1e9 : null } as const;
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
