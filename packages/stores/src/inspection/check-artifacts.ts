import { artifactIdOf, type ThreadId } from "@threadfold/core";
import type { Problem } from "./store-finding.ts";
import type { StoredArtifact } from "./stored-rows.ts";

/** Checks that every artifact of a thread is the content that its id names. */
export async function checkArtifacts(
  threadId: ThreadId,
  rows: AsyncIterable<StoredArtifact>,
  isErased = false,
): Promise<Problem> {
  for await (const row of rows) {
    if (isErased && row.content === null) continue;
    const problem = artifactProblem(threadId, row);
    if (problem !== null) return { at: row.artifactId, problem };
  }
  return null;
}

function artifactProblem(threadId: ThreadId, { artifactId, tenantId, bytes, content }: StoredArtifact): string | null {
  if (content === null) return "its content is gone";
  if (artifactIdOf(threadId, tenantId, content) !== artifactId) return "its content does not match its id";
  return Buffer.byteLength(content) === bytes ? null : "its length is not the one on record";
}
