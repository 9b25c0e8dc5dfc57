import MagicString from "magic-string";

/**
 * A plugin of the bundler that escapes all characters beyond ASCII. One of them has Node hold the whole file in twice the
 * memory, and decode and compile it more slowly. The escapes mean the same in strings, templates and regular expressions,
 * but not in `String.raw`.
 */
export function asciiOnly() {
  return {
    name: "ascii-only",
    renderChunk(code: string, { fileName }: { readonly fileName: string }) {
      if (!fileName.endsWith(".js")) return null;
      const text = escapedText(code);
      return { code: text.toString(), map: text.generateMap({ hires: "boundary" }) };
    },
  };
}

/**
 * Escapes the characters of a program beyond ASCII.
 *
 * @throws Error when one is in a template of `String.raw`.
 */
export function escapedText(code: string): MagicString {
  const raw = /String\.raw`[^`]*[^\0-\x7f][^`]*`/.exec(code)?.[0];
  if (raw !== undefined) throw new Error(`An escape would be other text in ${raw}`);
  const text = new MagicString(code);
  text.replaceAll(/[^\0-\x7f]+/g, (run) => run.replace(/[\s\S]/g, escaped));
  return text;
}

const escaped = (code: string): string => `\\u${code.charCodeAt(0).toString(16).padStart(4, "0")}`;
