import { createHash } from "node:crypto";
import { type ArtifactId, canonicalJson, type ThreadId } from "@threadfold/core";

/** Where things of one tenant are kept. Whose they are and of which thread is not to be read off a key. */
export interface ArtifactKeys {
  /** The content's bytes. */
  content(artifactId: ArtifactId): string;
  /** What holds the versions of an artifact's metadata. */
  records(artifactId: ArtifactId): string;
  /** One version of an artifact's metadata, from 1. */
  record(artifactId: ArtifactId, version: number): string;
  /** What holds the places of a thread's artifacts. */
  places(threadId: ThreadId): string;
  /** An artifact's place among those of its thread: by time, then by a count. */
  place(threadId: ThreadId, atMs: number, count: number, artifactId: ArtifactId): string;
}

const ARTIFACT_ID = /^artifact_[0-9a-f]{24}$/;

/** True for ids that an artifact can have; all others name nothing, whatever path they would make. */
export const isArtifactId = (id: string): boolean => ARTIFACT_ID.test(id);

/** The artifact whose place a key is. */
export const artifactOfPlace = (key: string): ArtifactId => key.slice(key.lastIndexOf("-") + 1) as ArtifactId;

/** The keys of one tenant's artifacts. */
export function artifactKeys(tenantId: string | null): ArtifactKeys {
  const tenant = digest(["tenant", tenantId]);
  const fan = (artifactId: ArtifactId): string => `${artifactId.slice(-2)}/${artifactId}`;
  const records = (artifactId: ArtifactId): string => `${tenant}/records/${fan(artifactId)}/`;
  const places = (threadId: ThreadId): string => `${tenant}/threads/${digest(["thread", threadId])}/`;
  return {
    content: (artifactId) => `${tenant}/contents/${fan(artifactId)}`,
    records,
    record: (artifactId, version) => `${records(artifactId)}${padded(version, 10)}`,
    places,
    place: (threadId, atMs, count, artifactId) =>
      `${places(threadId)}${padded(Math.trunc(atMs), 16)}-${padded(count, 8)}-${artifactId}`,
  };
}

const digest = (value: readonly (string | null)[]): string =>
  createHash("sha256").update(canonicalJson(value)).digest("hex").slice(0, 32);

const padded = (number: number, digits: number): string => String(Math.max(0, number)).padStart(digits, "0");
