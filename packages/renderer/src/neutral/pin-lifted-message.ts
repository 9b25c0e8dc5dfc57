import type { Pin } from "@threadfold/core";
import { PIN_LIFTED_HEADER, quotedPin } from "../pins/quoted-pin.ts";
import type { Draft } from "./draft.ts";
import { madeDraft } from "./made-draft.ts";

/** Says that a pin which stands further up no longer holds: what was sent before is never changed. */
export function pinLiftedMessage(pin: Pin, ordinal: number): Draft {
  const text = `${PIN_LIFTED_HEADER}\n${quotedPin(pin)}`;
  return madeDraft(text, { role: "user", synthetic: "pins", action: "pins", share: "pins", ordinal });
}
