import {
  checkCalls,
  EventLoopTurns,
  type JsonValue,
  LongMap,
  type Message,
  type MessageId,
  type Steps,
  type SummarizeRequest,
  type SummarizeResult,
  type Summarizer,
  sourcedItems,
  ThreadfoldError,
} from "@threadfold/core";
import { redactJson } from "./redact-json.ts";
import { REDACTION_VERSION, redactSecrets } from "./redact-secrets.ts";

/**
 * Wraps a summarizer so that it never sees a secret. Messages, the previous summary, pins and instructions are redacted
 * before it is called, and its changes before they are returned. Ids and sources are kept, so the changes fit the
 * original thread. Error messages are redacted as well, because models and providers quote what they were sent.
 *
 * `by` says `redacted` only when something was redacted.
 *
 * @throws ThreadfoldError `INVALID_CONFIG` when it is no summarizer.
 */
export function redactingSummarizer(inner: Summarizer): Summarizer {
  checkCalls("inner", inner, ["summarize"]);
  return {
    id: `${inner.id} redacted`,
    identity: { summarizer: "redacting", version: REDACTION_VERSION, inner: inner.identity ?? inner.id },
    async summarize(request: SummarizeRequest): Promise<SummarizeResult> {
      const ids = await new EventLoopTurns().finish(idsOf(request), request.signal);
      const clean = await redactedRequest(request, ids);
      const result = await inner.summarize(clean).catch(async (error: unknown) => {
        throw await redactedError(error);
      });
      const changes = await redacted(result.changes, ids);
      const { by = inner.id, problem } = result;
      const touched = clean !== request || changes !== result.changes;
      return {
        ...result,
        changes,
        by: touched ? `${by} redacted` : by,
        ...(problem !== undefined && { problem: (await redactSecrets(problem)).text }),
      };
    },
  };
}

const NO_IDS: readonly MessageId[] = [];

/** Redacts a request; returns the same one when there is nothing to redact. */
async function redactedRequest(request: SummarizeRequest, ids: KnownIds): Promise<SummarizeRequest> {
  const { overlap, previous, pins, instructions, signal } = request;
  const messages = await redactedMessages(request.messages, ids, signal);
  // The span of a summary is left out: its list of ids may be as long as the thread.
  const span = previous === null ? null : { ...previous.span, messageIds: NO_IDS };
  const told = previous === null || span === null ? null : { ...previous, span };
  const texts = { overlap: overlap ?? null, previous: told, pins, instructions: instructions ?? null };
  const clean = await redacted(texts, ids);
  if (clean === texts) return messages === request.messages ? request : { ...request, messages };
  return {
    ...request,
    messages,
    previous: clean.previous === null || previous === null ? null : { ...clean.previous, span: previous.span },
    pins: clean.pins,
    ...(clean.overlap !== null && { overlap: clean.overlap }),
    ...(clean.instructions !== null && { instructions: clean.instructions }),
  };
}

/**
 * Redacts messages, some at a time, because all of a long span at once would hold up the event loop. Only a message with
 * a secret is copied; returns the same list when there is none.
 */
async function redactedMessages(
  messages: readonly Message[],
  ids: KnownIds,
  signal: AbortSignal | undefined,
): Promise<readonly Message[]> {
  const turns = new EventLoopTurns();
  let clean: Message[] | undefined;
  for (let from = 0; from < messages.length; from += AT_A_TIME) {
    const some = messages.slice(from, from + AT_A_TIME);
    const told = await redacted(some, ids);
    if (told !== some) {
      clean ??= [...messages];
      for (const [index, message] of told.entries()) clean[from + index] = message;
    }
    await turns.take();
    signal?.throwIfAborted();
  }
  return clean ?? messages;
}

/**
 * Redacts an error's message and keeps the original as its cause, for debugging. Unchanged when it contains no secret.
 */
async function redactedError(error: unknown): Promise<unknown> {
  if (!(error instanceof Error)) return error;
  const { text, kinds } = await redactSecrets(error.message);
  if (kinds.length === 0) return error;
  if (!ThreadfoldError.isInstance(error)) return new Error(text, { cause: error });
  const { hint, retryable, details } = error;
  return new ThreadfoldError(error.code, text, {
    hint: (await redactSecrets(hint)).text,
    retryable,
    details,
    cause: error,
  });
}

/** Messages that are redacted together, and whose ids are collected in one step. */
const AT_A_TIME = 1_024;

type KnownIds = Pick<ReadonlySet<string>, "has">;

/** The ids of a request's messages and items. They are never redacted, or the answer would not fit the thread. */
function* idsOf({ messages, overlap = [], previous, pins }: SummarizeRequest): Steps<KnownIds> {
  const ids = new LongMap<true>();
  for (const { id } of overlap) ids.set(id, true);
  for (const [index, { id }] of messages.entries()) {
    ids.set(id, true);
    if (index % AT_A_TIME === 0) yield;
  }
  for (const { id, sources } of previous === null ? [] : sourcedItems(previous))
    for (const known of [id, ...sources]) ids.set(known, true);
  for (const { source } of pins) if (source !== undefined) ids.set(source.messageId, true);
  return ids;
}

/** Messages, summaries and changes are pure JSON, although their types do not say so. */
const redacted = async <Value>(value: Value, ids: KnownIds): Promise<Value> =>
  (await redactJson(value as unknown as JsonValue, ids)) as unknown as Value;
