import { ThreadfoldError } from "@threadfold/core";
import { type CompactionPreset, PRESETS } from "@threadfold/strategies";
import type { ReplayableSession } from "../memory/session-memory.ts";
import type { PromptPolicy } from "../policy/prompt-policy.ts";
import type { ScriptedSummarizer } from "../summaries/scripted-summarizer.ts";
import { journalPolicy } from "./journal-policy.ts";
import { clearAllButLast, floorPolicy, noCompaction, slidingWindow } from "./naive-policies.ts";
import { oraclePolicy } from "./oracle-policy.ts";
import { presetPolicy } from "./preset-policy.ts";

/** A policy that can be asked for by name. */
export interface PolicyOffer {
  readonly id: string;
  /** The policy for a session. Only a bound such as the oracle sees more than the policy's own context. */
  readonly policyFor: (context: ReplayableSession) => PromptPolicy;
}

/** A policy as an offer. */
export const offerOf = (policy: PromptPolicy): PolicyOffer => ({ id: policy.id, policyFor: () => policy });

/** How many of the newest results the clearing baseline keeps. */
const KEPT_RESULTS = 3;

/** What a policy is compared with: nothing, the naive rules, the floor, and the bound. */
export const BASELINES: readonly PolicyOffer[] = [
  ...[noCompaction, slidingWindow, clearAllButLast(KEPT_RESULTS), journalPolicy, floorPolicy].map(offerOf),
  { id: "oracle", policyFor: oraclePolicy },
];

/** The baseline of that name. @throws ThreadfoldError `INVALID_CONFIG` that lists the known names. */
export function baselineById(id: string): PolicyOffer {
  const found = BASELINES.find((offer) => offer.id === id);
  if (found !== undefined) return found;
  const known = BASELINES.map((offer) => offer.id).join(", ");
  throw new ThreadfoldError("INVALID_CONFIG", `There is no policy ${id}.`, { hint: `Known policies: ${known}.` });
}

/** Presets as offers, every one by default. */
export const presetOffers = (
  summarizer: ScriptedSummarizer,
  presets: readonly CompactionPreset[] = PRESETS,
): readonly PolicyOffer[] => presets.map((preset) => offerOf(presetPolicy(preset, { summarizer })));
