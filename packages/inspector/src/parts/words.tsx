import type { AttemptRow, BlockAction, BreakRow, CallCause, InspectionIndex } from "@threadfold/inspection/rows";
import { whole } from "../format/figures.ts";
import type { MessageAction } from "../model/messages-at.ts";
import { onOneLine } from "./long-text.tsx";

/** The word and the colour of every action, for the whole page. */
export const ACTIONS: Readonly<
  Record<BlockAction | MessageAction | "hidden-branch", readonly [word: string, tone: string]>
> = {
  wrapping: ["wrapping", "overhead"],
  system: ["system", "system"],
  tools: ["tools", "tools"],
  pins: ["pins", "pins"],
  include: ["kept", "kept"],
  clear: ["cleared", "cleared"],
  summarize: ["summarized", "summaries"],
  externalize: ["pointer", "pointers"],
  rehydration: ["brought back", "returned"],
  "missing-result": ["no result", "returned"],
  "moved-media": ["moved media", "returned"],
  "system-notice": ["notice", "returned"],
  opening: ["opening", "returned"],
  continuation: ["continuation", "returned"],
  drop: ["dropped", "dropped"],
  absent: ["not shown", "dropped"],
  "hidden-branch": ["side branch", "dropped"],
};

/** Why a call paid for tokens that a prompt cache could have served. */
export const CAUSES: Readonly<Record<CallCause, string>> = {
  none: "nothing missed",
  "first-call": "first call",
  expired: "expired",
  "changed by fold": "changed by a fold",
  "changed by recall": "changed by recalled content",
  "changed by tools": "changed by different tools",
  "changed by system": "changed by a different system text",
  "changed by model": "changed by a different model",
  "changed by host": "changed by the host",
  "below-minimum": "below the minimum",
  "out-of-reach": "no breakpoint close enough",
  "not-claimed": "possible but not claimed",
  "claimed-more": "more claimed than possible",
};

/** Why a fold that was due made no plan. */
const OUTCOMES: Readonly<Record<AttemptRow["outcome"], string>> = {
  committed: "a plan was made",
  "summarizer-failed-floor-used": "the summarizer failed, so the deterministic floor was used",
  "no-op": "nothing was left to fold",
  postponed: "postponed, because it would have cost more than it saved",
  ineffective: "it would have freed too little",
  inflated: "it would have made the request larger",
  refused: "its request would have broken a rule, or lost a standing instruction",
  conflict: "another writer committed a plan first",
  aborted: "it was interrupted",
  disabled: "folding is switched off",
  vetoed: "a hook of the host vetoed it",
  failed: "a store or another port failed",
  infeasible: "what has to stay is larger than the budget",
};

/** Describes how an attempt to fold ended, with the reason of the hook that vetoed it. */
export const outcomeWords = ({ outcome, veto }: AttemptRow): string =>
  veto === null
    ? OUTCOMES[outcome]
    : `the hook ${veto.hook} vetoed it${veto.reason === "" ? "" : `: ${onOneLine(veto.reason)}`}`;

const LIFTED: Readonly<Record<string, string>> = {
  "taken-back": "taken back",
  "no-room": "newer or higher rules left no room for it",
  "not-a-rule": "it was no rule",
};

/** Describes who lifted a standing instruction, from which call on, and why; empty while it applies. */
export function liftedWords(
  { liftedAt, liftedBy, liftedWhy }: Pick<InspectionIndex["pins"][number], "liftedAt" | "liftedBy" | "liftedWhy">,
  { threadVersion }: Pick<InspectionIndex["calls"], "threadVersion">,
): string {
  if (liftedAt === null) return "";
  const call = threadVersion.findIndex((version) => version >= liftedAt);
  const since = call < 0 ? "after the last call" : `from call ${whole(call + 1)} on`;
  return `lifted by the ${liftedBy} ${since}: ${onOneLine(LIFTED[liftedWhy ?? ""] ?? liftedWhy ?? "")}`;
}

/** Describes the cost of a cache break in a sentence. */
export const breakPrice = ({ lostTokens, price }: BreakRow): string =>
  price > 0
    ? `${whole(lostTokens)} cached tokens became useless, at a cost of ${whole(price)} input tokens.`
    : `${whole(lostTokens)} tokens after it differ; none of them would have been read from the cache.`;

/** Shows what was done with a message. */
export function ActionChip({ action }: { readonly action: keyof typeof ACTIONS }) {
  const [word, tone] = ACTIONS[action];
  return (
    <span class="action">
      <i class={`dot tone-${tone}`} />
      {word}
    </span>
  );
}
