import {
  type ArtifactId,
  type ArtifactStore,
  artifactIdSchema,
  type JsonValue,
  type SecurityContext,
  type ToolDefinition,
  type ToolOutcomeStatus,
} from "@threadfold/core";
import { DEFAULT_PAGE, MAX_PAGE, READ_ARTIFACT_DEFINITION } from "./read-artifact-definition.ts";

/** What a call of `read_artifact` came to. `text` is what the model is given, problems included. */
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
 */
export function readArtifactTool(store: ArtifactStore, requester?: SecurityContext): ReadArtifactTool {
  return Object.freeze({
    definition: READ_ARTIFACT_DEFINITION,
    execute: async (input: JsonValue): Promise<ReadArtifactResult> => {
      const page = pageOf(input);
      if ("problem" in page) return page;
      const artifact = await store.retrieve(page.artifactId, requester);
      return artifact === null ? notFound(page.artifactId) : readPage(artifact.content, page);
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
  if (offset > 0 && offset >= content.length) {
    const text = `${artifactId} has ${content.length} characters; there is nothing at offset ${offset}.`;
    return { outcome: "failure", text, problem: "offset-beyond-end", nextOffset: null };
  }
  const start = outsidePair(content, offset);
  const end = Math.max(start + 1, outsidePair(content, Math.min(content.length, start + limit)));
  const shown = content.slice(start, splitsPair(content, end) ? end + 1 : end);
  const next = start + shown.length;
  if (start === 0 && next >= content.length)
    return { outcome: "success", text: content, problem: null, nextOffset: null };
  const more = next < content.length ? `; call read_artifact with offset ${next} for more` : "; this is the end";
  return {
    outcome: "success",
    text: `[${artifactId}: characters ${start} to ${next} of ${content.length}${more}]\n${shown}`,
    problem: null,
    nextOffset: next < content.length ? next : null,
  };
}

/** An index that splits no surrogate pair: the given one or the one before it. */
const outsidePair = (text: string, index: number): number => (splitsPair(text, index) ? index - 1 : index);

function splitsPair(text: string, index: number): boolean {
  const code = text.charCodeAt(index);
  const before = text.charCodeAt(index - 1);
  return code >= 0xdc00 && code <= 0xdfff && before >= 0xd800 && before <= 0xdbff;
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
