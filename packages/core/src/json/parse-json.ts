/**
 * Parses JSON with every key as it was written. V8 can mistake a key with an escape for another key that the process
 * has seen in a similar place: after `{"h":[],"\\":0}` it reads `{"h":1,"\"":2}` as if the second key were a backslash
 * (nodejs/node#63785, at least in Node 24 and 26). Text with such keys is rare, and is therefore read piece by piece.
 *
 * @throws SyntaxError for text that is not JSON.
 */
export function parseJson(text: string): unknown {
  const parsed: unknown = JSON.parse(text);
  return text.includes("\\") && mayHaveEscapedKey(text) ? new JsonReader(text).value() : parsed;
}

/** Matches every key with an escape, and occasionally something else, which does no harm. */
const ESCAPED_KEY = /[{,]\s*"[^"\\]*(?:\\.[^"\\]*)+"\s*:/;
const WHITE_SPACE = /\s*/y;
const SCALAR = /[^\s,\]}]+/y;

function mayHaveEscapedKey(text: string): boolean {
  try {
    return ESCAPED_KEY.test(text);
  } catch {
    // The pattern needs memory for each escape, and there is not enough for millions of them.
    return true;
  }
}

/** Reads a text that is known to be JSON. */
class JsonReader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  value(): unknown {
    switch (this.#next()) {
      case "{":
        return this.#object();
      case "[":
        return this.#array();
      case '"':
        return this.#string();
      default:
        return JSON.parse(this.#take(SCALAR));
    }
  }

  #object(): object {
    const object = {};
    for (this.#at++; this.#next() !== "}"; this.#skipComma()) {
      const key = this.#string();
      this.#next();
      this.#at++;
      // Assigning to a key named __proto__ would set the prototype.
      Object.defineProperty(object, key, { value: this.value(), writable: true, enumerable: true, configurable: true });
    }
    this.#at++;
    return object;
  }

  #array(): unknown[] {
    const items: unknown[] = [];
    for (this.#at++; this.#next() !== "]"; this.#skipComma()) items.push(this.value());
    this.#at++;
    return items;
  }

  #string(): string {
    const start = this.#at;
    let end = start;
    do end = this.#text.indexOf('"', end + 1);
    while (this.#isEscaped(end));
    this.#at = end + 1;
    return JSON.parse(this.#text.slice(start, end + 1)) as string;
  }

  #isEscaped(at: number): boolean {
    let before = at;
    while (this.#text[before - 1] === "\\") before--;
    return (at - before) % 2 === 1;
  }

  #skipComma(): void {
    if (this.#next() === ",") this.#at++;
  }

  /** The next character after white space. */
  #next(): string | undefined {
    this.#take(WHITE_SPACE);
    return this.#text[this.#at];
  }

  #take(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    const [taken = ""] = pattern.exec(this.#text) ?? [];
    this.#at += taken.length;
    return taken;
  }
}
