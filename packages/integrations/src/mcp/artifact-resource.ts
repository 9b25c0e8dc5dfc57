import {
  type McpServer,
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  ResourceTemplate,
} from "@modelcontextprotocol/server";
import type { Artifact, ArtifactMetadata } from "@threadfold/core";
import { ARTIFACT_URI_TEMPLATE, artifactAddress } from "./artifact-uri.ts";
import type { ServerHost } from "./server-host.ts";
import { report } from "./tool-failure.ts";

/** Larger content does not go out in one piece, in bytes of UTF-8: stdio clients read at most 10 MB at once. */
const MOST_BYTES = 4 * 1024 * 1024;

/**
 * Artifacts as resources, for an application to show or attach. They are not listed: their addresses come with the
 * results of tools. A client may keep one privately, for as long as it is sure to be readable, and sensitive ones not at all.
 */
export function registerArtifactResource(server: McpServer, host: ServerHost): void {
  const template = new ResourceTemplate(ARTIFACT_URI_TEMPLATE, { list: undefined });
  const config = {
    title: "Folded content",
    description: "Content that was moved out of a conversation, whole.",
    annotations: { audience: ["user" as const], priority: 0.3 },
    cacheHint: { ttlMs: 0, cacheScope: "private" as const },
  };
  server.registerResource("artifact", template, config, async (uri, variables) => {
    const artifact = await artifactAt(uri, variables, host);
    const { mediaType, createdAt } = artifact.metadata;
    const contents = [
      {
        uri: uri.toString(),
        mimeType: mediaType,
        text: artifact.content,
        _meta: { "threadfold/createdAt": createdAt },
      },
    ];
    return { contents, ttlMs: cacheMs(artifact.metadata, host), cacheScope: "private" as const };
  });
}

async function artifactAt(
  uri: URL,
  variables: Readonly<Record<string, string | string[]>>,
  { archive, onError }: ServerHost,
): Promise<Artifact> {
  const address = artifactAddress(variables);
  const artifact =
    address === null ? null : await reading(() => archive.artifact(address.artifactId, address.threadId), onError);
  if (artifact === null) throw new ResourceNotFoundError(uri.toString());
  if (artifact.metadata.bytes <= MOST_BYTES) return artifact;
  throw new ProtocolError(
    ProtocolErrorCode.InvalidParams,
    `The artifact has ${artifact.metadata.bytes} bytes, more than goes out in one piece. Read it in pages with the tool read_artifact.`,
  );
}

async function reading<Value>(read: () => Promise<Value>, onError: ServerHost["onError"]): Promise<Value> {
  try {
    return await read();
  } catch (error) {
    report(error, onError);
    throw new ProtocolError(ProtocolErrorCode.InternalError, "The store cannot be read just now. Try again later.");
  }
}

/** How long a client may keep content, in milliseconds: never beyond its expiry, and sensitive content not at all. */
export function cacheMs(
  { sensitivity, createdAt, ttlSeconds }: Pick<ArtifactMetadata, "sensitivity" | "createdAt" | "ttlSeconds">,
  { maxCacheMs, now }: Pick<ServerHost, "maxCacheMs" | "now">,
): number {
  if (sensitivity === "confidential" || sensitivity === "restricted") return 0;
  const left = ttlSeconds === null ? maxCacheMs : Date.parse(createdAt) + ttlSeconds * 1_000 - now();
  return Math.max(0, Math.floor(Math.min(maxCacheMs, left)));
}
