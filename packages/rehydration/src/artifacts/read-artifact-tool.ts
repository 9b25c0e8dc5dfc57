import {
  type Artifact,
  type ArtifactId,
  type ArtifactStore,
  artifactIdSchema,
  type JsonValue,
  READ_ARTIFACT_TOOL_NAME,
  type SecurityContext,
  type ToolDefinition,
  type ToolOutcomeStatus,
} from "@threadfold/core";
import { type TextPage, textPage } from "./text-page.ts";

/** A page has this many characters when the call does not say. In UTF-16 code units. */
export const DEFAULT_PAGE = 8_000;
/** A page has at most this many characters, whatever the call says. */
export const MAX_PAGE = 40_000;

/** The tool as the model is told about it. */
export const READ_ARTIFACT_DEFINITION: ToolDefinition = Object.freeze({
  name: READ_ARTIFACT_TOOL_NAME,
  description:
    "Read content that was moved out of the conversation. Pointers in the conversation name its artifact_id. Long content comes in pages; the result says how to read on.",
  inputSchema: {
    type: "object",
    properties: {
      artifact_id: { type: "string", description: "The id that the pointer names, such as artifact_0123456789abcdef." },
      offset: { type: "integer", minimum: 0, description: "Characters to skip. 0 by default." },
      limit: {
        type: "integer",
        minimum: 1,
        maximum: MAX_PAGE,
        description: `Characters to read. ${DEFAULT_PAGE} by default.`,
      },
    },
    required: ["artifact_id"],
    additionalProperties: false,
  },
});

/** The result of a `read_artifact` call. `text` is what the model reads, problems included. */
export interface ReadArtifactResult {
  readonly outcome: ToolOutcomeStatus;
  readonly text: string;
  /** Why there is no content; null when there is. */
  readonly problem: "invalid-input" | "not-found" | "offset-beyond-end" | null;
  /** Where the next page begins; null when this one is the last. */
  readonly nextOffset: number | null;
}

/** The tool for the model, and what runs when it is called. */
export interface ReadArtifactTool {
  readonly definition: ToolDefinition;
  execute(input: JsonValue): Promise<ReadArtifactResult>;
}

/**
 * The `read_artifact` tool over a store: the explicit way to externalized content, of any sensitivity, within what the
 * requester may read. What is expired, of another tenant, or never was, all look alike. A failing store fails the call.
 *
 * @param isOwn says of an artifact that the store gives out whether it belongs to whom the tool is for; any does by default.
 */
export function readArtifactTool(
  store: ArtifactStore,
  requester?: SecurityContext,
  isOwn: (artifact: Artifact) => boolean | Promise<boolean> = () => true,
): ReadArtifactTool {
  return Object.freeze({
    definition: READ_ARTIFACT_DEFINITION,
    execute: async (input: JsonValue): Promise<ReadArtifactResult> => {
      const page = pageOf(input);
      if ("problem" in page) return page;
      const artifact = await store.retrieve(page.artifactId, requester);
      if (artifact === null || !(await isOwn(artifact))) return notFound(page.artifactId);
      return readPage(artifact.content, page);
    },
  });
}

interface Page {
  readonly artifactId: ArtifactId;
  readonly offset: number;
  readonly limit: number;
}

function pageOf(input: JsonValue): Page | ReadArtifactResult {
  if (typeof input !== "object" || input === null || Array.isArray(input))
    return invalid("The input is not an object.");
  const {
    artifact_id: id,
    offset = 0,
    limit = DEFAULT_PAGE,
  } = input as Readonly<Record<string, JsonValue | undefined>>;
  const artifactId = artifactIdSchema.safeParse(id);
  if (!artifactId.success) return invalid("artifact_id is not an artifact id; copy it from the pointer as it stands.");
  if (!isCount(offset, 0)) return invalid("offset is not a whole number of at least 0.");
  if (!isCount(limit, 1)) return invalid("limit is not a whole number of at least 1.");
  return { artifactId: artifactId.data, offset, limit: Math.min(limit, MAX_PAGE) };
}

const isCount = (value: JsonValue, least: number): value is number =>
  Number.isSafeInteger(value) && (value as number) >= least;

function readPage(content: string, { artifactId, offset, limit }: Page): ReadArtifactResult {
  const page = textPage(content, offset, limit);
  if (page === null) {
    const text = `${artifactId} has ${content.length} characters; there is nothing at offset ${offset}.`;
    return { outcome: "failure", text, problem: "offset-beyond-end", nextOffset: null };
  }
  return {
    outcome: "success",
    text: artifactPageText(artifactId, content, page),
    problem: null,
    nextOffset: page.end < content.length ? page.end : null,
  };
}

/** Content that begins as the heading of a page does would pass for a page, of whatever it says. */
const LIKE_A_HEADING = /^\s*\[artifact_/i;

/** A page of an artifact as a model reads it: under a heading that says where it stands, or alone when it is all there is. */
export function artifactPageText(artifactId: ArtifactId, content: string, { text, start, end }: TextPage): string {
  if (start === 0 && end >= content.length && !LIKE_A_HEADING.test(content)) return text;
  const more = end < content.length ? `call read_artifact with offset ${end} for more` : "this is the end";
  return `[${artifactId}: characters ${start} to ${end} of ${content.length}; ${more}]\n${text}`;
}

const invalid = (text: string): ReadArtifactResult => ({
  outcome: "failure",
  text,
  problem: "invalid-input",
  nextOffset: null,
});

const notFound = (artifactId: ArtifactId): ReadArtifactResult => ({
  outcome: "failure",
  text: `There is no artifact ${artifactId}, or it may not be read. It may have expired.`,
  problem: "not-found",
  nextOffset: null,
});
