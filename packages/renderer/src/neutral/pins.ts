import type { Pin } from "@threadfold/core";
import { type Draft, madeDraft } from "./draft.ts";
import { Phrases } from "./look-alikes.ts";

/** First line of a block of pins. */
export const PINS_HEADER = "[Pinned - still in force, word for word]";

/** First line of a message saying that a pin no longer applies. */
const PIN_LIFTED_HEADER = "[Pin lifted - no longer in force]";

/** Characters that must not appear in a quote unescaped: those that end it or its line, and invisible ones. */
const HIDDEN =
  /["\\]|[\p{C}\p{Zl}\p{Zp}]|(?! )\p{Zs}|\u034f|[\u115f\u1160]|\u17b4|\u17b5|[\u180b-\u180d]|\u180f|\u2800|\u3164|\uffa0/gu;
const BRACKET = /[\p{Ps}\p{Pi}<＜]/gu;
/** Our own labels: a bracket before one is escaped, whatever letters spell the label. */
const LABELS = new Phrases(["system", "operator", "user", "pinned", "pin lifted"]);
const SHORT_ESCAPES: Readonly<Record<string, string>> = {
  '"': '\\"',
  "\\": "\\\\",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
};

/**
 * Returns a pin as it appears in a prompt: its authority, and its text as one line in quotes, as JSON writes strings.
 * So no text can look like a line of its own, whatever it contains, and `JSON.parse` of the quote returns the text.
 */
export const quotedPin = ({ authority, text }: Pick<Pin, "authority" | "text">): string =>
  `(${authority}) ${quotedText(text)}`;

/** Quotes a text as one line that shows every character of it; `JSON.parse` returns the text. */
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

/** Says that a pin further up no longer applies: what was sent before is never changed. */
export function pinLiftedMessage(pin: Pin, ordinal: number): Draft {
  const text = `${PIN_LIFTED_HEADER}\n${quotedPin(pin)}`;
  return madeDraft(text, { role: "user", synthetic: "pins", action: "pins", share: "pins", ordinal });
}

/** Lists pins whose source is not shown, one per line: the authority of each, and its exact text in quotes. */
export function pinsMessage(pins: readonly Pin[], ordinal: number): Draft {
  const text = [PINS_HEADER, ...pins.map(quotedPin)].join("\n");
  return madeDraft(text, { role: "user", synthetic: "pins", action: "pins", share: "pins", ordinal });
}
