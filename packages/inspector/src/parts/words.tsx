import type { AttemptRow, BlockAction, BreakRow, CallCause } from "@threadfold/inspection/rows";
import { whole } from "../format/figures.ts";
import type { MessageAction } from "../model/messages-at.ts";
import { onOneLine } from "./long-text.tsx";

/** What was done with a message, in the words and colours of the whole page. */
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

/** Why a call paid for what a prompt cache could have had. */
export const CAUSES: Readonly<Record<CallCause, string>> = {
  none: "nothing missed",
  "first-call": "first call",
  expired: "expired",
  "changed by fold": "changed by a fold",
  "changed by recall": "changed by what was brought back",
  "changed by tools": "changed by other tools",
  "changed by system": "changed by another system text",
  "changed by model": "changed by another model",
  "changed by host": "changed by the host",
  "below-minimum": "below the minimum",
  "out-of-reach": "no mark near enough",
  "not-claimed": "possible and not claimed",
  "claimed-more": "more claimed than possible",
};

/** Why a fold that was due made no plan. */
const OUTCOMES: Readonly<Record<AttemptRow["outcome"], string>> = {
  committed: "a plan was made",
  "summarizer-failed-floor-used": "the summarizer failed, and the deterministic floor was folded",
  "no-op": "nothing was left to fold",
  postponed: "put off, because it would have cost more than it spared",
  ineffective: "it would have freed too little",
  inflated: "it would have made the request larger",
  refused: "its request would have broken a rule, or lost a standing instruction",
  conflict: "another writer committed a plan first",
  aborted: "it was interrupted",
  disabled: "folding is switched off",
  vetoed: "a hook of the host said no",
  failed: "a store or another port failed",
  infeasible: "what has to stay is larger than the budget",
};

/** How an attempt to fold ended, with the words of the hook that said no. */
export const outcomeWords = ({ outcome, veto }: AttemptRow): string =>
  veto === null
    ? OUTCOMES[outcome]
    : `the hook ${veto.hook} vetoed it${veto.reason === "" ? "" : `: ${onOneLine(veto.reason)}`}`;

/** What a break of the cache costs, as a sentence. */
export const breakPrice = ({ lostTokens, price }: BreakRow): string =>
  price > 0
    ? `${whole(lostTokens)} cached tokens are of no more use, which costs ${whole(price)} input tokens.`
    : `${whole(lostTokens)} tokens behind it are other ones; none of them would have been read from the cache.`;

/** What was done with a message. */
export function ActionChip({ action }: { readonly action: keyof typeof ACTIONS }) {
  const [word, tone] = ACTIONS[action];
  return (
    <span class="action">
      <i class={`dot tone-${tone}`} />
      {word}
    </span>
  );
}
