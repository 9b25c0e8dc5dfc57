import type { JsonObject } from "@threadfold/core";
import type { LiveFormat } from "@threadfold/importers";
import type { FrameFields, ModelResponse } from "@threadfold/session";

/** The providers that the proxy has an address for. */
export const PROVIDERS = ["anthropic", "openai"] as const;

export type Provider = (typeof PROVIDERS)[number];

/** A value as it came over the wire. */
export type WireObject = Readonly<Record<string, unknown>>;

/** What a request says besides its conversation. */
export interface RequestHead {
  readonly body: WireObject;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** An answer of the model. */
export interface ReadAnswer {
  /** The messages, or items, that the client would hand back with its next request. */
  readonly values: readonly unknown[];
  /** Its usage, and why it ended. */
  readonly report: Pick<ModelResponse, "usage" | "stopReason">;
}

/** Puts an answer together from the events of its stream. */
export interface StreamedAnswer {
  /** Takes the data of one event. */
  add(event: WireObject): void;
  /** The answer as the API gives it without a stream; undefined while it is not whole. */
  whole(): WireObject | undefined;
}

/** A refusal in a provider's own words, which agents know what to do about. */
export interface Refusal {
  readonly status: number;
  readonly body: JsonObject;
}

/** One API of a provider, as far as the proxy looks into its requests and answers. */
export interface ProviderApi {
  readonly provider: Provider;
  /** How the path of its requests ends. */
  readonly path: string;
  readonly format: LiveFormat;
  /** The whole conversation that a request carries; undefined when some of it is kept at the provider. */
  conversationOf(body: WireObject): readonly unknown[] | undefined;
  /** What comes with the conversation, for the count and for what is legal. */
  frameOf(head: RequestHead): FrameFields;
  /** The client's body with the conversation of a payload in the place of its own; all other fields stay. */
  withConversation(body: WireObject, payload: JsonObject): WireObject;
  streamedAnswer(): StreamedAnswer;
  /** Reads an answer as the API gives it without a stream; undefined when it is none. */
  answerOf(whole: WireObject): ReadAnswer | undefined;
  /** Refuses a request as too long, as the provider does. @param required, budget in tokens. */
  tooLong(required: number, budget: number, why: string): Refusal;
}
