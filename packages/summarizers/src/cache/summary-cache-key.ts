import {
  digestOf,
  type JsonObject,
  STRUCTURED_SUMMARY_SCHEMA_VERSION,
  type StructuredSummary,
  SUMMARY_RENDER_VERSION,
  SUMMARY_SECTIONS,
  type SummarizeRequest,
} from "@threadfold/core";
import { spanDigest } from "./span-digest.ts";

/** What a cache key says beside the request itself (seed 002, `SummaryCacheKey`). */
export interface SummaryCacheScope {
  /** Entries of one tenant are never seen by another. */
  readonly tenantId: string | null;
  readonly policyVersion: string;
  /** Id of the summarizer whose results are kept. */
  readonly summarizer: string;
  /** The same in parts: model, prompt version, limits. Null for a summarizer that does not say. */
  readonly identity?: JsonObject | null;
}

/** Bump it when entries change their shape. */
export const SUMMARY_CACHE_VERSION = 3;

/** A text whose count tells one token counter from another, which a function cannot do by itself. */
const COUNTER_PROBE = 'The quick brown fox {"jumps": [1234567, "über"]}\n\tdef lazy_dog(): 数据 🐕';

/**
 * The key of a request: a digest over a structure, so that no separator inside a value can make two keys equal. Ids of
 * messages and absolute turns are not part of it.
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
    // The first request of a thread is its task, in whichever thread; one in the midst of a thread is not.
    opening: Math.min(request.span.firstTurn, 2),
    lastTurn: request.lastTurn ?? null,
    previous: request.previous === null ? null : contentOf(request.previous, request.span.firstTurn),
    pins: request.pins.map(({ text, authority }) => [text, authority]),
    maxTokens: request.maxTokens,
    counter: request.countTokens(COUNTER_PROBE),
    instructions: request.instructions ?? null,
  });
}

/** A summary without the ids of its thread's messages, but with how many each item names. */
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
