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
  planDiff,
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

/** What a request was rendered from besides thread and plan. */
export interface RenderInputs {
  readonly frame: RequestFrame;
  readonly tokenizer: string;
  readonly summaryRole: SummaryRole;
  readonly summaryWording?: SummaryWording;
  readonly model?: string;
  readonly threadVersion: number;
  /** Tokens of the request by the tokenizer. */
  readonly counted: number;
  /** Tokens that the request might take. */
  readonly limitTokens: number;
  readonly rehydrated: readonly RehydrationResult[];
  readonly cache?: RequestCacheRecord;
  /** False for a request that nobody gets. */
  readonly handedOut: boolean;
}

/** What a request came out as. */
export interface RenderedAs {
  readonly planVersion: number;
  readonly format: string;
  /** SHA-256 of the payload's canonical JSON. */
  readonly digest: string;
}

/** Called with a record that could not be written. */
export type WriteFailure = (record: JournalRecord["type"], deferred: boolean, cause: unknown) => void;

/**
 * Takes records of what a session did, in order. An append or a commit that happened is not undone by a journal that
 * fails: its record is kept and written before the next one. A request whose record cannot be written is not to be
 * sent.
 */
export interface SessionRecorder {
  entriesAppended(thread: AgentThread): Promise<void>;
  planCommitted(before: CompactionPlan, after: CompactionPlan): Promise<void>;
  requestRendered(request: RenderedAs, turn: RenderInputs): Promise<void>;
  /** Records that a request was handed out once more. What the first one cost at the cache says nothing of this one. */
  requestRepeated(record: RequestRenderedRecord): Promise<void>;
  requestRefused(refused: Omit<RequestRefusedRecord, "type">): Promise<void>;
  summariesAsked(asked: Omit<SummariesAskedRecord, "type">): Promise<void>;
  /** Artifacts that note what is stored through them; it is recorded before the next thing that happens. */
  noting(artifacts: ArtifactStore): ArtifactStore;
  /** @param reason the words of the host. */
  foldVetoed(vetoed: Omit<FoldVetoedRecord, "type" | "reason">, reason: string): Promise<void>;
}

/**
 * Writes nothing down, and makes no digest that only a record would need. Of an erased thread it hands out no request
 * either, which is where a journal would refuse the record.
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

/** Writes down what a session did, so that it can be replayed and audited. Content goes into artifacts, never into the journal. */
export class SessionJournal implements SessionRecorder {
  readonly #store: ThreadfoldStore;
  /** The store's artifacts, of which what is stored is noted. */
  readonly #artifacts: ArtifactStore;
  readonly #threadId: ThreadId;
  readonly #tenantId: string | null;
  readonly #clock: Clock;
  /** Where frames are kept that were recorded before: a frame seldom changes from request to request. */
  readonly #frames = new WeakMap<RequestFrame, ArtifactId>();
  readonly #onFailure: WriteFailure;
  /** One write at a time, so that records stand in the order of what happened. */
  readonly #queue = new SerialQueue();
  /** Records that could not be written yet, oldest first. */
  #unwritten: readonly { readonly record: JournalRecord; readonly at: string }[] = [];
  /** The terms that were given for what was stored and is not recorded yet. */
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
    const diffDigest = digestOf(planDiff(before, after).patches);
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

  /** Writes what is still to be written, and this record behind it. */
  #append(record: JournalRecord): Promise<void> {
    const at = this.#now();
    return this.#queue.run(async () => {
      await this.#recordStored(at);
      // A request is made again by whoever asks again; what happened has to be written down in any case.
      if (record.type !== "request-rendered") this.#unwritten = [...this.#unwritten, { record, at }];
      for (const next of this.#unwritten) {
        await this.#store.journal.append(this.#threadId, next.record, next.at);
        this.#unwritten = this.#unwritten.slice(1);
      }
      if (record.type === "request-rendered") await this.#store.journal.append(this.#threadId, record, at);
    });
  }

  /** A record of what was stored since the last one, as the store keeps it: it may have had the same content before. */
  async #recordStored(at: string): Promise<void> {
    if (this.#stored.size === 0) return;
    const stored = this.#stored;
    this.#stored = new Map();
    const artifacts = await Promise.all([...stored].map(([artifactId, given]) => this.#termsOf(artifactId, given)));
    this.#unwritten = [...this.#unwritten, { record: { type: "artifacts-stored", artifacts }, at }];
  }

  async #termsOf(artifactId: ArtifactId, given: StoredTerms): Promise<RecordedArtifact> {
    // What cannot be asked for, because it has expired or the store is away, was stored as it was given.
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

/** For how long content is kept, and how guarded: what came back is not kept longer or more openly than where it came from. */
type Handling = RehydrationResult["metadata"];

type StoredTerms = Omit<ArtifactMetadata, "bytes">;

/** What a replay needs besides thread, plan, frame and format. */
const optionsOf = ({ summaryRole, summaryWording, model }: RenderInputs): JsonObject => ({
  summaryRole,
  ...(summaryWording !== undefined && { summaryWording }),
  ...(model !== undefined && { model }),
});
