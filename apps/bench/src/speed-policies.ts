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

/** Baselines of the speed table: one that sends everything, one that cuts at every call, one that cuts deep and seldom. */
const BASELINE_IDS = [noCompaction.id, slidingWindow.id, floorPolicy.id];
/** The presets of the speed table: the one that is recommended, and one that folds by the tokens of its suffix alone. */
const PRESET_IDS = ["threadfold", "codex"];

/** The policies that are timed, peers aside: the id of each and what it is. */
export const TIMED_HERE: readonly (readonly [string, PolicyKind])[] = [
  ...PRESET_IDS.map((id) => [id, "preset"] as const),
  ...[COUNTING, COPYING, ...BASELINE_IDS].map((id) => [id, "baseline"] as const),
];

/** The policy of that name, as it is timed. */
export async function timedPolicy(id: string, loadPeer: LoadPeer): Promise<PromptPolicy> {
  const floor = physicalFloor(id);
  if (floor !== undefined) return floor;
  const offers = [...presetOffers(scriptedSummarizer("extractive")), ...BASELINES];
  const offer = BASELINE_IDS.includes(id) || PRESET_IDS.includes(id) ? offers.find((one) => one.id === id) : undefined;
  // Of these none looks at the session beforehand, so none needs what its replays share.
  if (offer !== undefined) return offer.policyFor(undefined as never);
  return loadPeer(id);
}
