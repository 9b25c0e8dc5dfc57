import type { JsonObject } from "../json/json-value.ts";
import type { MessageId, ThreadId } from "../model/ids.ts";
import type { Message, Usage } from "../model/message.ts";
import type { StructuredSummary } from "../summary/structured-summary.ts";
import type { SummaryChange } from "../summary/summary-change.ts";
import type { AgentThread } from "../thread/agent-thread.ts";
import type { SpanReference } from "../thread/span-reference.ts";
import type { Pin } from "../thread/thread-entry.ts";

/** Turns a span into changes of a structured summary. A failure is thrown; the caller then folds without it. */
export interface Summarizer {
  /** Name and version, as they go into records and cache keys. Equal ids mean equal behaviour. */
  readonly id: string;
  /** The same in parts (model, prompt version, limits), so that cache keys need not be joined from text. */
  readonly identity?: JsonObject;
  summarize(request: SummarizeRequest): Promise<SummarizeResult>;
}

/** What a summarizer gets to work on. */
export interface SummarizeRequest {
  /** The thread that the span is of, as caches that keep summaries by thread or subject need it. */
  readonly threadId?: ThreadId;
  readonly span: SpanReference;
  /** The span's messages, in order, bodies included. */
  readonly messages: readonly Message[];
  /** Messages after the span that stay in the prompt: to understand the span by, not to be summarized. */
  readonly overlap?: readonly Message[];
  /**
   * The state of the turn in which the span ends, as the messages behind the span show: `running` while the agent is at
   * work on it, `ended` when it was answered or the user has gone on. Absent when nothing stands behind the span: what
   * has no answer in it has none at all.
   */
  readonly lastTurn?: "running" | "ended";
  /** What is already summarized before this span, to be built on and never repeated; null for a first fold. */
  readonly previous: StructuredSummary | null;
  /** Pins that hold. They are rendered next to the summary, so it need not repeat them. */
  readonly pins: readonly Pin[];
  /** The rendered summary should take at most this many tokens. */
  readonly maxTokens: number;
  readonly countTokens: (text: string) => number;
  /** What the user asked the summary to look out for. */
  readonly instructions?: string;
  readonly signal?: AbortSignal;
}

/** The state of the last turn of a span that ends with a message of a thread: see {@link SummarizeRequest.lastTurn}. */
export function lastTurnAfter(thread: AgentThread, end: MessageId): SummarizeRequest["lastTurn"] {
  const last = thread.message(end);
  for (let ordinal = thread.length - 1; last !== undefined && ordinal > last.ordinal; ordinal--) {
    const message = thread.messageAt(ordinal) as Message;
    if (message.branch !== undefined) continue;
    const isClosing = message.role === "assistant" && !message.parts.some(({ type }) => type === "tool-call");
    return isClosing || message.turn > last.turn ? "ended" : "running";
  }
  return undefined;
}

/** Changes against the previous summary, and what they cost. */
export interface SummarizeResult {
  readonly changes: readonly SummaryChange[];
  readonly usage?: Usage;
  /** Set when empty changes are intended: the span holds nothing worth a word, which is not a failure. */
  readonly nothingToSay?: true;
  /** Set when the request's instructions made no difference to the changes. */
  readonly instructionsUnused?: true;
  /** Set when another summarizer stood in for one that failed: its id, and what was wrong with the one that was asked. */
  readonly by?: string;
  readonly problem?: string;
}

/**
 * Keeps cache entries beyond one process. Entries are opaque text; what is lost or garbled is made again, so a store may
 * forget. Failures of `get` and `set` are for the caller to ignore.
 */
export interface SummaryCacheStore {
  /** @param threadId the thread that is summarized, for a store that seals by subject or finds again what it kept of one. */
  get(key: string, threadId?: ThreadId): Promise<string | null>;
  set(key: string, entry: string, threadId?: ThreadId): Promise<void>;
  /**
   * Deletes what was kept for a thread, or for its subject where that is how it is kept, and returns how many entries
   * there were. Absent where entries cannot be found again.
   *
   * @throws ThreadfoldError `STORE_UNAVAILABLE` when it cannot be reached.
   */
  forget?(threadId: ThreadId): Promise<number>;
}
