import type { CallToolResult, McpServer } from "@modelcontextprotocol/server";
import { type Artifact, artifactIdSchema } from "@threadfold/core";
import {
  DEFAULT_PAGE,
  MAX_PAGE,
  READ_ARTIFACT_DEFINITION,
  READ_ARTIFACT_TOOL_NAME,
  type TextPage,
  textPage,
  truncateToTokens,
} from "@threadfold/rehydration";
import { z } from "zod";
import { artifactUri } from "./artifact-uri.ts";
import type { ServerHost } from "./server-host.ts";
import { ToolFailure, toolResult } from "./tool-failure.ts";
import { maxTokensField, READ_ONLY } from "./tool-shape.ts";

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

/** `read_artifact`: the explicit way to externalized content, of any sensitivity, within what the client may read. */
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

/** The characters that a call asks for, and no more of them than its tokens allow. */
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
  if (isWhole) return { content: [{ type: "text", text }], structuredContent };
  const more = nextOffset === null ? "this is the end" : `call read_artifact with offset ${nextOffset} for more`;
  const heading = `[${artifactId}: characters ${start} to ${end} of ${content.length}; ${more}]`;
  return {
    content: [
      { type: "text", text: `${heading}\n${text}` },
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
