import { useMemo, useState } from "preact/hooks";
import { bytes } from "../format/figures.ts";

/** A text with more characters than this shows only its beginning, unformatted, until the reader asks for the rest. */
export const UNASKED = 64 * 1024;

interface LongTextProps {
  readonly text: string;
  /** True for text that may be JSON, which is then indented. */
  readonly isJson?: boolean;
  /** Number of characters at the beginning that another text shares; the rest is marked. */
  readonly sameUntil?: number;
}

/** A text of any length, with its own line breaks. */
export function LongText({ text, isJson = false, sameUntil }: LongTextProps) {
  const [isWhole, setWhole] = useState(false);
  const isLong = text.length > UNASKED;
  const shown = useMemo(() => {
    if (isLong && !isWhole) return text.slice(0, UNASKED);
    return isJson ? indented(text) : text;
  }, [text, isLong, isWhole, isJson]);
  // Positions in an indented text differ from those in the text that was compared.
  const marked = shown === text.slice(0, shown.length) ? sameUntil : undefined;
  return (
    <>
      <pre class="text" dir="auto">
        {marked === undefined || marked >= shown.length ? (
          plainText(shown)
        ) : (
          <>
            {plainText(shown.slice(0, marked))}
            <mark title="Differs from here on">{plainText(shown.slice(marked))}</mark>
          </>
        )}
      </pre>
      {isLong && !isWhole && (
        <button type="button" class="quiet-button" onClick={() => setWhole(true)}>
          Show all {bytes(text.length)}
        </button>
      )}
    </>
  );
}

function indented(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

/**
 * Makes visible everything that would change how the surrounding text reads: control characters, and the marks that
 * change the writing direction. Line ends and tabs stay.
 */
export const plainText = (text: string): string => (HIDDEN.test(text) ? text.replace(ALL_HIDDEN, visible) : text);

/** Does the same, and puts the text on one line. */
export const onOneLine = (text: string): string => plainText(text).replace(/\s+/g, " ");

const HIDDEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/;
const ALL_HIDDEN = new RegExp(HIDDEN, "g");

/** ASCII control characters have Unicode pictures; the others are escaped as in JSON. */
function visible(character: string): string {
  const code = character.charCodeAt(0);
  if (code === 0x0d) return "";
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  return code === 0x7f ? "\u2421" : `\\u${code.toString(16).padStart(4, "0")}`;
}
