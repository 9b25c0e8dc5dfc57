import { canonicalJson } from "../json/canonical-json.ts";
import { sha256 } from "../json/sha256.ts";
import { type ArtifactId, asArtifactId, type ThreadId } from "../model/ids.ts";

/** The id of a content in a thread: equal content has one id there, and an id tells nothing of another tenant's content. */
export function artifactIdOf(threadId: ThreadId, tenantId: string | null, content: string): ArtifactId {
  return asArtifactId(`artifact_${sha256(artifactIdPrefix(threadId, tenantId) + content).slice(0, 24)}`);
}

/** What is hashed before the content. */
export function artifactIdPrefix(threadId: ThreadId, tenantId: string | null): string {
  return `${canonicalJson([tenantId, threadId])}\n`;
}
