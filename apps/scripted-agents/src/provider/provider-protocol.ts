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
