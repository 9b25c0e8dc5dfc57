import {
  canonicalJson,
  digestOf,
  type JsonObject,
  type Message,
  type Part,
  STRUCTURED_SUMMARY_SCHEMA_VERSION,
  type StructuredSummary,
  SUMMARY_RENDER_VERSION,
  SUMMARY_SECTIONS,
  type SummarizeRequest,
  sha256,
} from "@threadfold/core";

/** The parts of a cache key besides the request itself. */
export interface SummaryCacheScope {
  /** Entries of one tenant are never seen by another. */
  readonly tenantId: string | null;
  readonly policyVersion: string;
  /** Id of the summarizer whose results are cached. */
  readonly summarizer: string;
  /** The summarizer's identity in detail: model, prompt version, limits. Null for a summarizer without one. */
  readonly identity?: JsonObject | null;
}

/** Version of the entry format. Bump it when entries change their shape. */
export const SUMMARY_CACHE_VERSION = 3;

/** A text whose token count identifies the counter, because a function has no name to compare. */
const COUNTER_PROBE = 'The quick brown fox {"jumps": [1234567, "über"]}\n\tdef lazy_dog(): 数据 🐕';

/**
 * Returns the cache key of a request: a digest over a structure, so that no separator inside a value can make two keys
 * equal. Message ids and absolute turns are not part of it.
 */
export function summaryCacheKey(request: SummarizeRequest, scope: SummaryCacheScope): string {
  return digestOf({
    cacheVersion: SUMMARY_CACHE_VERSION,
    schemaVersion: STRUCTURED_SUMMARY_SCHEMA_VERSION,
    renderVersion: SUMMARY_RENDER_VERSION,
    tenantId: scope.tenantId,
    policyVersion: scope.policyVersion,
    summarizer: scope.summarizer,
    identity: scope.identity ?? null,
    content: spanDigest(request),
    overlap: request.overlap === undefined ? null : spanDigest({ messages: request.overlap, span: request.span }),
    // The first request of a thread is its task, in any thread; one in the middle of a thread is not.
    opening: Math.min(request.span.firstTurn, 2),
    lastTurn: request.lastTurn ?? null,
    previous: request.previous === null ? null : contentOf(request.previous, request.span.firstTurn),
    pins: request.pins.map(({ text, authority }) => [text, authority]),
    maxTokens: request.maxTokens,
    counter: request.countTokens(COUNTER_PROBE),
    instructions: request.instructions ?? null,
  });
}

/** A summary without the ids of its sources, but with the number of sources of each item. */
function contentOf(summary: StructuredSummary, firstTurn: number): unknown {
  const sections = SUMMARY_SECTIONS.map((section) =>
    summary[section].map(({ id: _id, sources, ...content }) => {
      const turn = "turn" in content ? { turn: (content.turn as number) - firstTurn } : {};
      return [{ ...content, ...turn }, sources.length];
    }),
  );
  const { originalTask, currentTask, currentPlan } = summary;
  return [sections, originalTask && [originalTask.text, originalTask.sources.length], currentTask, currentPlan];
}

const partDigests = new WeakMap<Part, string>();

/**
 * Digest of the content of a span, independent of its thread: roles, turns and steps counted from the span's start, and
 * parts without their ids. Spans with equal digests get equal summaries, apart from ids and turns. The digest of each
 * part is remembered, so that asking again costs nothing.
 */
function spanDigest({ messages, span }: Pick<SummarizeRequest, "messages" | "span">): string {
  const callNumbers = new Map<string, number>();
  const firstStep = messages[0]?.step ?? 0;
  const content = messages.map((message) => [
    message.role,
    message.origin ?? null,
    message.branch ?? null,
    message.turn - span.firstTurn,
    message.step - firstStep,
    message.parts.map((part) => [partDigest(part), callNumber(part, callNumbers)]),
  ]);
  return sha256(canonicalJson(content));
}

function partDigest(part: Part): string {
  let digest = partDigests.get(part);
  if (digest === undefined) {
    digest = sha256(canonicalJson(withoutIds(part)));
    partDigests.set(part, digest);
  }
  return digest;
}

function withoutIds(part: Part): unknown {
  switch (part.type) {
    case "tool-call": {
      const { callId: _callId, providerMetadata: _metadata, ...rest } = part;
      return rest;
    }
    case "tool-result": {
      const { callId: _callId, startedAt: _started, completedAt: _completed, ...result } = part.result;
      return { type: part.type, result };
    }
    case "opaque":
      return part;
    default: {
      const { providerMetadata: _metadata, ...rest } = part;
      return rest;
    }
  }
}

/** Number of the call that a part makes or answers, in order of first mention in the span. */
function callNumber(part: Part, numbers: Map<Message["id"] | string, number>): number | null {
  const id = part.type === "tool-call" ? part.callId : part.type === "tool-result" ? part.result.callId : null;
  if (id === null) return null;
  const known = numbers.get(id);
  if (known !== undefined) return known;
  numbers.set(id, numbers.size);
  return numbers.size - 1;
}
