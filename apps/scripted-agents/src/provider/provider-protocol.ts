import type { FormatId } from "threadfold";
import type { ScriptedMove } from "../script/scripted-agent.ts";

/** Any JSON body. */
export type Body = Readonly<Record<string, unknown>>;

/** What an answer reports in addition to its content. */
interface AnswerFigures {
  readonly id: string;
  readonly inputTokens: number;
  readonly cachedTokens: number;
  readonly outputTokens: number;
  /** True when the output limit cuts the answer off, in the middle of its last call. */
  readonly cutOff: boolean;
  /** The model that answers. */
  readonly model: string;
  /** What the model thought before it answered, with its proof; absent if it does not think. */
  readonly thought?: Thought;
}

/** Reasoning as it is transmitted: its text, and the proof to the provider that it wrote it. */
export interface Thought {
  readonly text: string;
  readonly proof: string;
}

/** One turn of the model in a request. */
export interface SentStep {
  /** Index of the piece of the request that contains the step; what comes before it is its prefix. */
  readonly piece: number;
  /** Ids of its calls, as in the script. */
  readonly calls: readonly string[];
  readonly thoughts: readonly Thought[];
  /** True after the user's newest message, in the tool loop that is still open. */
  readonly isInOpenLoop: boolean;
}

/** How a provider's models think and accept their thoughts back. */
interface ReasoningProtocol {
  /** Checks whether the model thinks before it answers this request. */
  thinks(body: Body): boolean;
  /** Returns why the model refuses the requested way of thinking, in the provider's words; null if it does not. */
  refusalOf(body: Body): string | null;
  /** Returns the model's turns in a request, in order. */
  steps(body: Body): readonly SentStep[];
  /** Returns the request without any reasoning. */
  without(body: Body): Body;
  /** Checks whether the model accepts a thought only after the very prefix for which it was produced. */
  isBoundToPrefix(model: string): boolean;
}

/** An event of a streamed answer. */
export interface StreamEvent {
  readonly name?: string;
  readonly data: unknown;
}

/** Why a request is refused. */
export type Refusal =
  | { readonly kind: "illegal"; readonly message: string }
  | { readonly kind: "overflow"; readonly tokens: number; readonly limit: number }
  | { readonly kind: "rate-limit" }
  | { readonly kind: "server-error" };

/** A provider's API on the wire, as far as an agent loop uses it. */
export interface ProviderProtocol {
  readonly format: FormatId;
  /** Path of the endpoint, as called by the provider's SDK. */
  readonly path: string;
  /** The models that the agents run on, one run each: they differ in how they treat reasoning. */
  readonly models: readonly [string, ...string[]];
  /** Absent if reasoning never goes back. */
  readonly reasoning?: ReasoningProtocol;
  /** Returns a request piece by piece, in the order in which a prompt cache reads it, without cache marks. */
  pieces(body: Body): readonly string[];
  answer(move: ScriptedMove, figures: AnswerFigures): Body;
  /** Returns the same answer as the events of a stream. */
  stream(answer: Body): readonly StreamEvent[];
  refuse(refusal: Refusal): { readonly status: number; readonly body: Body };
}

/** Returns the JSON of a piece without the marks that only say where a cached prefix ends. */
export const withoutMarks = (piece: unknown): string =>
  JSON.stringify(piece, (key, value: unknown) => (key === "cache_control" ? undefined : value));
