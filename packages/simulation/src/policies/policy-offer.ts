import { ThreadfoldError } from "@threadfold/core";
import { type CompactionPreset, PRESETS } from "@threadfold/strategies";
import type { ReplayableSession } from "../memory/session-memory.ts";
import type { PromptPolicy } from "../policy/prompt-policy.ts";
import type { ScriptedSummarizer } from "../summaries/scripted-summarizer.ts";
import { journalPolicy } from "./journal-policy.ts";
import { clearAllButLast, floorPolicy, noCompaction, slidingWindow } from "./naive-policies.ts";
import { oraclePolicy } from "./oracle-policy.ts";
import { presetPolicy } from "./preset-policy.ts";

/** A policy that can be selected by name. */
export interface PolicyOffer {
  readonly id: string;
  /** Returns the policy for a session. Only a bound such as the oracle sees more than the policy's own context. */
  readonly policyFor: (context: ReplayableSession) => PromptPolicy;
}

/** Returns a policy as an offer. */
export const offerOf = (policy: PromptPolicy): PolicyOffer => ({ id: policy.id, policyFor: () => policy });

/** Number of newest results that the clearing baseline keeps. */
const KEPT_RESULTS = 3;

/** What policies are compared with: no compaction, the naive rules, the floor, and the bound. */
export const BASELINES: readonly PolicyOffer[] = [
  ...[noCompaction, slidingWindow, clearAllButLast(KEPT_RESULTS), journalPolicy, floorPolicy].map(offerOf),
  { id: "oracle", policyFor: oraclePolicy },
];

/** Returns the baseline with that id. @throws ThreadfoldError `INVALID_CONFIG` that lists the known ids. */
export function baselineById(id: string): PolicyOffer {
  const found = BASELINES.find((offer) => offer.id === id);
  if (found !== undefined) return found;
  const known = BASELINES.map((offer) => offer.id).join(", ");
  throw new ThreadfoldError("INVALID_CONFIG", `There is no policy ${id}.`, { hint: `Known policies: ${known}.` });
}

/** Returns presets as offers, by default all of them. */
export const presetOffers = (
  summarizer: ScriptedSummarizer,
  presets: readonly CompactionPreset[] = PRESETS,
): readonly PolicyOffer[] => presets.map((preset) => offerOf(presetPolicy(preset, { summarizer })));
