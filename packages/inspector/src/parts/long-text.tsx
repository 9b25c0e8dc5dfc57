import { useMemo, useState } from "preact/hooks";
import { bytes } from "../format/figures.ts";

/** What is longer is shown by its beginning, as it is, until somebody asks for more. */
export const UNASKED = 64 * 1024;

interface LongTextProps {
  readonly text: string;
  /** True for what may be JSON, which is then indented. */
  readonly isJson?: boolean;
  /** Characters at the beginning that another text has as well; what follows is marked. */
  readonly sameUntil?: number;
}

/** A text of any length, in lines as it has them. */
export function LongText({ text, isJson = false, sameUntil }: LongTextProps) {
  const [isWhole, setWhole] = useState(false);
  const isLong = text.length > UNASKED;
  const shown = useMemo(() => {
    if (isLong && !isWhole) return text.slice(0, UNASKED);
    return isJson ? indented(text) : text;
  }, [text, isLong, isWhole, isJson]);
  // An indented text has other places than the one that was compared.
  const marked = shown === text.slice(0, shown.length) ? sameUntil : undefined;
  return (
    <>
      <pre class="text" dir="auto">
        {marked === undefined || marked >= shown.length ? (
          plainText(shown)
        ) : (
          <>
            {plainText(shown.slice(0, marked))}
            <mark title="From here on it differs">{plainText(shown.slice(marked))}</mark>
          </>
        )}
      </pre>
      {isLong && !isWhole && (
        <button type="button" class="quiet-button" onClick={() => setWhole(true)}>
          Show all of {bytes(text.length)}
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
 * Text with everything made visible that would change how its neighbours read: control characters, and the marks that turn
 * the direction of writing round. Line ends and tabs stay.
 */
export const plainText = (text: string): string => (HIDDEN.test(text) ? text.replace(ALL_HIDDEN, visible) : text);

/** The same on one line. */
export const onOneLine = (text: string): string => plainText(text).replace(/\s+/g, " ");

const HIDDEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/;
const ALL_HIDDEN = new RegExp(HIDDEN, "g");

/** A control character of ASCII has a picture of its own; the others are written as JSON writes them. */
function visible(character: string): string {
  const code = character.charCodeAt(0);
  if (code === 0x0d) return "";
  if (code < 0x20) return String.fromCharCode(0x2400 + code);
  return code === 0x7f ? "\u2421" : `\\u${code.toString(16).padStart(4, "0")}`;
}
