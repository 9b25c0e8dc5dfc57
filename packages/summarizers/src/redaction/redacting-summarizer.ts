import {
  EventLoopTurns,
  type JsonValue,
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
 * A summarizer that never sees a secret: messages, the summary before, pins and instructions are redacted before it is
 * asked, and its changes before they are returned. Ids and sources stay, so the changes fit the thread as it is. What it
 * says of a failure is redacted as well, since models and providers quote what they were sent.
 *
 * `by` says `redacted` only when there was something to redact.
 */
export function redactingSummarizer(inner: Summarizer): Summarizer {
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

/** The same request when there was nothing to redact. */
async function redactedRequest(request: SummarizeRequest, ids: ReadonlySet<string>): Promise<SummarizeRequest> {
  const { messages, overlap, previous, pins, instructions } = request;
  // What a summary stands for is a list of ids, which may be as long as the thread.
  const span = previous === null ? null : { ...previous.span, messageIds: NO_IDS };
  const told = previous === null || span === null ? null : { ...previous, span };
  const texts = { messages, overlap: overlap ?? null, previous: told, pins, instructions: instructions ?? null };
  const clean = await redacted(texts, ids);
  if (clean === texts) return request;
  return {
    ...request,
    messages: clean.messages,
    previous: clean.previous === null || previous === null ? null : { ...clean.previous, span: previous.span },
    pins: clean.pins,
    ...(clean.overlap !== null && { overlap: clean.overlap }),
    ...(clean.instructions !== null && { instructions: clean.instructions }),
  };
}

/** The error as it was when its message holds no secret. The original stays as its cause, for whoever has to look into it. */
async function redactedError(error: unknown): Promise<unknown> {
  if (!(error instanceof Error)) return error;
  const { text, kinds } = await redactSecrets(error.message);
  if (kinds.length === 0) return error;
  if (!ThreadfoldError.isInstance(error)) return new Error(text, { cause: error });
  return new ThreadfoldError(error.code, text, { details: error.details, cause: error });
}

/** Messages whose ids are taken in one step: less than a millisecond. */
const AT_A_TIME = 1_024;

/** What a request calls its messages and items: never redacted, or its answer would fit nothing. */
function* idsOf({ messages, overlap = [], previous, pins }: SummarizeRequest): Steps<ReadonlySet<string>> {
  const ids = new Set<string>(overlap.map(({ id }) => id));
  for (const { id } of messages) {
    ids.add(id);
    if (ids.size % AT_A_TIME === 0) yield;
  }
  for (const { id, sources } of previous === null ? [] : sourcedItems(previous))
    for (const known of [id, ...sources]) ids.add(known);
  for (const { source } of pins) if (source !== undefined) ids.add(source.messageId);
  return ids;
}

/** Messages, summaries and changes are JSON throughout, which their types need not say. */
const redacted = async <Value>(value: Value, ids: ReadonlySet<string>): Promise<Value> =>
  (await redactJson(value as unknown as JsonValue, ids)) as unknown as Value;
