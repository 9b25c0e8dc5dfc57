import {
  type CacheCadence,
  type CacheTimes,
  type ChatRequest,
  cacheTimeFor,
  cadenceAfter,
  cadenceEpoch,
  cadenceOf,
  type JournalEntry,
  type JsonObject,
  type PromptCachePrice,
} from "@threadfold/core";
import type { BreakpointPlaces, ProviderFormat } from "@threadfold/renderer";
import type { SessionOptions } from "../host/session-options.ts";

type CacheTime = "5m" | "1h";

/** A request that is about to go out. */
export interface UnmarkedRequest {
  readonly payload: JsonObject;
  readonly request: ChatRequest;
  readonly format: ProviderFormat;
  readonly model: string | undefined;
  readonly planVersion: number;
  readonly tokens: number;
  /** When it goes out, in milliseconds since the epoch. */
  readonly at: number;
  readonly price: PromptCachePrice | undefined;
  /** How long prefixes can be cached; null when the provider offers no choice. */
  readonly times: CacheTimes | null;
  /** Requests of an earlier session, oldest first. */
  readonly before: readonly JournalEntry[];
}

/** A request with its cache breakpoints. */
export interface MarkedRequest {
  readonly payload: JsonObject;
  /** Where the breakpoints are; null when none were placed here. */
  readonly places: BreakpointPlaces | null;
  readonly time: CacheTime | null;
  /** The price row for writing and reading its prefixes; undefined when unknown. */
  readonly price: PromptCachePrice | undefined;
}

/** Sets the cache breakpoints of each request of a session, based on what it shares with the previous request. */
export class CacheMarks {
  readonly #asked: SessionOptions["cacheBreakpoints"];
  readonly #isAuto: boolean;
  /** The previous request: what the next one shares with it is in the provider's cache. */
  #sent: ChatRequest | undefined;
  #cadence: CacheCadence | undefined;

  constructor({ cacheBreakpoints, cachePolicy }: Pick<SessionOptions, "cacheBreakpoints" | "cachePolicy">) {
    this.#asked = cacheBreakpoints;
    this.#isAuto = cachePolicy === "auto";
  }

  /** Returns the payload with breakpoints, if the host asked for them and provider and model support them. */
  mark(unmarked: UnmarkedRequest): MarkedRequest {
    const { payload, request, format, model, price } = unmarked;
    const isAsked = this.#isAuto || (this.#asked !== undefined && this.#asked !== false);
    if (!isAsked || format.mark === undefined) return { payload, places: null, time: null, price };
    const previous = this.#sent;
    this.#sent = request;
    const { time, price: written } = this.#timeFor(unmarked);
    const cache = {
      ...(time !== null && { ttl: time }),
      ...(previous !== undefined && { previous }),
      ...(model !== undefined && { model }),
    };
    const places = format.places?.(request, cache) ?? null;
    return { payload: format.mark(payload, request, cache), places, time, price: written };
  }

  #timeFor(unmarked: UnmarkedRequest): Pick<MarkedRequest, "time" | "price"> {
    const { times, price } = unmarked;
    const asked = typeof this.#asked === "object" ? (this.#asked.ttl ?? null) : null;
    if (times === null) return { time: asked, price };
    if (!this.#isAuto) return { time: asked, price: asked === null ? price : rowOf(asked, times) };
    const { at, tokens, planVersion, model, before } = unmarked;
    const sent = { at, tokens, epoch: cadenceEpoch(planVersion, model) };
    const cadence = this.#cadence ?? cadenceOf(before, times);
    const chosen = cacheTimeFor(cadence, sent, times);
    this.#cadence = cadenceAfter(cadence, sent, times, chosen);
    return { time: chosen === times.long ? "1h" : "5m", price: chosen };
  }
}

const rowOf = (time: CacheTime, { short, long }: CacheTimes): PromptCachePrice => (time === "1h" ? long : short);
