import {
  type Artifact,
  type ArtifactId,
  type ArtifactStore,
  artifactIdSchema,
  isSealedText,
  type JsonValue,
  READ_ARTIFACT_TOOL_NAME,
  type SecurityContext,
  type ToolDefinition,
  type ToolOutcomeStatus,
} from "@threadfold/core";
import { type TextPage, textPage } from "./text-page.ts";

/** The default length of a page, in UTF-16 code units. */
export const DEFAULT_PAGE = 8_000;
/** The greatest length of a page, whatever the call asks for, in UTF-16 code units. */
export const MAX_PAGE = 40_000;

/** The definition of the `read_artifact` tool for the model. */
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

/** The result of a `read_artifact` call. `text` is what the model reads, also when there is a problem. */
export interface ReadArtifactResult {
  readonly outcome: ToolOutcomeStatus;
  readonly text: string;
  /** Why there is no content; null when there is. `sealed`: the store was opened without the keys of the content. */
  readonly problem: "invalid-input" | "not-found" | "sealed" | "offset-beyond-end" | null;
  /** Where the next page begins; null when this one is the last. */
  readonly nextOffset: number | null;
}

/** The tool definition for the model, and the function that executes a call. */
export interface ReadArtifactTool {
  readonly definition: ToolDefinition;
  execute(input: JsonValue): Promise<ReadArtifactResult>;
}

/**
 * Returns the `read_artifact` tool for a store, with which the model explicitly reads externalized content of any
 * sensitivity that the requester may read. Artifacts that expired, belong to another tenant or never existed are
 * indistinguishable. Of what is sealed, in a store that was opened without its keys, it shows nothing. If the store
 * fails, the call fails.
 *
 * @param isOwn tells whether an artifact from the store belongs to the user of the tool; by default, all do.
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
      if (isSealedText(artifact.content)) return sealed(page.artifactId);
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
  if (!artifactId.success) return invalid("artifact_id is not an artifact id; copy it exactly from the pointer.");
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

/** Content that begins like the heading of a page could pass for a page of another artifact. */
const LIKE_A_HEADING = /^\s*\[artifact_/i;

/**
 * Returns a page of an artifact as a model reads it: without a heading if it is the whole content, else with its range.
 */
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

const sealed = (artifactId: ArtifactId): ReadArtifactResult => ({
  outcome: "failure",
  text: `${artifactId} is sealed, and the key to it is not here: it cannot be read.`,
  problem: "sealed",
  nextOffset: null,
});

const notFound = (artifactId: ArtifactId): ReadArtifactResult => ({
  outcome: "failure",
  text: `There is no artifact ${artifactId}, or it may not be read. It may have expired.`,
  problem: "not-found",
  nextOffset: null,
});
