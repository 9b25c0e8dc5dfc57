import {
  type CallToolResult,
  type McpServer,
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  ResourceTemplate,
} from "@modelcontextprotocol/server";
import {
  type Artifact,
  type ArtifactId,
  type ArtifactMetadata,
  artifactIdSchema,
  type ThreadId,
  threadIdSchema,
} from "@threadfold/core";
import {
  artifactPageText,
  DEFAULT_PAGE,
  MAX_PAGE,
  READ_ARTIFACT_DEFINITION,
  READ_ARTIFACT_TOOL_NAME,
  type TextPage,
  textPage,
  truncateToTokens,
} from "@threadfold/rehydration";
import { z } from "zod";
import type { ServerHost } from "./thread-archive.ts";
import { failureOf, maxTokensField, READ_ONLY, report, ToolFailure, toolResult } from "./tool-call.ts";

const inputSchema = z.object({
  artifact_id: artifactIdSchema.describe("The id that the pointer names, such as artifact_0123456789abcdef."),
  offset: z.int().nonnegative().default(0).describe("Characters to skip."),
  limit: z.int().min(1).max(MAX_PAGE).default(DEFAULT_PAGE).describe("Characters to read."),
  max_tokens: maxTokensField,
});

const outputSchema = z.object({
  artifact_id: z.string(),
  thread_id: z.string(),
  media_type: z.string(),
  text: z.string().describe("The characters from start to end."),
  start: z.int(),
  end: z.int(),
  length: z.int().describe("Characters of the whole content."),
  next_offset: z.int().nullable().describe("Give it as offset to read on. Null at the end."),
});

/** Registers `read_artifact`, which reads externalized content of any sensitivity, within what the client may read. */
export function registerReadArtifact(server: McpServer, host: ServerHost): void {
  const { description } = READ_ARTIFACT_DEFINITION;
  const config = { title: "Read artifact", description, inputSchema, outputSchema, annotations: READ_ONLY };
  server.registerTool(READ_ARTIFACT_TOOL_NAME, config, (call) =>
    toolResult(
      READ_ARTIFACT_TOOL_NAME,
      async () => {
        const artifact = await host.archive.artifact(call.artifact_id);
        if (artifact === null) throw notFound();
        return pageResult(artifact, pageOf(artifact, call, host));
      },
      host,
    ),
  );
}

/** The page that a call asks for, shortened to its token limit. */
function pageOf(
  { content }: Artifact,
  { offset, limit, max_tokens: maxTokens }: z.infer<typeof inputSchema>,
  host: ServerHost,
): TextPage {
  const page = textPage(content, offset, limit);
  if (page === null) {
    throw new ToolFailure(
      "invalid-input",
      `The artifact has ${content.length} characters; offset ${offset} is beyond its end.`,
    );
  }
  const cut = truncateToTokens(page.text, maxTokens ?? host.maxTokens, host.countTokens, () => "");
  // The empty marker always fits.
  const text = cut?.text ?? "";
  return text === "" && page.text !== ""
    ? (textPage(content, page.start, 1) as TextPage)
    : { text, start: page.start, end: page.start + text.length };
}

function pageResult({ artifactId, content, metadata }: Artifact, { text, start, end }: TextPage): CallToolResult {
  const { threadId, mediaType, bytes } = metadata;
  const isWhole = start === 0 && end >= content.length;
  const shown = { type: "text" as const, text: artifactPageText(artifactId, content, { text, start, end }) };
  const nextOffset = end < content.length ? end : null;
  const structuredContent = {
    artifact_id: artifactId,
    thread_id: threadId,
    media_type: mediaType,
    text,
    start,
    end,
    length: content.length,
    next_offset: nextOffset,
  };
  if (isWhole) return { content: [shown], structuredContent };
  return {
    content: [
      shown,
      {
        type: "resource_link",
        uri: artifactUri({ threadId, artifactId }),
        name: artifactId,
        mimeType: mediaType,
        size: bytes,
        description: "The whole content of the artifact.",
        annotations: { audience: ["user"], priority: 0.3, lastModified: metadata.createdAt },
      },
    ],
    structuredContent,
  };
}

const notFound = (): ToolFailure =>
  new ToolFailure(
    "not-found",
    "There is no such artifact, or it may not be read; it may have expired. Copy the id from a pointer as it stands, list what is folded with list_folded, or look for the content with search_thread.",
  );

/** The URI template of artifacts among a server's resources (RFC 6570). */
export const ARTIFACT_URI_TEMPLATE = "threadfold://threads/{threadId}/artifacts/{artifactId}";

/** The thread and artifact that a resource's URI names. */
export interface ArtifactAddress {
  readonly threadId: ThreadId;
  readonly artifactId: ArtifactId;
}

/** Returns the URI of an artifact. */
export const artifactUri = ({ threadId, artifactId }: ArtifactAddress): string =>
  `threadfold://threads/${encodeURIComponent(threadId)}/artifacts/${artifactId}`;

/** Reads the template's variables from a URL; null when they do not name an artifact. */
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

/** Maximum size of content that is sent in one piece, in bytes of UTF-8: stdio clients read at most 10 MB at once. */
const MOST_BYTES = 4 * 1024 * 1024;

/**
 * Registers artifacts as resources, for an application to show or attach. They are not listed: their URIs come with the
 * results of tools. A client may cache one privately for as long as it is certain to be readable, and must not cache
 * sensitive ones at all.
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
    throw new ProtocolError(ProtocolErrorCode.InternalError, failureOf(error).message);
  }
}

/** How long a client may keep content, in milliseconds: never beyond its expiry, and sensitive content not at all. */
function cacheMs(
  { sensitivity, createdAt, ttlSeconds }: Pick<ArtifactMetadata, "sensitivity" | "createdAt" | "ttlSeconds">,
  { maxCacheMs, now }: Pick<ServerHost, "maxCacheMs" | "now">,
): number {
  if (sensitivity === "confidential" || sensitivity === "restricted") return 0;
  const left = ttlSeconds === null ? maxCacheMs : Date.parse(createdAt) + ttlSeconds * 1_000 - now();
  return Math.max(0, Math.floor(Math.min(maxCacheMs, left)));
}
