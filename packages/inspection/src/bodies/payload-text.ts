import { canonicalJson, type JsonObject, type JsonValue } from "@threadfold/core";
import { redactJson } from "@threadfold/summarizers";

/**
 * Writes payloads as canonical JSON, without secrets if these are removed. Most messages of a request are also in the
 * previous request, so each is written only once.
 */
export class PayloadText {
  readonly #redacts: boolean;
  readonly #items = new WeakMap<object, string>();

  constructor(redacts: boolean) {
    this.#redacts = redacts;
  }

  /** @param messagesField the field that lists the messages. */
  async of(payload: JsonObject, messagesField: string): Promise<string> {
    const fields: string[] = [];
    for (const name of Object.keys(payload).sort()) {
      const value = payload[name];
      if (value === undefined) continue;
      const text =
        name === messagesField && Array.isArray(value) ? await this.#list(value) : await this.#written(value);
      fields.push(`${JSON.stringify(name)}:${text}`);
    }
    return `{${fields.join(",")}}`;
  }

  async #list(items: readonly JsonValue[]): Promise<string> {
    const texts: string[] = [];
    for (const item of items) texts.push(await this.#written(item));
    return `[${texts.join(",")}]`;
  }

  async #written(value: JsonValue): Promise<string> {
    if (typeof value !== "object" || value === null) return canonicalJson(value);
    const known = this.#items.get(value);
    if (known !== undefined) return known;
    const text = canonicalJson(this.#redacts ? await redactJson(value) : value);
    this.#items.set(value, text);
    return text;
  }
}
