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

/** When and how much content comes back automatically. Token figures are tokens of the counter. */
export interface RetrieveConfig {
  /** Whether content comes back automatically; off by default. */
  readonly enabled: boolean;
  /** Token budget per turn, separate from that of rehydration. */
  readonly maxTokens: number;
  /** After its passages came back, a message is left out for this many turns. */
  readonly cooldownTurns: number;
  /** The sensitivities of content that may come back automatically. */
  readonly sensitivities: readonly Sensitivity[];
}

/** The defaults of {@link RetrieveConfig}. */
export const DEFAULT_RETRIEVE_CONFIG: RetrieveConfig = Object.freeze({
  enabled: false,
  maxTokens: 2_000,
  cooldownTurns: 2,
  sensitivities: Object.freeze(["public", "internal"] as const),
});

/** What one request may bring back, and for whom. */
export interface RetrieveRequest extends Omit<RecallSources, "maxTokens"> {
  readonly artifacts: ArtifactStore;
  /** A number that increases by one from turn to turn, as for rehydration. */
  readonly currentTurn: number;
  /** The state that the previous call returned. Separate from that of rehydration. */
  readonly state: RehydrationState;
  readonly tenantId: string | null;
  /** Time of the request, as ISO 8601 in UTC. */
  readonly at: string;
  /** How long what came back is kept for replays, in seconds; null keeps it forever. */
  readonly ttlSeconds: number | null;
  /** Tokens that the request still has free; the configured budget applies if it is smaller. */
  readonly availableTokens: number;
  readonly securityContext?: SecurityContext;
}

/** What to inject into the prompt, and the state for the next turn. */
export interface RetrieveOutcome {
  readonly results: readonly RehydrationResult[];
  readonly state: RehydrationState;
}

/**
 * Brings back folded passages that match what the agent said and saw last. What comes back is ephemeral, like
 * rehydrated content: it is kept as an artifact so that the request can be replayed, but goes only into this turn's
 * prompt, within a separate budget.
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

  /** Decides what comes back in this turn. If the recall index or the artifact store fails, this call fails. */
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

  /** Gives the search by meaning an extra share of the budget, as far as the request has tokens free. */
  #near({ availableTokens, plan }: RetrieveRequest, taken: number): Pick<RecallSources, "near"> {
    if (this.#vectors === undefined) return {};
    const { threadId } = plan;
    const onProblem = (cause: unknown): void =>
      tellListener(this.#listener, vectorProblem(cause, threadId, this.#config.maxTokens));
    const maxTokens = Math.min(Math.floor(taken * NEAR_SHARE), availableTokens - taken);
    return { near: { ...this.#vectors, maxTokens, onProblem } };
  }

  /** Messages that may not come back automatically, by the store's metadata or by their own. */
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
