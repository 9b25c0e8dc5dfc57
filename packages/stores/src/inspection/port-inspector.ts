import {
  canonicalJson,
  entryDigest,
  nextThreadLink,
  serializeEntry,
  serializePlan,
  THREAD_CHAIN_START,
  type ThreadfoldStore,
  type ThreadId,
} from "@threadfold/core";
import type { StoredArtifact, StoredEntry, StoredJournalEntry, StoredPlan, StoreInspector } from "./stored-rows.ts";

/**
 * Shows what a store hands out as if these were its rows: for stores that keep no rows, and for wrapped ones. It sees
 * only what may be read, so expired artifacts are not among it.
 */
export function portInspector(store: ThreadfoldStore): StoreInspector {
  return {
    threadIds: () => threadIds(store),
    entries: (threadId) => entries(store, threadId),
    plans: (threadId) => plans(store, threadId),
    journal: (threadId) => journal(store, threadId),
    artifacts: (threadId) => artifacts(store, threadId),
    damage: async () => [],
  };
}

async function* threadIds(store: ThreadfoldStore): AsyncIterable<ThreadId> {
  let cursor: string | null | undefined;
  while (cursor !== null) {
    const page = await store.threads.list(cursor === undefined ? {} : { cursor });
    for (const { threadId } of page.items) yield threadId;
    cursor = page.nextCursor;
  }
}

async function* entries(store: ThreadfoldStore, threadId: ThreadId): AsyncIterable<StoredEntry> {
  let end = { version: 0, messages: 0, turn: 0, step: 0, link: THREAD_CHAIN_START };
  for (const entry of (await store.threads.load(threadId))?.entries ?? []) {
    const digest = entryDigest(entry);
    const place =
      entry.type === "message"
        ? { messages: end.messages + 1, turn: entry.message.turn, step: entry.message.step }
        : {};
    end = { ...end, ...place, version: end.version + 1, link: nextThreadLink(end.link, digest) };
    const messageId = entry.type === "message" ? entry.message.id : null;
    const pinId = entry.type === "pin" ? entry.pin.id : entry.type === "pin-lifted" ? entry.pinId : null;
    yield { ...end, kind: entry.type, messageId, pinId, digest, body: serializeEntry(entry) };
  }
}

async function* plans(store: ThreadfoldStore, threadId: ThreadId): AsyncIterable<StoredPlan> {
  for (const info of await store.plans.listPlans(threadId)) {
    const plan = await store.plans.getPlan(threadId, info.version);
    yield { ...info, body: plan === null ? null : serializePlan(plan) };
  }
}

async function* journal(store: ThreadfoldStore, threadId: ThreadId): AsyncIterable<StoredJournalEntry> {
  for (const { sequence, at, record, previousHash, hash } of await store.journal.read(threadId)) {
    yield { sequence, at, record: canonicalJson(record), previousHash, hash };
  }
}

async function* artifacts(store: ThreadfoldStore, threadId: ThreadId): AsyncIterable<StoredArtifact> {
  for (const artifactId of await store.artifacts.list(threadId)) {
    const artifact = await store.artifacts.retrieve(artifactId);
    if (artifact === null) continue;
    const { tenantId, bytes } = artifact.metadata;
    yield { artifactId, tenantId, bytes, content: artifact.content };
  }
}
