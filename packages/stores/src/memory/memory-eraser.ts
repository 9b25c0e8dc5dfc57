import { AgentThread, asThreadId, type ThreadfoldStore, type ThreadId } from "@threadfold/core";
import type { StoreEraser } from "../erasure/store-eraser.ts";
import { portInspector } from "../inspection/port-inspector.ts";
import { isExpired } from "../rules/artifact-rules.ts";
import type { MemoryState } from "./memory-state.ts";

/** Erases in memory: content is let go, and rows without content stay. */
export class MemoryEraser implements StoreEraser {
  readonly #state: MemoryState;
  readonly #store: Omit<ThreadfoldStore, "close">;

  /** @param store what the state looks like from outside, before erased threads are refused. */
  constructor(state: MemoryState, store: Omit<ThreadfoldStore, "close">) {
    this.#state = state;
    this.#store = store;
  }

  async threadsOf(subject: string): Promise<readonly ThreadId[]> {
    const threadId = asThreadId(subject);
    return this.#state.threads.has(threadId) ? [threadId] : [];
  }

  async isErased(threadId: ThreadId): Promise<boolean> {
    return this.isErasedNow(threadId);
  }

  /** The same, at once. */
  isErasedNow(threadId: ThreadId): boolean {
    return (this.#state.threads.get(threadId)?.erased ?? null) !== null;
  }

  async erase(subject: string): Promise<boolean> {
    const threadId = asThreadId(subject);
    const kept = this.#state.threads.get(threadId);
    if (kept === undefined || kept.erased !== null) return false;
    const inspector = portInspector({ ...this.#store, close: async () => undefined });
    const entries = (await rowsOf(inspector.entries(threadId))).map((row) => ({ ...row, body: null }));
    const plans = (await rowsOf(inspector.plans(threadId))).map((row) => ({ ...row, body: null }));
    const artifacts = kept.artifactIds.flatMap((artifactId) => {
      const metadata = this.#state.artifacts.get(artifactId)?.metadata;
      return metadata === undefined
        ? []
        : [{ artifactId, tenantId: metadata.tenantId, bytes: metadata.bytes, content: null }];
    });
    kept.erased = Object.freeze({ entries, plans, artifacts });
    kept.thread = AgentThread.empty(threadId);
    kept.plans.length = 0;
    kept.receipts.clear();
    for (const artifactId of kept.artifactIds) {
      const artifact = this.#state.artifacts.get(artifactId);
      if (artifact !== undefined) this.#state.artifacts.set(artifactId, Object.freeze({ ...artifact, content: "" }));
    }
    return false;
  }

  async sweep(nowMs: number): Promise<number> {
    const expired = [...this.#state.artifacts.values()].filter(({ metadata }) => isExpired(metadata, nowMs));
    for (const { artifactId, metadata } of expired) {
      this.#state.artifacts.delete(artifactId);
      const ids = this.#state.threads.get(metadata.threadId)?.artifactIds;
      ids?.splice(ids.indexOf(artifactId), 1);
    }
    return expired.length;
  }
}

async function rowsOf<Row>(rows: AsyncIterable<Row>): Promise<readonly Row[]> {
  const found: Row[] = [];
  for await (const row of rows) found.push(row);
  return found;
}
