import { artifactIdOf, type JournalEntry, type RecordedArtifact, type ThreadId } from "@threadfold/core";
import type { StoredArtifact } from "../inspection/inspector.ts";
import { expiryOf, isStricter } from "../shared/artifacts.ts";
import type { Problem } from "./check-thread.ts";

/** The terms under which a row keeps an artifact. */
type KeptTerms = Pick<StoredArtifact, "createdAt" | "ttlSeconds" | "sensitivity" | "mediaType">;

/** The outcome of checking a thread's artifacts. */
export interface CheckedArtifacts {
  readonly problem: Problem;
  /** The terms of the artifacts before the first bad one, by id. */
  readonly kept: ReadonlyMap<string, KeptTerms>;
}

/** Checks that every artifact of a thread has the content that its id names. */
export async function checkArtifacts(
  threadId: ThreadId,
  rows: AsyncIterable<StoredArtifact>,
  isErased = false,
): Promise<CheckedArtifacts> {
  const kept = new Map<string, KeptTerms>();
  for await (const { artifactId, tenantId, bytes, content, ...terms } of rows) {
    const isGone = isErased && content === null;
    const problem = isGone ? null : contentProblem(threadId, { artifactId, tenantId, bytes, content });
    if (problem !== null) return { problem: { at: artifactId, problem }, kept };
    kept.set(artifactId, terms);
  }
  return { problem: null, kept };
}

function contentProblem(
  threadId: ThreadId,
  { artifactId, tenantId, bytes, content }: Pick<StoredArtifact, "artifactId" | "tenantId" | "bytes" | "content">,
): string | null {
  if (content === null) return "its content is missing";
  if (artifactIdOf(threadId, tenantId, content) !== artifactId) return "its content does not match its id";
  return Buffer.byteLength(content) === bytes ? null : "its length is not the one on record";
}

/**
 * Checks artifacts against what the journal recorded about them: that they exist until they expire, and under which
 * terms. No digest covers the terms, so only this shows that a restriction was lifted or a time to live extended.
 * Nothing is known about artifacts that were stored without a journal.
 *
 * @param nowMs the time of the check, in milliseconds since the epoch; artifacts that expired by then may be gone.
 */
export function checkArtifactsAgainstJournal(
  kept: ReadonlyMap<string, KeptTerms>,
  journal: readonly JournalEntry[],
  nowMs: number,
): Problem {
  const { named, recorded } = artifactsOf(journal);
  for (const [artifactId, terms] of recorded) {
    const found = kept.get(artifactId);
    const problem = found === undefined ? absence(terms, nowMs) : termsProblem(found, terms);
    if (problem !== null) return { at: artifactId, problem };
  }
  for (const [artifactId, sequence] of named)
    if (!recorded.has(artifactId) && !kept.has(artifactId))
      return { at: artifactId, problem: `it is missing: journal entry ${sequence} names it` };
  return null;
}

/** The recorded terms of one artifact, oldest first, each with the journal entry that states them. */
type Recorded = readonly { readonly sequence: number; readonly terms: RecordedArtifact }[];

/**
 * Returns the artifacts that a journal recorded, and those that its requests were rendered from, which never expire.
 */
function artifactsOf(journal: readonly JournalEntry[]) {
  const named = new Map<string, number>();
  const recorded = new Map<string, Recorded>();
  for (const { sequence, record } of journal) {
    if (record.type === "artifacts-stored")
      for (const terms of record.artifacts)
        recorded.set(terms.artifactId, [...(recorded.get(terms.artifactId) ?? []), { sequence, terms }]);
    if (record.type !== "request-rendered") continue;
    named.set(record.frame, sequence);
    for (const { content } of record.rehydrated) named.set(content, sequence);
  }
  return { named, recorded };
}

function absence(recorded: Recorded, nowMs: number): string | null {
  const { sequence } = recorded.at(-1) as Recorded[number];
  const hasExpired = recorded.every(({ terms }) => expiryOf(terms) <= nowMs);
  return hasExpired ? null : `it is missing: journal entry ${sequence} says that it was stored`;
}

/**
 * Storing again only ever extends and tightens the terms, so the longest and the strictest of all recorded terms apply,
 * in whichever order two writers recorded them.
 */
function termsProblem(kept: KeptTerms, recorded: Recorded): string | null {
  const all = recorded.map(({ terms }) => terms);
  const strictest = all.reduce((known, again) => (isStricter(again, known) ? again : known));
  if (kept.sensitivity !== strictest.sensitivity)
    return `its sensitivity is not the one in the journal, ${strictest.sensitivity}`;
  const longest = Math.max(...all.map(expiryOf));
  const isRecorded = all.some(
    (terms) =>
      expiryOf(terms) === longest && terms.createdAt === kept.createdAt && terms.ttlSeconds === kept.ttlSeconds,
  );
  if (!isRecorded) return "its time to live is not the one in the journal";
  return all.every(({ mediaType }) => mediaType === kept.mediaType)
    ? null
    : "its media type is not the one in the journal";
}
