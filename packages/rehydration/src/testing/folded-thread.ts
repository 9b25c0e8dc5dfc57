import {
  type ArtifactId,
  asMessageId,
  asThreadId,
  type CompactionPlan,
  compactionConfig,
  type ExternalizationRecord,
  emptySummary,
  NO_RECORDS,
  type Sensitivity,
  sealPlan,
} from "@threadfold/core";
import { countingTokenizer } from "@threadfold/core/laws";
import type { RehydrationRequest } from "../artifacts/rehydration-interceptor.ts";
import { NO_REHYDRATIONS } from "../artifacts/rehydration-state.ts";
import { GuardedStore } from "./guarded-store.ts";

export const THREAD = asThreadId("thread");
export const CONFIG = compactionConfig();
const tokenizer = countingTokenizer();
export const countTokens = (text: string): number => tokenizer.countTokens(text);

/** A thread with externalized content: the store that has the content, and the plan that points to it. */
export class FoldedThread {
  readonly store = new GuardedStore();
  readonly #records: ExternalizationRecord[] = [];

  async externalize(
    content: string,
    {
      hint = "",
      sensitivity = "internal",
      tenantId = null,
      names = [],
    }: {
      readonly hint?: string;
      readonly sensitivity?: Sensitivity;
      readonly tenantId?: string | null;
      /** Names that are in the content and next to its pointer. */
      readonly names?: readonly string[];
    } = {},
  ): Promise<ArtifactId> {
    const metadata = {
      threadId: THREAD,
      tenantId,
      createdAt: "2025-01-01T00:00:00.000Z",
      ttlSeconds: null,
      sensitivity,
      mediaType: "text/plain",
    };
    const artifactId = await this.store.store(content, metadata);
    const span = { messageIds: [asMessageId(`m${this.#records.length}`)], firstTurn: 1, lastTurn: 1 };
    this.#records.push({
      action: "externalize",
      form: "body",
      artifactId,
      rehydrateHint: hint,
      summary: {
        ...emptySummary(span),
        toolOutcomes: [
          { id: "o", sources: [], toolName: "t", outcome: "success", keyFields: { names }, errorMessage: null },
        ],
      },
      span,
      strategy: "externalize",
      reason: "large",
      sincePlanVersion: 1,
      originalTokens: countTokens(content),
    });
    return artifactId;
  }

  /** The plan of a later fold, in which one summary replaces everything and names the artifacts. */
  get summarized(): CompactionPlan {
    const span = { messageIds: this.#records.flatMap(({ span }) => span.messageIds), firstTurn: 1, lastTurn: 1 };
    const artifacts = this.#records.map(({ artifactId, rehydrateHint }, at) => {
      return { id: `item${at}`, artifactId, description: "bash, success", rehydrateHint, sources: span.messageIds };
    });
    const { externalizations: _absorbed, ...rest } = this.plan;
    const record = { strategy: "summarize", reason: "old", sincePlanVersion: 1, originalTokens: 10 };
    const summary = { ...emptySummary(span), artifacts };
    return sealPlan({
      ...rest,
      externalizations: [],
      summarizations: [
        { ...record, action: "summarize", span, summary, summaryTokens: 1, summarizer: "x@1", resolved: [] },
      ],
    });
  }

  get plan(): CompactionPlan {
    return sealPlan({
      ...NO_RECORDS,
      externalizations: [...this.#records],
      threadId: THREAD,
      threadVersion: this.#records.length,
      version: this.#records.length,
      policyVersion: "test",
      createdAt: "2025-01-01T00:00:00.000Z",
      originalTokens: 0,
      compactedTokens: 0,
    });
  }

  request(agentMessage: string, more: Partial<RehydrationRequest> = {}): RehydrationRequest {
    return {
      agentMessage,
      pendingToolCalls: [],
      plan: this.plan,
      artifactStore: this.store,
      currentTurn: 10,
      state: NO_REHYDRATIONS,
      ...more,
    };
  }
}
