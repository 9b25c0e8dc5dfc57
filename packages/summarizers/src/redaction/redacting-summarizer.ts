import {
  type JsonValue,
  SUMMARY_SECTIONS,
  type SummarizeRequest,
  type SummarizeResult,
  type Summarizer,
  ThreadfoldError,
} from "@threadfold/core";
import { redactJson } from "./redact-json.ts";
import { REDACTION_VERSION, redactSecrets } from "./redact-secrets.ts";

/**
 * A summarizer that never sees a secret: messages, the summary before, pins and instructions are redacted before it is
 * asked, and its changes before they are handed on. Ids and sources stay, so the changes fit the thread as it is. What it
 * says of a failure is redacted as well, since models and providers quote what they were sent.
 *
 * `by` says `redacted` only when there was something to redact.
 */
export function redactingSummarizer(inner: Summarizer): Summarizer {
  return {
    id: `${inner.id} redacted`,
    identity: { summarizer: "redacting", version: REDACTION_VERSION, inner: inner.identity ?? inner.id },
    async summarize(request: SummarizeRequest): Promise<SummarizeResult> {
      const ids = idsOf(request);
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

/** The same request when there was nothing to redact. */
async function redactedRequest(request: SummarizeRequest, ids: ReadonlySet<string>): Promise<SummarizeRequest> {
  const { previous, pins, instructions } = request;
  const texts = { previous, pins, instructions: instructions ?? null };
  const clean = await redacted(texts, ids);
  const messages = await redactedMessages(request.messages, ids);
  const overlap = request.overlap === undefined ? undefined : await redactedMessages(request.overlap, ids);
  if (clean === texts && messages === request.messages && overlap === request.overlap) return request;
  return {
    ...request,
    messages,
    previous: clean.previous,
    pins: clean.pins,
    ...(overlap !== undefined && { overlap }),
    ...(clean.instructions !== null && { instructions: clean.instructions }),
  };
}

type Messages = SummarizeRequest["messages"];

/** Messages that were looked at, and what they are without secrets: a fold may ask for a span more than once. */
const seen = new WeakMap<Messages[number], Messages[number]>();

/** The same list when no message holds a secret. */
async function redactedMessages(messages: Messages, ids: ReadonlySet<string>): Promise<Messages> {
  const unseen = messages.filter((message) => !seen.has(message));
  const clean = await redacted(unseen, ids);
  for (const [index, message] of unseen.entries()) seen.set(message, clean[index] as Messages[number]);
  if (messages.every((message) => seen.get(message) === message)) return messages;
  return messages.map((message) => seen.get(message) as Messages[number]);
}

/** The error as it was when its message holds no secret. The original stays its cause, for who has to look into it. */
async function redactedError(error: unknown): Promise<unknown> {
  if (!(error instanceof Error)) return error;
  const { text, kinds } = await redactSecrets(error.message);
  if (kinds.length === 0) return error;
  if (!ThreadfoldError.isInstance(error)) return new Error(text, { cause: error });
  return new ThreadfoldError(error.code, text, { details: error.details, cause: error });
}

/** What a request calls its messages and items: never redacted, or its answer would fit nothing. */
function idsOf({ messages, overlap = [], previous }: SummarizeRequest): ReadonlySet<string> {
  const ids = new Set<string>([...messages, ...overlap].map(({ id }) => id));
  for (const section of previous === null ? [] : SUMMARY_SECTIONS)
    for (const { id, sources } of previous?.[section] ?? []) for (const known of [id, ...sources]) ids.add(known);
  for (const source of previous?.originalTask?.sources ?? []) ids.add(source);
  for (const id of previous?.span.messageIds ?? []) ids.add(id);
  return ids;
}

/** Messages, summaries and changes are JSON throughout, which their types need not say. */
const redacted = async <Value>(value: Value, ids: ReadonlySet<string>): Promise<Value> =>
  (await redactJson(value as unknown as JsonValue, ids)) as unknown as Value;
