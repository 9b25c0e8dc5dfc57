import {
  type AgentThread,
  type ArtifactId,
  type ArtifactMetadata,
  type ArtifactStore,
  type Clock,
  type CompactionPlan,
  digestOf,
  EventLoopTurns,
  type FoldVetoedRecord,
  type JournalRecord,
  type JsonObject,
  planChanges,
  type RecordedArtifact,
  type RequestCacheRecord,
  type RequestRefusedRecord,
  type RequestRenderedRecord,
  type SummariesAskedRecord,
  type SummaryRole,
  type SummaryWording,
  type ThreadfoldStore,
  type ThreadId,
} from "@threadfold/core";
import type { RehydrationResult } from "@threadfold/rehydration";
import { COMPACTION_RENDER_FORMAT_VERSION } from "@threadfold/renderer";
import { refuseErasedThread } from "@threadfold/stores";
import { type RequestFrame, serializeFrame } from "@threadfold/turn";
import { SerialQueue } from "../waits/turn-queue.ts";

/** What a request was rendered from, in addition to thread and plan. */
export interface RenderInputs {
  readonly frame: RequestFrame;
  readonly tokenizer: string;
  readonly summaryRole: SummaryRole;
  readonly summaryWording?: SummaryWording;
  readonly model?: string;
  readonly threadVersion: number;
  /** Tokens of the request by the tokenizer. */
  readonly counted: number;
  /** Tokens of the request as the provider is expected to count them. */
  readonly estimatedTokens: number;
  /** Maximum tokens of the request, as the provider counts them. */
  readonly limitTokens: number;
  readonly rehydrated: readonly RehydrationResult[];
  readonly cache?: RequestCacheRecord;
  /** False for a request that is not returned to the host. */
  readonly handedOut: boolean;
}

/** The result of rendering a request. */
export interface RenderedAs {
  readonly planVersion: number;
  readonly format: string;
  /** SHA-256 of the payload's canonical JSON. */
  readonly digest: string;
}

/** Called with a record that could not be written. */
export type WriteFailure = (record: JournalRecord["type"], deferred: boolean, cause: unknown) => void;

/**
 * Records what a session did, in order. If the journal fails, an append or commit that happened is not undone: its
 * record is kept and written before the next one. A request whose record cannot be written must not be sent.
 */
export interface SessionRecorder {
  entriesAppended(thread: AgentThread): Promise<void>;
  planCommitted(before: CompactionPlan, after: CompactionPlan): Promise<void>;
  requestRendered(request: RenderedAs, turn: RenderInputs): Promise<void>;
  /** Records that a request was handed out once more, without cache data: that of the first time does not apply. */
  requestRepeated(record: RequestRenderedRecord): Promise<void>;
  requestRefused(refused: Omit<RequestRefusedRecord, "type">): Promise<void>;
  summariesAsked(asked: Omit<SummariesAskedRecord, "type">): Promise<void>;
  /** Wraps an artifact store to note what is stored through it; that is journaled before the next record. */
  noting(artifacts: ArtifactStore): ArtifactStore;
  /** Records a veto. @param reason the reason in the host's words. */
  foldVetoed(vetoed: Omit<FoldVetoedRecord, "type" | "reason">, reason: string): Promise<void>;
}

/**
 * A recorder that writes nothing, and computes no digest that only a record would need. It still refuses requests of an
 * erased thread, as a journal would by refusing the record.
 */
export const noJournal = (store: ThreadfoldStore, threadId: ThreadId): SessionRecorder => ({
  entriesAppended: async () => undefined,
  planCommitted: async () => undefined,
  requestRendered: () => refuseErasedThread(store, threadId),
  requestRepeated: () => refuseErasedThread(store, threadId),
  requestRefused: async () => undefined,
  summariesAsked: async () => undefined,
  noting: (artifacts) => artifacts,
  foldVetoed: async () => undefined,
});

/** Journals what a session did, for replay and audit. Content goes into artifacts, never into the journal. */
export class SessionJournal implements SessionRecorder {
  readonly #store: ThreadfoldStore;
  /** The store's artifacts, wrapped to note what is stored. */
  readonly #artifacts: ArtifactStore;
  readonly #threadId: ThreadId;
  readonly #tenantId: string | null;
  readonly #clock: Clock;
  /** Artifacts of frames that were recorded before, because a frame rarely changes from request to request. */
  readonly #frames = new WeakMap<RequestFrame, ArtifactId>();
  readonly #onFailure: WriteFailure;
  /** Runs one write at a time, so that records are in the order of what happened. */
  readonly #queue = new SerialQueue();
  /** Records that could not be written yet, oldest first. */
  #unwritten: readonly { readonly record: JournalRecord; readonly at: string }[] = [];
  /** The given metadata of artifacts that were stored but not recorded yet. */
  #stored = new Map<ArtifactId, StoredTerms>();

  constructor(
    store: ThreadfoldStore,
    threadId: ThreadId,
    tenantId: string | null,
    clock: Clock,
    onFailure: WriteFailure = () => undefined,
  ) {
    this.#store = store;
    this.#artifacts = this.noting(store.artifacts);
    this.#threadId = threadId;
    this.#tenantId = tenantId;
    this.#clock = clock;
    this.#onFailure = onFailure;
  }

  async entriesAppended(thread: AgentThread): Promise<void> {
    const threadDigest = await new EventLoopTurns().finish(thread.digestInSteps());
    await this.#note({ type: "entries-appended", threadVersion: thread.version, threadDigest });
  }

  async planCommitted(before: CompactionPlan, after: CompactionPlan): Promise<void> {
    const diffDigest = digestOf(planChanges(before, after));
    await this.#note({ type: "plan-committed", planVersion: after.version, planId: after.planId, diffDigest });
  }

  async requestRendered({ planVersion, format, digest }: RenderedAs, turn: RenderInputs): Promise<void> {
    const kept = turn.rehydrated.map(async ({ artifactId, content, tokenCount: tokens, truncated, metadata }) => {
      return { artifactId, content: await this.#keep(content, metadata), tokens, truncated };
    });
    const rehydrated = await Promise.all(kept);
    await this.#append({
      type: "request-rendered",
      threadVersion: turn.threadVersion,
      planVersion,
      renderVersion: COMPACTION_RENDER_FORMAT_VERSION,
      format,
      tokenizer: turn.tokenizer,
      options: optionsOf(turn),
      frame: await this.#keepFrame(turn.frame),
      rehydrated,
      payloadDigest: digest,
      tokens: turn.counted,
      limitTokens: turn.limitTokens,
      estimatedTokens: turn.estimatedTokens,
      ...(turn.cache !== undefined && { cache: turn.cache }),
      ...(!turn.handedOut && { handedOut: false as const }),
    });
  }

  async requestRepeated({ cache: _cache, ...record }: RequestRenderedRecord): Promise<void> {
    await this.#append(record);
  }

  async requestRefused(refused: Omit<RequestRefusedRecord, "type">): Promise<void> {
    await this.#note({ type: "request-refused", ...refused });
  }

  async summariesAsked(asked: Omit<SummariesAskedRecord, "type">): Promise<void> {
    await this.#note({ type: "summaries-asked", ...asked });
  }

  noting(artifacts: ArtifactStore): ArtifactStore {
    return {
      store: async (content, metadata) => {
        const artifactId = await artifacts.store(content, metadata);
        if (metadata.threadId === this.#threadId) this.#stored.set(artifactId, metadata);
        return artifactId;
      },
      getMetadata: (artifactId, requester) => artifacts.getMetadata(artifactId, requester),
      retrieve: (artifactId, requester) => artifacts.retrieve(artifactId, requester),
      list: (threadId, requester, mediaType) => artifacts.list(threadId, requester, mediaType),
    };
  }

  async foldVetoed(vetoed: Omit<FoldVetoedRecord, "type" | "reason">, reason: string): Promise<void> {
    let kept: ArtifactId;
    try {
      kept = await this.#keep(reason, this.#lasting("text/plain"));
    } catch (cause) {
      return this.#onFailure("fold-vetoed", false, cause);
    }
    await this.#note({ type: "fold-vetoed", ...vetoed, reason: kept });
  }

  async #keepFrame(frame: RequestFrame): Promise<ArtifactId> {
    const known = this.#frames.get(frame);
    if (known !== undefined) return known;
    const kept = await this.#keep(serializeFrame(frame), this.#lasting("application/json"));
    this.#frames.set(frame, kept);
    return kept;
  }

  async #note(record: JournalRecord): Promise<void> {
    try {
      await this.#append(record);
    } catch (cause) {
      this.#onFailure(record.type, true, cause);
    }
  }

  /** Writes the records that are still unwritten, and then this one. */
  #append(record: JournalRecord): Promise<void> {
    const at = this.#now();
    return this.#queue.run(async () => {
      await this.#recordStored(at);
      // A failed request can simply be prepared again, but what already happened must be recorded.
      if (record.type !== "request-rendered") this.#unwritten = [...this.#unwritten, { record, at }];
      for (const next of this.#unwritten) {
        await this.#store.journal.append(this.#threadId, next.record, next.at);
        this.#unwritten = this.#unwritten.slice(1);
      }
      if (record.type === "request-rendered") await this.#store.journal.append(this.#threadId, record, at);
    });
  }

  /**
   * Queues a record of the artifacts stored since the last one, with the terms that the store has for them: it may have
   * had the same content before, under other terms.
   */
  async #recordStored(at: string): Promise<void> {
    if (this.#stored.size === 0) return;
    const stored = this.#stored;
    this.#stored = new Map();
    const artifacts = await Promise.all([...stored].map(([artifactId, given]) => this.#termsOf(artifactId, given)));
    this.#unwritten = [...this.#unwritten, { record: { type: "artifacts-stored", artifacts }, at }];
  }

  async #termsOf(artifactId: ArtifactId, given: StoredTerms): Promise<RecordedArtifact> {
    // If the metadata cannot be read, because it expired or the store is unavailable, the given terms are recorded.
    const kept = await this.#store.artifacts.getMetadata(artifactId).catch(() => null);
    const { createdAt, ttlSeconds, sensitivity, mediaType } = kept ?? given;
    return { artifactId, createdAt, ttlSeconds, sensitivity, mediaType };
  }

  #keep(content: string, { createdAt, ttlSeconds, sensitivity, mediaType }: Handling): Promise<ArtifactId> {
    const owner = { threadId: this.#threadId, tenantId: this.#tenantId };
    return this.#artifacts.store(content, { ...owner, createdAt, ttlSeconds, sensitivity, mediaType });
  }

  #lasting(mediaType: string): Handling {
    return { createdAt: this.#now(), ttlSeconds: null, sensitivity: "internal", mediaType };
  }

  #now(): string {
    return new Date(this.#clock.now()).toISOString();
  }
}

/**
 * How long and how guarded content is kept: rehydrated content is kept no longer and no more openly than its source.
 */
type Handling = RehydrationResult["metadata"];

type StoredTerms = Omit<ArtifactMetadata, "bytes">;

/** The options that a replay needs in addition to thread, plan, frame and format. */
const optionsOf = ({ summaryRole, summaryWording, model }: RenderInputs): JsonObject => ({
  summaryRole,
  ...(summaryWording !== undefined && { summaryWording }),
  ...(model !== undefined && { model }),
});
