import {
  type ArtifactId,
  type ArtifactStore,
  type CompactionEventListener,
  type CompactionPlan,
  type ContextCompactionEvent,
  type ExternalizationRecord,
  type JsonValue,
  type ProviderAwareTokenizer,
  type SecurityContext,
  type Sensitivity,
  tellListener,
} from "@threadfold/core";
import { referencesIn, referencesInJson } from "./artifact-references.ts";
import { asksForHint } from "./hint-match.ts";
import { READ_ARTIFACT_TOOL_NAME } from "./read-artifact/read-artifact-definition.ts";
import type { RehydrationConfig } from "./rehydration-config.ts";
import type { RehydrationResult, RehydrationTrigger } from "./rehydration-result.ts";
import { isInCooldown, type RehydrationState, withRehydrated } from "./rehydration-state.ts";
import { truncateToTokens } from "./truncate-to-tokens.ts";

/** A tool call that the agent has made and that has not run yet. */
export interface PendingToolCall {
  readonly toolName: string;
  readonly input: JsonValue;
}

/** What one turn gives to the interceptor (seed 002, `maybe_rehydrate`). */
export interface RehydrationRequest {
  /** What the agent said in this turn. */
  readonly agentMessage: string;
  readonly pendingToolCalls: readonly PendingToolCall[];
  readonly plan: CompactionPlan;
  readonly artifactStore: ArtifactStore;
  /** A number that goes up by one from turn to turn. In an autonomous run without user turns, use the step. */
  readonly currentTurn: number;
  readonly state: RehydrationState;
  /** Who asks. The store decides what they may read. */
  readonly securityContext?: SecurityContext;
  /** Tokens that the request still has free; the configured total holds when it is smaller. */
  readonly availableTokens?: number;
}

/** What to inject, and the state to hand in next turn. */
export interface RehydrationOutcome {
  readonly results: readonly RehydrationResult[];
  readonly state: RehydrationState;
  /** Artifacts that were asked for and are too sensitive to come back on their own. */
  readonly blocked: readonly ArtifactId[];
}

interface Wanted {
  readonly artifactId: ArtifactId;
  readonly trigger: RehydrationTrigger;
}

/**
 * Brings externalized content back when the agent refers to it: by id in what it says, by id anywhere in the arguments of
 * a call, or by asking for what an artifact's hint describes (seed 002, rehydration contract).
 *
 * What comes back is ephemeral: it is returned for this turn's prompt and touches neither thread nor plan. Artifacts per
 * turn, tokens per artifact and tokens in total are limited, counted in real tokens; one that was just brought back rests
 * for some turns; only configured sensitivities come back on their own; and the store checks who asks.
 */
export class RehydrationInterceptor {
  readonly #config: RehydrationConfig;
  readonly #tokenizer: ProviderAwareTokenizer;
  readonly #listener: CompactionEventListener | undefined;

  constructor(config: RehydrationConfig, tokenizer: ProviderAwareTokenizer, listener?: CompactionEventListener) {
    this.#config = config;
    this.#tokenizer = tokenizer;
    this.#listener = listener;
  }

  /** Decides what comes back in this turn and reads it. A failing store fails this call. */
  async maybeRehydrate(request: RehydrationRequest): Promise<RehydrationOutcome> {
    const { currentTurn, state } = request;
    const wanted = this.#config.rehydrationEnabled ? this.#wanted(request) : [];
    const budget = Math.min(
      this.#config.rehydrationTotalBudgetTokens,
      request.availableTokens ?? Number.POSITIVE_INFINITY,
    );
    const results: RehydrationResult[] = [];
    const blocked: ArtifactId[] = [];
    let used = 0;
    for (const want of wanted) {
      const content = await this.#read(want.artifactId, request, blocked);
      const result = content === null ? null : this.#resultOf(want, content, budget);
      if (result === null) continue;
      if (used + result.tokenCount > budget) break;
      results.push(result);
      used += result.tokenCount;
      this.#emit(request, { type: "compaction_rehydrated", artifactId: want.artifactId, tokens: result.tokenCount });
    }
    const ids = results.map(({ artifactId }) => artifactId);
    return { results, blocked, state: withRehydrated(state, ids, currentTurn, this.#config.rehydrationCooldownTurns) };
  }

  /** The artifacts that the turn asks for, in order of how plainly it does, within the limit per turn. */
  #wanted({ agentMessage, pendingToolCalls, plan, currentTurn, state }: RehydrationRequest): readonly Wanted[] {
    const records = new Map(plan.externalizations.map((record) => [record.artifactId, record]));
    const wanted = new Map<ArtifactId, RehydrationTrigger>();
    const want = (artifactId: ArtifactId, trigger: RehydrationTrigger): void => {
      if (!records.has(artifactId) || wanted.has(artifactId)) return;
      if (!isInCooldown(state, artifactId, currentTurn, this.#config.rehydrationCooldownTurns))
        wanted.set(artifactId, trigger);
    };
    for (const id of referencesIn(agentMessage)) want(id, "message-reference");
    for (const { toolName, input } of pendingToolCalls) {
      // That call brings the content back by itself.
      if (toolName === READ_ARTIFACT_TOOL_NAME) continue;
      for (const id of referencesInJson(input)) want(id, "argument-reference");
    }
    for (const { artifactId, rehydrateHint } of hinted(records.values())) {
      if (asksForHint(agentMessage, rehydrateHint)) want(artifactId, "hint-match");
    }
    const limited = [...wanted].slice(0, this.#config.rehydrationMaxArtifactsPerTurn);
    return limited.map(([artifactId, trigger]) => ({ artifactId, trigger }));
  }

  /** The content of an artifact that may come back on its own; null when it is gone, not for this requester, or too sensitive. */
  async #read(artifactId: ArtifactId, request: RehydrationRequest, blocked: ArtifactId[]): Promise<string | null> {
    const { artifactStore, securityContext } = request;
    const metadata = await artifactStore.getMetadata(artifactId, securityContext);
    if (metadata === null) return null;
    if (!this.#mayComeBack(metadata.sensitivity))
      return this.#block(artifactId, metadata.sensitivity, request, blocked);
    const artifact = await artifactStore.retrieve(artifactId, securityContext);
    if (artifact === null || this.#mayComeBack(artifact.metadata.sensitivity)) return artifact?.content ?? null;
    // Somebody tightened it after the metadata was read.
    return this.#block(artifactId, artifact.metadata.sensitivity, request, blocked);
  }

  #mayComeBack(sensitivity: Sensitivity): boolean {
    return this.#config.autoRehydrateSensitivities.includes(sensitivity);
  }

  #block(artifactId: ArtifactId, sensitivity: Sensitivity, request: RehydrationRequest, blocked: ArtifactId[]): null {
    blocked.push(artifactId);
    const reason = `${sensitivity} content does not come back on its own; call ${READ_ARTIFACT_TOOL_NAME}`;
    this.#emit(request, { type: "rehydration_blocked_sensitivity", artifactId, reason });
    return null;
  }

  #resultOf({ artifactId, trigger }: Wanted, content: string, budget: number): RehydrationResult | null {
    const limit = Math.min(this.#config.rehydrationMaxTokensPerArtifact, budget);
    // How to read on is said where the request is rendered, which knows whether the model has a tool for it.
    const marker = (shown: number, total: number): string =>
      `\n[… cut here: ${shown} of ${total} characters are shown]`;
    const cut = truncateToTokens(content, limit, (text) => this.#tokenizer.countTokens(text), marker);
    return cut === null
      ? null
      : { artifactId, content: cut.text, tokenCount: cut.tokens, truncated: cut.truncated, trigger };
  }

  #emit(request: RehydrationRequest, event: EventDetails): void {
    const place = { threadId: request.plan.threadId, budgetLimit: this.#config.maxInputTokens };
    tellListener(this.#listener, { ...event, ...place } as ContextCompactionEvent);
  }
}

type EventDetails =
  | { readonly type: "compaction_rehydrated"; readonly artifactId: ArtifactId; readonly tokens: number }
  | { readonly type: "rehydration_blocked_sensitivity"; readonly artifactId: ArtifactId; readonly reason: string };

const hinted = (records: Iterable<ExternalizationRecord>): readonly ExternalizationRecord[] =>
  [...records].filter(({ rehydrateHint }) => rehydrateHint !== "");
