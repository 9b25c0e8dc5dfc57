import {
  BASELINES,
  floorPolicy,
  noCompaction,
  type PromptPolicy,
  presetOffers,
  scriptedSummarizer,
  slidingWindow,
} from "@threadfold/simulation";
import type { LoadPeer } from "./peer.ts";
import type { PolicyKind } from "./peers-results.ts";
import { COPYING, COUNTING, physicalFloor } from "./speed-floors.ts";

/** Baselines of the speed table: one sends everything, one cuts at every call, one cuts deep and rarely. */
const BASELINE_IDS = [noCompaction.id, slidingWindow.id, floorPolicy.id];
/** Presets of the speed table: the recommended one, and one that folds by the tokens of its suffix alone. */
const PRESET_IDS = ["threadfold", "codex"];

/** The policies that are timed, except the peers: the id and the kind of each. */
export const TIMED_HERE: readonly (readonly [string, PolicyKind])[] = [
  ...PRESET_IDS.map((id) => [id, "preset"] as const),
  ...[COUNTING, COPYING, ...BASELINE_IDS].map((id) => [id, "baseline"] as const),
];

/** Returns the policy with this name, as it is timed. */
export async function timedPolicy(id: string, loadPeer: LoadPeer): Promise<PromptPolicy> {
  const floor = physicalFloor(id);
  if (floor !== undefined) return floor;
  const offers = [...presetOffers(scriptedSummarizer("extractive")), ...BASELINES];
  const offer = BASELINE_IDS.includes(id) || PRESET_IDS.includes(id) ? offers.find((one) => one.id === id) : undefined;
  // None of these looks at the session beforehand, so none needs the data that its replays share.
  if (offer !== undefined) return offer.policyFor(undefined as never);
  return loadPeer(id);
}
