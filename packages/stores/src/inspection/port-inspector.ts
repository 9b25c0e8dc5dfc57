import {
  canonicalJson,
  nextThreadLink,
  serializeEntry,
  serializePlan,
  type ThreadfoldStore,
  type ThreadId,
} from "@threadfold/core";
import { listedThreads } from "../rules/listed-threads.ts";
import { endAfter, idsOf, START_OF_LOG } from "../rules/log-end.ts";
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
  for await (const { threadId } of listedThreads(store)) yield threadId;
}

async function* entries(store: ThreadfoldStore, threadId: ThreadId): AsyncIterable<StoredEntry> {
  let end = START_OF_LOG;
  for (const entry of (await store.threads.load(threadId))?.entries ?? []) {
    const serialized = serializeEntry(entry);
    end = endAfter(end, entry, nextThreadLink(end.link, serialized.digest));
    yield { ...end, ...idsOf(entry), kind: entry.type, ...serialized };
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
