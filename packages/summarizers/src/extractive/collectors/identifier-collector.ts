import type { JsonValue, Message } from "@threadfold/core";
import {
  IdentifierIndex,
  IN_AGENT_TEXT,
  IN_ARGUMENT,
  IN_RESULT,
  IN_USER_TEXT,
} from "../identifiers/identifier-index.ts";
import { identifierWorth } from "../identifiers/identifier-worth.ts";
import type { CallReading } from "../reading/call-reading.ts";
import type { Place } from "../reading/place.ts";
import type { ResultReading } from "../reading/result-reading.ts";
import type { Speech } from "../reading/speech.ts";
import type { Candidate } from "../selection/candidate.ts";
import type { Harvest, HarvestContext, SpanCollector } from "../span-collector.ts";

/** Bodies are read so far at their beginning and at their end, in UTF-16 code units; the middle of a huge one is data. */
const RESULT_HEAD = 20_000;
const RESULT_TAIL = 6_000;
const TEXT_HEAD = 32_000;
const TEXT_TAIL = 4_000;
/** No summary has room for more. */
const MAX_CANDIDATES = 4_000;

/** Finds paths, names, hashes and numbers in everything that was said and done, ranked by how likely they are to be needed again. */
export class IdentifierCollector implements SpanCollector {
  readonly #index = new IdentifierIndex();
  #firstUserPosition = -1;

  userSpeech({ text, place: { position } }: Speech): void {
    if (this.#firstUserPosition < 0) this.#firstUserPosition = position;
    this.#scan(text, IN_USER_TEXT, position, TEXT_HEAD, TEXT_TAIL);
  }

  agentSpeech({ text, place: { position } }: Speech): void {
    this.#scan(text, IN_AGENT_TEXT, position, TEXT_HEAD, TEXT_TAIL);
  }

  otherText(text: string, { position }: Place): void {
    this.#scan(text, IN_AGENT_TEXT, position, TEXT_HEAD, TEXT_TAIL);
  }

  call({ input, place }: CallReading): void {
    this.#scanJson(input, place.position);
  }

  result({ text, place }: ResultReading): void {
    this.#scan(text, IN_RESULT, place.position, RESULT_HEAD, RESULT_TAIL);
  }

  #scan(
    text: string,
    source: Parameters<IdentifierIndex["scan"]>[1],
    position: number,
    head: number,
    tail: number,
  ): void {
    if (text.length <= head + tail) return this.#index.scan(text, source, position);
    this.#index.scan(text.slice(0, head), source, position);
    this.#index.scan(text.slice(-tail), source, position);
  }

  #scanJson(value: JsonValue | undefined, position: number): void {
    if (typeof value === "string") this.#scan(value, IN_ARGUMENT, position, TEXT_HEAD, TEXT_TAIL);
    else if (typeof value === "number") this.#scan(String(value), IN_ARGUMENT, position, TEXT_HEAD, TEXT_TAIL);
    else if (typeof value === "object" && value !== null) {
      for (const item of Array.isArray(value) ? value : Object.values(value)) this.#scanJson(item, position);
    }
  }

  harvest({ messages }: HarvestContext): Harvest {
    const ranked = this.#index.entries
      .map((entry) => ({ entry, worth: identifierWorth(entry, messages, this.#firstUserPosition) }))
      .sort((a, b) => b.worth - a.worth || (a.entry.text < b.entry.text ? -1 : 1))
      .slice(0, MAX_CANDIDATES);
    return {
      candidates: ranked.map(({ entry, worth }): Candidate => {
        const message = messages[entry.lastPosition] as Message;
        return { section: "identifiers", item: { text: entry.text, sources: [message.id] }, worth };
      }),
    };
  }
}
