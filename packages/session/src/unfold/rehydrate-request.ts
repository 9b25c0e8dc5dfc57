import type { ArtifactStore, CompactionPlan, Message, SecurityContext } from "@threadfold/core";
import type { RehydrationInterceptor, RehydrationOutcome, RehydrationState } from "@threadfold/rehydration";
import type { ThreadState } from "../thread/thread-state.ts";

/** What the renderer puts around each piece of rehydrated content, in tokens at the most. */
export const FRAME_TOKENS = 80;

/** What a request may bring back, and for whom. */
export interface RehydrationScene {
  readonly state: ThreadState;
  readonly plan: CompactionPlan;
  readonly artifacts: ArtifactStore;
  readonly rehydrations: RehydrationState;
  /** Tokens that the request has left below the cap. */
  readonly freeTokens: number;
  readonly maxArtifacts: number;
  readonly securityContext?: SecurityContext;
}

/**
 * Asks the interceptor what the newest assistant message of the main branch refers to, also when the user has spoken since:
 * the agent said what it wants, and its next request is the first that can bring it (seed 002). What comes back is for the
 * next request alone. Steps count as turns, because an autonomous run may be one endless turn.
 */
export async function rehydrateRequest(
  interceptor: RehydrationInterceptor,
  scene: RehydrationScene,
): Promise<RehydrationOutcome> {
  const { state, plan, artifacts, rehydrations, freeTokens, maxArtifacts, securityContext } = scene;
  const message = newestAssistantMessage(state);
  const availableTokens = freeTokens - FRAME_TOKENS * maxArtifacts;
  if (message === undefined || plan.externalizations.length === 0 || availableTokens <= 0) {
    return { results: [], blocked: [], state: rehydrations };
  }
  return interceptor.maybeRehydrate({
    agentMessage: message.parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n"),
    pendingToolCalls: message.parts.flatMap((part) => (part.type === "tool-call" ? [part] : [])),
    plan,
    artifactStore: artifacts,
    currentTurn: message.step,
    state: rehydrations,
    availableTokens,
    ...(securityContext !== undefined && { securityContext }),
  });
}

function newestAssistantMessage({ thread }: ThreadState): Message | undefined {
  for (let ordinal = thread.length - 1; ordinal >= 0; ordinal--) {
    const message = thread.messageAt(ordinal);
    if (message?.role === "assistant" && message.branch === undefined) return message;
  }
  return undefined;
}
