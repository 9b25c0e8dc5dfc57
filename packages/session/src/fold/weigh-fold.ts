import { type CompactionPlan, requestRoom, roomTokens } from "@threadfold/core";
import {
  type CommitWeighing,
  cacheTemperature,
  callsToWait,
  configForEpoch,
  expectedRemainingCalls,
  type FoldReady,
  firstEdit,
  growthPerCall,
  weighCommit,
} from "@threadfold/strategies";
import { reportedTokens } from "../answer/usage-state.ts";
import type { FoldScene } from "./fold-scene.ts";

/**
 * What a fold down to the target would cost and save, before anything is made: everything behind system text and tools
 * is taken to change. It keeps a fold that cannot pay from spending on summaries.
 */
export function forecastFold(scene: FoldScene, before: number): CommitWeighing | null {
  const { config, overheadTokens } = scene;
  const after = Math.min(before, requestRoom(configForEpoch(config, growthOf(scene))).target);
  return weigh(scene, before, after, Math.max(0, after - overheadTokens));
}

/** What committing a plan that was made and rendered costs and saves; null when the provider's prices are not known. */
export function weighFold(scene: FoldScene, { plan, tokens }: FoldReady): CommitWeighing | null {
  return weigh(scene, tokens.before, tokens.after, suffixTokens(scene, plan));
}

/** For how many calls a soft fold is put off; 0 to fold now. */
export function waitFor(scene: FoldScene, weighing: CommitWeighing | null): number {
  const { config, history, state, usage, plan } = scene;
  if (weighing === null || !config.costModelEnabled) return 0;
  const { step } = state.thread.position;
  return callsToWait(weighing, {
    history,
    step,
    maxPostponedCalls: config.maxPostponedCalls,
    usedTokens: Math.max(weighing.before, reportedTokens(usage, plan, weighing.before) ?? 0),
    growthPerCall: growthOf(scene),
    limit: roomTokens(config),
  });
}

/** Tokens that the thread grew by in an average call. */
export const growthOf = ({ state }: FoldScene): number =>
  growthPerCall(state.ledger.totalTokens, state.thread.position.step);

function weigh(scene: FoldScene, before: number, after: number, suffix: number): CommitWeighing | null {
  const { price, config, state, idleSeconds } = scene;
  if (price === undefined) return null;
  return weighCommit({
    before,
    after,
    suffix,
    expectedCalls: expectedRemainingCalls(state.thread.position.step, config.expectedCallsPrior),
    temperature: cacheTemperature({ promptTokens: before, idleSeconds, price }),
    price,
  });
}

/** Tokens of the new request from its first message that the current plan shows otherwise. */
function suffixTokens({ plan, state, renderer }: FoldScene, next: CompactionPlan): number {
  const ordinalOf = (id: Parameters<typeof state.thread.message>[0]) => state.thread.message(id)?.ordinal;
  const edit = firstEdit(plan, next, ordinalOf);
  if (edit === null) return 0;
  const { messages } = renderer.render(next).rendering.manifest;
  const from = messages.findIndex(({ sources }) => sources.some((id) => (ordinalOf(id) ?? -1) >= edit));
  return from < 0 ? 0 : messages.slice(from).reduce((sum, { tokens }) => sum + tokens, 0);
}
