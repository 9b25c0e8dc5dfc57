import type { Pin } from "@threadfold/core";
import { PINS_HEADER, quotedPin } from "../pins/quoted-pin.ts";
import type { Draft } from "./draft.ts";
import { madeDraft } from "./made-draft.ts";

/** Pins whose source is not shown, each on a line of its own: who stands behind it, and its exact text in quotes. */
export function pinsMessage(pins: readonly Pin[], ordinal: number): Draft {
  const text = [PINS_HEADER, ...pins.map(quotedPin)].join("\n");
  return madeDraft(text, { role: "user", synthetic: "pins", action: "pins", share: "pins", ordinal });
}
