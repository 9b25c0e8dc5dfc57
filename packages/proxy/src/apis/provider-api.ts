import type { JsonObject } from "@threadfold/core";
import type { LiveFormat } from "@threadfold/importers";
import type { FrameFields, ModelResponse } from "@threadfold/session";

/** The providers that the proxy supports. */
export const PROVIDERS = ["anthropic", "openai"] as const;

export type Provider = (typeof PROVIDERS)[number];

/** A JSON object as it came over the wire. */
export type WireObject = Readonly<Record<string, unknown>>;

/** The body and headers of a request. */
export interface RequestHead {
  readonly body: WireObject;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** An answer of the model that was read. */
export interface ReadAnswer {
  /** The messages, or items, that the client would send back with its next request. */
  readonly values: readonly unknown[];
  /** The usage of the answer, and why it ended. */
  readonly report: Pick<ModelResponse, "usage" | "stopReason">;
}

/** Assembles an answer from the events of its stream. */
export interface StreamedAnswer {
  /** Adds the data of one event. */
  add(event: WireObject): void;
  /** Returns the answer as the API returns it without streaming; undefined until it is complete. */
  whole(): WireObject | undefined;
}

/** A refusal in a provider's own words, which agents know how to handle. */
export interface Refusal {
  readonly status: number;
  readonly body: JsonObject;
}

/** One API of a provider: how the proxy reads and rewrites its requests and reads its answers. */
export interface ProviderApi {
  readonly provider: Provider;
  /** The end of the path of its requests. */
  readonly path: string;
  readonly format: LiveFormat;
  /** Returns the whole conversation in a request; undefined when part of it is stored at the provider. */
  conversationOf(body: WireObject): readonly unknown[] | undefined;
  /** Returns what a request has besides its conversation, for counting and for what is legal. */
  frameOf(head: RequestHead): FrameFields;
  /** Returns the client's body with its conversation replaced by that of a payload; unrelated fields stay. */
  withConversation(body: WireObject, payload: JsonObject): WireObject;
  streamedAnswer(): StreamedAnswer;
  /** Reads an answer in the form that the API returns without streaming; undefined when it is not an answer. */
  answerOf(whole: WireObject): ReadAnswer | undefined;
  /** Returns the provider's refusal of a request that is too long. `required` and `budget` are in tokens. */
  tooLong(required: number, budget: number, why: string): Refusal;
}
