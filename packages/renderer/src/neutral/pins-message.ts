import type { Pin } from "@threadfold/core";
import type { Draft } from "./draft.ts";
import { madeDraft } from "./made-draft.ts";

/** Pins whose source is not shown, word for word: nothing inside a pin is escaped, for its exact text must stand there. */
export function pinsMessage(pins: readonly Pin[], ordinal: number): Draft {
  const lines = pins.map(({ authority, text }) => `(${authority}) ${text}`);
  const text = ["[Pinned - still in force, word for word]", ...lines].join("\n");
  return madeDraft(text, { role: "user", synthetic: "pins", action: "pins", share: "pins", ordinal });
}
