import type { JsonValue } from "../json/json-value.ts";
import type { MessageId } from "../model/ids.ts";
import { type DeterminismMetadata, hasDrifted } from "../model/part.ts";

/** A replayable tool result whose source must be checked before its body is cleared. */
export interface ReplayableResult {
  readonly messageId: MessageId;
  readonly toolName: string;
  /** The arguments of the call that the result answers; null when the thread has no such call. */
  readonly input: JsonValue;
  /** What the tool recorded about its source at call time. */
  readonly determinism: DeterminismMetadata;
}

/**
 * The result of checking the source. Unless it is `matches`, the body may not be cleared: the result counts as
 * non-replayable.
 */
export type ProbeVerdict = "matches" | "changed" | "unverifiable";

/**
 * Checks whether the source of a replayable result is still as it was at call time. A probe that throws or does not
 * finish in time counts as `unverifiable`.
 */
export interface DeterminismProbe {
  /** How long one check may take, in milliseconds; 2,000 by default. */
  readonly timeLimitMs?: number;
  probe(result: ReplayableResult, signal: AbortSignal): Promise<ProbeVerdict>;
}

/**
 * Compares what was recorded at call time with the current state: content hash, else etag, else modification time (see
 * `hasDrifted`). Returns `unverifiable` when the two sides have no field in common to compare.
 *
 * @param current null when the source is gone, which counts as a change.
 */
export function probeVerdict(captured: DeterminismMetadata, current: DeterminismMetadata | null): ProbeVerdict {
  if (current === null) return "changed";
  if (!hasDrifted(captured, current)) return "matches";
  return isComparable(captured, current) ? "changed" : "unverifiable";
}

function isComparable(captured: DeterminismMetadata, current: DeterminismMetadata): boolean {
  const both = (field: keyof DeterminismMetadata): boolean =>
    captured[field] !== undefined && current[field] !== undefined;
  return both("contentHash") || both("etag") || both("mtime");
}
