import { statementKey } from "../text/excerpt.ts";

/** Two statements that share so much of their words say the same. */
const SAME_SHARE = 0.75;
const MAX_COMPARED = 200;

/** What a summary says already, so that nothing is said twice in other words. */
export class SaidAlready {
  #text = "";
  readonly #keys = new Set<string>();
  readonly #words: ReadonlySet<string>[] = [];

  /** Remembers a text as said. */
  say(text: string): void {
    const key = statementKey(text);
    if (key === "" || this.#keys.has(key)) return;
    this.#keys.add(key);
    this.#text += `\n${key}`;
    if (this.#words.length < MAX_COMPARED) this.#words.push(new Set(key.split(" ")));
  }

  /** True when the text was said, alone or within a longer one. */
  has(text: string): boolean {
    const key = statementKey(text);
    return this.#keys.has(key) || (key.length > 12 && this.#text.includes(key));
  }

  /** True when nearly the same was said. */
  hasNearly(text: string): boolean {
    if (this.has(text)) return true;
    const words = new Set(statementKey(text).split(" "));
    return words.size > 3 && this.#words.some((said) => sharesMost(words, said));
  }
}

function sharesMost(words: ReadonlySet<string>, said: ReadonlySet<string>): boolean {
  const smaller = Math.min(words.size, said.size);
  const larger = Math.max(words.size, said.size);
  if (smaller / larger < SAME_SHARE) return false;
  let shared = 0;
  for (const word of words) if (said.has(word)) shared++;
  return shared / (words.size + said.size - shared) >= SAME_SHARE;
}
