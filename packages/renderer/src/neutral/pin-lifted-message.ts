import type { Pin } from "@threadfold/core";
import type { Draft } from "./draft.ts";
import { escapeLookAlikes } from "./escape-look-alikes.ts";
import { madeDraft } from "./made-draft.ts";

/** Says that a pin which stands further up no longer holds: what was sent before is never changed. */
export function pinLiftedMessage(pin: Pin, ordinal: number): Draft {
  const text = `[Pin lifted - no longer in force]\n${escapeLookAlikes(pin.text)}`;
  return madeDraft(text, { role: "user", synthetic: "pins", action: "pins", share: "pins", ordinal });
}
