import type { BlockAction, MissCause } from "@threadfold/inspection/rows";
import type { MessageAction } from "../model/messages-at.ts";

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
export const CAUSES: Readonly<Record<MissCause, string>> = {
  none: "nothing missed",
  "first-call": "first call",
  expired: "expired",
  changed: "the prefix changed",
  "below-minimum": "below the minimum",
  "out-of-reach": "no mark near enough",
  "not-claimed": "possible and not claimed",
  "claimed-more": "more claimed than possible",
};

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
