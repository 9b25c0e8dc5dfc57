import {
  type ArtifactMetadata,
  type ArtifactStore,
  type CompactionEventListener,
  handlingOf,
  type Message,
  type MessageId,
  type SecurityContext,
  type Sensitivity,
  tellListener,
} from "@threadfold/core";
import {
  isInCooldown,
  type RehydrationResult,
  type RehydrationState,
  withRehydrated,
} from "../artifacts/rehydration-state.ts";
import { NEAR_SHARE, vectorProblem } from "./nearest-entries.ts";
import { QUERY_MESSAGES, recallQuery } from "./recall-query.ts";
import { recall } from "./recall-result.ts";
import { type RecallSources, type VectorSearch, withheldMessages } from "./recall-sources.ts";

/** When and how much comes back on its own. Token figures are tokens of the counter. */
export interface RetrieveConfig {
  /** Off by default. */
  readonly enabled: boolean;
  /** Its own budget, apart from that of rehydration. */
  readonly maxTokens: number;
  /** Messages whose passages came back are left out for this many turns. */
  readonly cooldownTurns: number;
  /** Content of other sensitivities does not come back on its own. */
  readonly sensitivities: readonly Sensitivity[];
}

export const DEFAULT_RETRIEVE_CONFIG: RetrieveConfig = Object.freeze({
  enabled: false,
  maxTokens: 2_000,
  cooldownTurns: 2,
  sensitivities: Object.freeze(["public", "internal"] as const),
});

/** What one request may bring back, and for whom. */
export interface RetrieveRequest extends Omit<RecallSources, "maxTokens"> {
  readonly artifacts: ArtifactStore;
  /** A number that goes up by one from turn to turn, as for rehydration. */
  readonly currentTurn: number;
  /** The state that the last call returned. Kept apart from that of rehydration. */
  readonly state: RehydrationState;
  readonly tenantId: string | null;
  /** ISO 8601 time in UTC of the request. */
  readonly at: string;
  /** Seconds for which what came back is kept for a replay; null keeps it without end. */
  readonly ttlSeconds: number | null;
  /** Tokens that the request still has free; the configured budget holds when it is smaller. */
  readonly availableTokens: number;
  readonly securityContext?: SecurityContext;
}

/** What to inject, and the state for the next turn. */
export interface RetrieveOutcome {
  readonly results: readonly RehydrationResult[];
  readonly state: RehydrationState;
}

/**
 * Brings folded passages back that match what the agent said and saw last. What comes back is ephemeral like rehydrated
 * content: it is kept as an artifact so that the request can be replayed, and goes into this turn's prompt alone,
 * within a budget of its own.
 */
export class RetrieveStrategy {
  readonly name = "retrieve";
  readonly #config: RetrieveConfig;
  readonly #vectors: VectorSearch | undefined;
  readonly #listener: CompactionEventListener | undefined;

  constructor(config: Partial<RetrieveConfig> = {}, vectors?: VectorSearch, listener?: CompactionEventListener) {
    this.#config = { ...DEFAULT_RETRIEVE_CONFIG, ...config };
    this.#vectors = vectors;
    this.#listener = listener;
  }

  /** Decides what comes back in this turn. A failing index, store or embedder fails this call. */
  async retrieve(request: RetrieveRequest): Promise<RetrieveOutcome> {
    const nothing = { results: [], state: request.state };
    const maxTokens = Math.min(this.#config.maxTokens, request.availableTokens);
    if (!this.#config.enabled || request.plan.version === 0 || maxTokens <= 0) return nothing;
    const text = recallQuery(lastMessages(request.thread));
    if (text === "") return nothing;
    const except = [...(await this.#withheld(request)), ...this.#resting(request)];
    const found = await recall({ ...request, maxTokens, ...this.#near(request, maxTokens) }, { text, except });
    const { text: content, tokens: tokenCount } = found;
    const isEmpty = found.hits.length + found.names.length + found.near.length === 0;
    if (isEmpty || tokenCount > request.availableTokens) return nothing;
    const messageIds = [...new Set([...found.near, ...found.hits.map(({ messageId }) => messageId)])];
    const metadata = metadataOf(request, messageIds);
    const artifactId = await request.artifacts.store(content, metadata);
    this.#emit(request, messageIds, tokenCount);
    return {
      results: [{ artifactId, content, tokenCount, truncated: false, trigger: "recall-match", metadata }],
      state: withRehydrated(request.state, messageIds, request.currentTurn, this.#config.cooldownTurns),
    };
  }

  /** Search by meaning has a share of the budget on top, as far as the request has this much free. */
  #near({ availableTokens, plan }: RetrieveRequest, taken: number): Pick<RecallSources, "near"> {
    if (this.#vectors === undefined) return {};
    const { threadId } = plan;
    const onProblem = (cause: unknown): void =>
      tellListener(this.#listener, vectorProblem(cause, threadId, this.#config.maxTokens));
    const maxTokens = Math.min(Math.floor(taken * NEAR_SHARE), availableTokens - taken);
    return { near: { ...this.#vectors, maxTokens, onProblem } };
  }

  /** What may not come back on its own: by what the store says of externalized messages, and by the messages' own word. */
  async #withheld({ plan, artifacts, securityContext, thread }: RetrieveRequest): Promise<readonly MessageId[]> {
    const { sensitivities } = this.#config;
    const guarded: MessageId[] = [];
    for (const message of thread.messages)
      if (!sensitivities.includes(handlingOf([message]).sensitivity)) guarded.push(message.id);
    return [...guarded, ...(await withheldMessages(plan, artifacts, securityContext, sensitivities))];
  }

  #resting({ state, currentTurn }: RetrieveRequest): readonly MessageId[] {
    const known = Object.keys(state.lastTurns) as MessageId[];
    return known.filter((id) => isInCooldown(state, id, currentTurn, this.#config.cooldownTurns));
  }

  #emit({ plan }: RetrieveRequest, messageIds: readonly MessageId[], tokens: number): void {
    tellListener(this.#listener, {
      type: "compaction_recalled",
      threadId: plan.threadId,
      budgetLimit: this.#config.maxTokens,
      messageIds,
      tokens,
    });
  }
}

function lastMessages(thread: RetrieveRequest["thread"]): readonly Message[] {
  const last = thread.messagesBetween(Math.max(0, thread.length - 4 * QUERY_MESSAGES));
  return last.filter(({ branch }) => branch === undefined).slice(-QUERY_MESSAGES);
}

function metadataOf(
  { thread, tenantId, at, ttlSeconds }: RetrieveRequest,
  messageIds: readonly MessageId[],
): Omit<ArtifactMetadata, "bytes"> {
  const { sensitivity } = handlingOf(messageIds.flatMap((id) => thread.message(id) ?? []));
  return { threadId: thread.id, tenantId, createdAt: at, ttlSeconds, sensitivity, mediaType: "text/plain" };
}
