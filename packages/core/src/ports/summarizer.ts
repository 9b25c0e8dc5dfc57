import type { JsonObject } from "../json/json-value.ts";
import type { MessageId, ThreadId } from "../model/ids.ts";
import type { Message, Usage } from "../model/message.ts";
import type { StructuredSummary } from "../summary/structured-summary.ts";
import type { SummaryChange } from "../summary/summary-change.ts";
import type { AgentThread } from "../thread/agent-thread.ts";
import type { SpanReference } from "../thread/span-reference.ts";
import type { Pin } from "../thread/thread-entry.ts";

/** Turns a span into changes to a structured summary. It throws when it fails, and the caller then folds without it. */
export interface Summarizer {
  /** Name and version, as used in records and cache keys. Equal ids mean equal behaviour. */
  readonly id: string;
  /** The same in parts (model, prompt version, limits), so that cache keys need not be concatenated from text. */
  readonly identity?: JsonObject;
  summarize(request: SummarizeRequest): Promise<SummarizeResult>;
}

/**
 * Counts the requests that a summarizer sends to a model while it makes one summary, because those that fail, or whose
 * answer is not used, cost as well. A summarizer that reports to it reports every request.
 */
export interface ModelMeter {
  /** A request is being sent. Each try counts, also one that will fail. */
  asked(): void;
  /** A request was answered, and the answer says what it took. A try without an answer has no usage to report. */
  answered(usage: Usage): void;
}

/** The input of a summarizer. */
export interface SummarizeRequest {
  /** The thread that the span belongs to; needed by caches that keep summaries by thread or subject. */
  readonly threadId?: ThreadId;
  readonly span: SpanReference;
  /** The span's messages, in order, bodies included. */
  readonly messages: readonly Message[];
  /** Messages after the span that stay in the prompt: context for understanding the span, not to be summarized. */
  readonly overlap?: readonly Message[];
  /**
   * The state of the turn in which the span ends, as shown by the messages after the span: `running` while the agent is
   * still working on it, `ended` when it was answered or the user has moved on, `answered` when the span ends with an
   * answer of the agent that is not its last one. Absent when nothing follows the span: whatever is unanswered within
   * it is then unanswered altogether.
   */
  readonly lastTurn?: "running" | "answered" | "ended";
  /** The existing summary of what precedes the span, to build on and never repeat; null for a first fold. */
  readonly previous: StructuredSummary | null;
  /** Pins in force. They are rendered next to the summary, so it need not repeat them. */
  readonly pins: readonly Pin[];
  /** The most tokens that the rendered summary should take. */
  readonly maxTokens: number;
  readonly countTokens: (text: string) => number;
  /** What the user asked the summary to focus on. */
  readonly instructions?: string;
  /** Told of every request to a model; whoever wraps a summarizer passes it on. */
  readonly meter?: ModelMeter;
  readonly signal?: AbortSignal;
}

/** Returns the state of the last turn of a span that ends with message `end`; see {@link SummarizeRequest.lastTurn}. */
export function lastTurnAfter(thread: AgentThread, end: MessageId): SummarizeRequest["lastTurn"] {
  const last = thread.message(end);
  if (last === undefined) return undefined;
  const newest = firstOfMain(thread, thread.length - 1, last.ordinal);
  if (newest === undefined) return undefined;
  if (newest.turn === last.turn && !isAnswer(newest)) return "running";
  const next = isAnswer(last) ? firstOfMain(thread, last.ordinal + 1, thread.length) : undefined;
  return next?.turn === last.turn ? "answered" : "ended";
}

/** The first message from one ordinal towards another, which is left out, that is on no side branch. */
function firstOfMain(thread: AgentThread, from: number, to: number): Message | undefined {
  const step = from < to ? 1 : -1;
  for (let ordinal = from; ordinal !== to; ordinal += step) {
    const message = thread.messageAt(ordinal) as Message;
    if (message.branch === undefined) return message;
  }
  return undefined;
}

const isAnswer = ({ role, parts }: Message): boolean =>
  role === "assistant" && !parts.some(({ type }) => type === "tool-call");

/** Changes to the previous summary, and the usage of making them. */
export interface SummarizeResult {
  readonly changes: readonly SummaryChange[];
  readonly usage?: Usage;
  /** Set when an empty list of changes is intended: the span holds nothing worth summarizing. */
  readonly nothingToSay?: true;
  /** Set when the request's instructions made no difference to the changes. */
  readonly instructionsUnused?: true;
  /** Set when another summarizer stood in for one that failed: its id, and what went wrong with the first. */
  readonly by?: string;
  readonly problem?: string;
}

/**
 * Keeps cache entries beyond one process. Entries are opaque text; an entry that is lost or garbled is made again, so a
 * store may evict entries. Callers must ignore failures of `get` and `set`.
 */
export interface SummaryCacheStore {
  /** @param threadId the thread being summarized, for a store that seals by subject or finds entries by thread. */
  get(key: string, threadId?: ThreadId): Promise<string | null>;
  set(key: string, entry: string, threadId?: ThreadId): Promise<void>;
  /**
   * Deletes the entries of a thread, or of its subject if they are kept by subject, and returns how many there were.
   * Absent when entries cannot be found by thread.
   *
   * @throws ThreadfoldError `STORE_UNAVAILABLE` when it cannot be reached.
   */
  forget?(threadId: ThreadId): Promise<number>;
}
