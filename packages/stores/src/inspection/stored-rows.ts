import type { ThreadfoldStore, ThreadId } from "@threadfold/core";

/** An entry as it is kept, nothing of it trusted yet. */
export interface StoredEntry {
  readonly version: number;
  readonly kind: string;
  readonly messageId: string | null;
  readonly pinId: string | null;
  readonly messages: number;
  readonly turn: number;
  readonly step: number;
  readonly digest: string;
  readonly link: string;
  /** Canonical JSON; null when it is gone. */
  readonly body: string | null;
}

/** A plan as it is kept. */
export interface StoredPlan {
  readonly version: number;
  readonly planId: string;
  readonly threadVersion: number;
  readonly createdAt: string;
  readonly originalTokens: number;
  readonly compactedTokens: number;
  readonly body: string | null;
}

/** A journal entry as it is kept. */
export interface StoredJournalEntry {
  readonly sequence: number;
  readonly at: string;
  /** Canonical JSON. */
  readonly record: string;
  readonly previousHash: string;
  readonly hash: string;
}

/** An artifact as it is kept, expired or not. */
export interface StoredArtifact {
  readonly artifactId: string;
  readonly tenantId: string | null;
  readonly bytes: number;
  readonly content: string | null;
}

/** Reads what a store really holds, past every rule of access and without failing on what is damaged. */
export interface StoreInspector {
  /** Every thread that the store has heard of, also without entries. */
  threadIds(): AsyncIterable<ThreadId>;
  /** Oldest first, like all of the following. */
  entries(threadId: ThreadId): AsyncIterable<StoredEntry>;
  plans(threadId: ThreadId): AsyncIterable<StoredPlan>;
  journal(threadId: ThreadId): AsyncIterable<StoredJournalEntry>;
  artifacts(threadId: ThreadId): AsyncIterable<StoredArtifact>;
  /** Whether a thread's content was erased, so that bodies are gone by right. Absent where nothing can be erased. */
  isErased?(threadId: ThreadId): Promise<boolean>;
  /** What the backend itself finds wrong with its files. */
  damage(): Promise<readonly string[]>;
}

/** A store that shows what it really holds. */
export interface InspectableStore extends ThreadfoldStore {
  readonly inspector: StoreInspector;
}

/** Says whether a store shows what it really holds. */
export function isInspectable(store: ThreadfoldStore): store is InspectableStore {
  return "inspector" in store;
}
