import type { FormatId } from "threadfold";
import type { ScriptedMove } from "../script/scripted-agent.ts";

/** Any JSON body. */
export type Body = Readonly<Record<string, unknown>>;

/** What an answer reports besides its content. */
interface AnswerFigures {
  readonly id: string;
  readonly inputTokens: number;
  readonly cachedTokens: number;
  readonly outputTokens: number;
  /** True when the output limit cuts off the answer, in the middle of its last call. */
  readonly cutOff: boolean;
  /** The model that answers. */
  readonly model: string;
  /** What the model thought before it answered, with the proof that it goes back with; absent where it does not think. */
  readonly thought?: Thought;
}

/** Reasoning as it travels: its text, and what proves to the provider that it wrote it. */
export interface Thought {
  readonly text: string;
  readonly proof: string;
}

/** One turn of the model in a request. */
export interface SentStep {
  /** The piece of the request that it stands in; what comes before it is its prefix. */
  readonly piece: number;
  /** Ids of its calls, as the script has them. */
  readonly calls: readonly string[];
  readonly thoughts: readonly Thought[];
  /** True behind the newest words of the user: in the tool loop that is still open. */
  readonly isInOpenLoop: boolean;
}

/** How a provider's models think and take their thoughts back. */
interface ReasoningProtocol {
  /** True when the model thinks before it answers this request. */
  thinks(body: Body): boolean;
  /** Why the model does not think the way that it is asked to, in the provider's words; null when it does. */
  refusalOf(body: Body): string | null;
  /** The model's turns in a request, in order. */
  steps(body: Body): readonly SentStep[];
  /** A request without any reasoning. */
  without(body: Body): Body;
  /** True when the model takes a thought back only behind the very prefix that it had when it was thought. */
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

/** How one provider's API looks on the wire, as far as an agent's loop meets it. */
export interface ProviderProtocol {
  readonly format: FormatId;
  /** Path of the endpoint, as its SDK calls it. */
  readonly path: string;
  /** The models that the agents run on, one run each: they differ in what becomes of reasoning. */
  readonly models: readonly [string, ...string[]];
  /** Absent where reasoning never goes back. */
  readonly reasoning?: ReasoningProtocol;
  /** A request piece by piece, in the order in which a prompt cache reads it, cache marks left out. */
  pieces(body: Body): readonly string[];
  answer(move: ScriptedMove, figures: AnswerFigures): Body;
  /** The same answer as the events of a stream. */
  stream(answer: Body): readonly StreamEvent[];
  refuse(refusal: Refusal): { readonly status: number; readonly body: Body };
}

/** JSON of a piece without the marks that only say where a cached prefix ends. */
export const withoutMarks = (piece: unknown): string =>
  JSON.stringify(piece, (key, value: unknown) => (key === "cache_control" ? undefined : value));
