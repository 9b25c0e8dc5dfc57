import { type ArtifactId, artifactIdSchema, type ThreadId, threadIdSchema } from "@threadfold/core";

/** Where artifacts are among a server's resources (RFC 6570). */
export const ARTIFACT_URI_TEMPLATE = "threadfold://threads/{threadId}/artifacts/{artifactId}";

/** What a resource's address names. */
export interface ArtifactAddress {
  readonly threadId: ThreadId;
  readonly artifactId: ArtifactId;
}

/** The address of an artifact. */
export const artifactUri = ({ threadId, artifactId }: ArtifactAddress): string =>
  `threadfold://threads/${encodeURIComponent(threadId)}/artifacts/${artifactId}`;

/** Reads the variables of the template as a URL has them; null when they name no artifact. */
export function artifactAddress(variables: Readonly<Record<string, string | string[]>>): ArtifactAddress | null {
  const threadId = threadIdSchema.safeParse(decoded(variables["threadId"]));
  const artifactId = artifactIdSchema.safeParse(decoded(variables["artifactId"]));
  return threadId.success && artifactId.success ? { threadId: threadId.data, artifactId: artifactId.data } : null;
}

function decoded(value: string | string[] | undefined): string | null {
  try {
    return typeof value === "string" ? decodeURIComponent(value) : null;
  } catch {
    return null;
  }
}
