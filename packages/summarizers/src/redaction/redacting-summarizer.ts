import {
  type JsonValue,
  SUMMARY_SECTIONS,
  type SummarizeRequest,
  type SummarizeResult,
  type Summarizer,
} from "@threadfold/core";
import { redactJson } from "./redact-json.ts";
import { REDACTION_VERSION } from "./redact-secrets.ts";

/**
 * A summarizer that never sees a secret: messages, the summary before, pins and instructions are redacted before it is
 * asked, and its changes before they are handed on. Ids and sources stay, so the changes fit the thread as it is.
 */
export function redactingSummarizer(inner: Summarizer): Summarizer {
  return {
    id: `${inner.id} redacted`,
    identity: { summarizer: "redacting", version: REDACTION_VERSION, inner: inner.identity ?? inner.id },
    async summarize(request: SummarizeRequest): Promise<SummarizeResult> {
      const { messages, overlap, previous, pins, instructions } = request;
      const ids = idsOf(request);
      const result = await inner.summarize({
        ...request,
        messages: await redacted(messages, ids),
        ...(overlap !== undefined && { overlap: await redacted(overlap, ids) }),
        previous: await redacted(previous, ids),
        pins: await redacted(pins, ids),
        ...(instructions !== undefined && { instructions: await redacted(instructions, ids) }),
      });
      return { ...result, changes: await redacted(result.changes, ids) };
    },
  };
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
