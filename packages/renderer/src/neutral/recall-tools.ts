import {
  type ArtifactId,
  type Message,
  READ_ARTIFACT_TOOL_NAME,
  SEARCH_THREAD_TOOL_NAME,
  type ToolDefinition,
} from "@threadfold/core";
import { derivation } from "../input/derivation.ts";

/**
 * The tools that the model has for reading folded content. A prompt never tells it to call one that it does not have.
 */
export type RecallTools = "both" | "read-artifact" | "search-thread" | "none";

/** Returns which recall tools a request has. */
export function recallTools(tools: readonly ToolDefinition[]): RecallTools {
  const has = (tool: string): boolean => tools.some(({ name }) => name === tool);
  if (has(READ_ARTIFACT_TOOL_NAME)) return has(SEARCH_THREAD_TOOL_NAME) ? "both" : "read-artifact";
  return has(SEARCH_THREAD_TOOL_NAME) ? "search-thread" : "none";
}

/** Checks whether the model has a tool for reading artifacts. */
export const canReadArtifacts = (recall: RecallTools): boolean => recall === "both" || recall === "read-artifact";

const canSearchThread = (recall: RecallTools): boolean => recall === "both" || recall === "search-thread";

/** Says how to read an artifact back; empty if the model cannot. */
export const retrievalLines = (artifactId: ArtifactId, recall: RecallTools): readonly string[] =>
  canReadArtifacts(recall) ? [`To retrieve full content, call: ${READ_ARTIFACT_TOOL_NAME}("${artifactId}")`] : [];

/** Where the model can find a body: in the log, and in the artifact store unless that is null. */
export interface BodyPlace {
  readonly ordinal: Message["ordinal"];
  readonly artifactId: ArtifactId | null;
}

/** Says how to read a body from this character on; empty if the model cannot. */
export function readOnLines({ ordinal, artifactId }: BodyPlace, from: number, recall: RecallTools): readonly string[] {
  const how =
    artifactId !== null && canReadArtifacts(recall)
      ? `${READ_ARTIFACT_TOOL_NAME}("${artifactId}") with offset ${from}`
      : canSearchThread(recall)
        ? `${SEARCH_THREAD_TOOL_NAME} with message_id "#${ordinal}" and offset ${from}`
        : null;
  return how === null ? [] : [`To read what is left out, call: ${how}`];
}

/** Like {@link derivation}, for values that also depend on the request's recall tools. */
export function derivationByTools<Source extends object, Key, Derived>(
  derive: (source: Source, key: Key, recall: RecallTools) => Derived,
): (source: Source, key: Key, recall: RecallTools) => Derived {
  const by = (recall: RecallTools) => derivation((source: Source, key: Key) => derive(source, key, recall));
  const known = {
    both: by("both"),
    "read-artifact": by("read-artifact"),
    "search-thread": by("search-thread"),
    none: by("none"),
  };
  return (source, key, recall) => known[recall](source, key);
}
