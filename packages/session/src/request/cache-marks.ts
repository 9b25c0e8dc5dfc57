import type { ChatRequest, JsonObject } from "@threadfold/core";
import type { ProviderFormat } from "@threadfold/renderer";
import type { SessionOptions } from "../session-options.ts";

/** Marks in each request of a session where its cached prefixes end, by what the request before it began with. */
export class CacheMarks {
  readonly #asked: SessionOptions["cacheBreakpoints"];
  /** The request before the next one: what both begin with is in the provider's cache. */
  #sent: ChatRequest | undefined;

  constructor(asked: SessionOptions["cacheBreakpoints"]) {
    this.#asked = asked;
  }

  /** The payload with its marks, where the host asked for them and provider and model take any. */
  mark(payload: JsonObject, request: ChatRequest, format: ProviderFormat, model: string | undefined): JsonObject {
    const asked = this.#asked;
    if (asked === undefined || asked === false || format.mark === undefined) return payload;
    const previous = this.#sent;
    this.#sent = request;
    return format.mark(payload, request, {
      ...(asked !== true && asked.ttl !== undefined && { ttl: asked.ttl }),
      ...(previous !== undefined && { previous }),
      ...(model !== undefined && { model }),
    });
  }
}
