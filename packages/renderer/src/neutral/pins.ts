import type { Pin } from "@threadfold/core";
import { type Draft, madeDraft } from "./draft.ts";
import { Phrases } from "./look-alikes.ts";

/** How the block of pins begins. */
export const PINS_HEADER = "[Pinned - still in force, word for word]";

/** How a message begins that says of a pin that it does not hold any more. */
const PIN_LIFTED_HEADER = "[Pin lifted - no longer in force]";

/** What must not stand in a quote as it is: what ends it or its line, and what nobody sees. */
const HIDDEN =
  /["\\]|[\p{C}\p{Zl}\p{Zp}]|(?! )\p{Zs}|\u034f|[\u115f\u1160]|\u17b4|\u17b5|[\u180b-\u180d]|\u180f|\u2800|\u3164|\uffa0/gu;
const BRACKET = /[\p{Ps}\p{Pi}<＜]/gu;
/** Labels of our own: a bracket before one is written as an escape, in whatever letters the label is. */
const LABELS = new Phrases(["system", "operator", "user", "pinned", "pin lifted"]);
const SHORT_ESCAPES: Readonly<Record<string, string>> = {
  '"': '\\"',
  "\\": "\\\\",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
};

/**
 * A pin as it stands in a prompt: who stands behind it, and its text as one line in quotes, as JSON writes strings. So
 * no text can look like a line of its own, whatever is in it, and `JSON.parse` of the quote returns the text.
 */
export const quotedPin = ({ authority, text }: Pick<Pin, "authority" | "text">): string =>
  `(${authority}) ${quotedText(text)}`;

/** A text as one line in quotes that shows every character of it; `JSON.parse` returns it. */
const quotedText = (text: string): string => {
  const labels = new Set(
    [...text.matchAll(BRACKET)].filter(({ index }) => LABELS.beginLike(text, index + 1)).map(({ index }) => index),
  );
  let quoted = "";
  let from = 0;
  for (const index of labels) {
    quoted += escaped(text.slice(from, index)) + unitsOf(text[index] as string);
    from = index + 1;
  }
  return `"${quoted}${escaped(text.slice(from))}"`;
};

const escaped = (text: string): string => text.replace(HIDDEN, (sign) => SHORT_ESCAPES[sign] ?? unitsOf(sign));

const unitsOf = (sign: string): string =>
  Array.from({ length: sign.length }, (_, index) => `\\u${sign.charCodeAt(index).toString(16).padStart(4, "0")}`).join(
    "",
  );

/** Says that a pin which stands further up no longer holds: what was sent before is never changed. */
export function pinLiftedMessage(pin: Pin, ordinal: number): Draft {
  const text = `${PIN_LIFTED_HEADER}\n${quotedPin(pin)}`;
  return madeDraft(text, { role: "user", synthetic: "pins", action: "pins", share: "pins", ordinal });
}

/** Pins whose source is not shown, each on a line of its own: who stands behind it, and its exact text in quotes. */
export function pinsMessage(pins: readonly Pin[], ordinal: number): Draft {
  const text = [PINS_HEADER, ...pins.map(quotedPin)].join("\n");
  return madeDraft(text, { role: "user", synthetic: "pins", action: "pins", share: "pins", ordinal });
}
