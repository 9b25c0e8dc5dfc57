import { z } from "zod";
import { textSchema } from "../json/json-value.ts";

/**
 * Whether the body of a tool result may be cleared (seed 002: "not all tool results are safe to clear").
 *
 * - `ephemeral`: may be cleared (listings, debug output).
 * - `anchoring`: may be cleared, but its key fields stay (ids, decisions).
 * - `replayable`: may be cleared while its determinism metadata still matches the source; otherwise it counts as
 *   `non_replayable`.
 * - `non_replayable`: is externalized or kept, never cleared (paid, rate-limited or time-sensitive results).
 *
 * It says nothing of the rungs that take an exchange out of the prompt whole: a summary or a drop may stand for results of
 * every class. Their records name each message, the thread still has its words, and a recall finds them.
 */
export const toolDurabilitySchema = z.enum(["ephemeral", "anchoring", "replayable", "non_replayable"]);
export type ToolDurability = z.infer<typeof toolDurabilitySchema>;

/** What to check before a replayable result is cleared: does the source still look as it did at call time? (seed 002) */
export interface DeterminismMetadata {
  /** Hash of the file or data at read time. */
  readonly contentHash?: string;
  /** HTTP entity tag of a remote resource. */
  readonly etag?: string;
  /** Modification time in milliseconds since the epoch. Verifies nothing without `version`. */
  readonly mtime?: number;
  /** Version of the API, schema or document. Verifies nothing without `mtime`. */
  readonly version?: string;
}

export const determinismMetadataSchema: z.ZodType<DeterminismMetadata> = z.object({
  contentHash: textSchema.optional(),
  etag: textSchema.optional(),
  mtime: z.number().optional(),
  version: textSchema.optional(),
});

/**
 * Says whether the source has drifted since the metadata was captured. A content hash decides alone, then an etag, then
 * modification time and version together. What cannot be verified counts as changed.
 */
export function hasDrifted(captured: DeterminismMetadata, current: DeterminismMetadata): boolean {
  if (captured.contentHash !== undefined && current.contentHash !== undefined) {
    return captured.contentHash !== current.contentHash;
  }
  if (captured.etag !== undefined && current.etag !== undefined) return captured.etag !== current.etag;
  const bothTimed = captured.mtime !== undefined && current.mtime !== undefined;
  const bothVersioned = captured.version !== undefined && current.version !== undefined;
  if (!bothTimed || !bothVersioned) return true;
  return captured.mtime !== current.mtime || captured.version !== current.version;
}
