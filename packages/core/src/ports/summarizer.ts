import type { SpanReference } from "../groups/span-reference.ts";
import type { Message, Usage } from "../model/message.ts";
import type { StructuredSummary } from "../summary/structured-summary.ts";
import type { SummaryChange } from "../summary/summary-change.ts";
import type { Pin } from "../thread/pin.ts";

/** What a summarizer gets to work on. */
export interface SummarizeRequest {
  readonly span: SpanReference;
  /** The span's messages, in order, bodies included. */
  readonly messages: readonly Message[];
  /** What is already summarized before this span, to be built on and never repeated; null for a first fold. */
  readonly previous: StructuredSummary | null;
  /** Pins that hold. They are rendered beside the summary, so it need not repeat them. */
  readonly pins: readonly Pin[];
  /** The rendered summary should take at most so many tokens. */
  readonly maxTokens: number;
  readonly countTokens: (text: string) => number;
  /** What the user asked the summary to look out for. */
  readonly instructions?: string;
  readonly signal?: AbortSignal;
}

/** Changes against the previous summary, and what they cost. */
export interface SummarizeResult {
  readonly changes: readonly SummaryChange[];
  readonly usage?: Usage;
}

/** Turns a span into changes of a structured summary. A failure is thrown; the caller then folds without it. */
export interface Summarizer {
  /** Name and version, as they go into records and cache keys. Equal ids mean equal behaviour. */
  readonly id: string;
  summarize(request: SummarizeRequest): Promise<SummarizeResult>;
}
