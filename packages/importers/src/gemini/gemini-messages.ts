import type { JsonObject, SystemEntry, ToolDefinition, Usage } from "@threadfold/core";
import {
  countOf,
  type ForeignObject,
  listOf,
  nonEmptyText,
  objectOf,
  textOf,
  withoutUndefined,
} from "../reading/foreign-value.ts";
import type { SourcePointer } from "../reading/source-records.ts";
import type { SessionDraft } from "../session/session-draft.ts";
import { readTools } from "../session/shared-readers.ts";
import { geminiModelParts, geminiPart, geminiPartsOf, geminiUserTurn } from "./gemini-parts.ts";

/** The position of a `Content` in the source, and the id for its message. */
interface ContentPlace {
  readonly id: string;
  readonly at: SourcePointer;
}

/** Adds a `Content` of Gemini's API to a draft, with the usage and the model that accompany it in an answer. */
export function addGeminiContent(value: unknown, { id, at }: ContentPlace, draft: SessionDraft): void {
  const content = objectOf(value);
  if (content?.role === "model") addModelTurn(content, { id, at }, draft);
  else if (content?.role === "user" || (content !== undefined && content.role === undefined && "parts" in content))
    addUserTurn(content, { id, at }, draft);
  else draft.reportMalformed(at, "it is not a content with a known role");
}

function addModelTurn(content: ForeignObject, { id, at }: ContentPlace, draft: SessionDraft): void {
  const model = nonEmptyText(content.modelVersion);
  const usage = geminiUsage(content.usageMetadata);
  draft.add({
    id,
    role: "assistant",
    parts: geminiModelParts(content.parts, draft, at),
    source: at,
    ...(model !== undefined && { model }),
    ...(usage !== undefined && { usage }),
  });
}

function addUserTurn(content: ForeignObject, { id, at }: ContentPlace, draft: SessionDraft): void {
  const { results, rest } = geminiUserTurn(content.parts, draft, at);
  for (const [index, result] of results.entries())
    draft.add({ id: index === 0 ? id : `${id}.${index}`, role: "tool", parts: [result], source: at });
  if (results.length > 0 && rest.length === 0) return;
  draft.add({ id: results.length === 0 ? id : `${id}.rest`, role: "user", parts: rest, source: at });
}

/** Usage as the API reports it: candidate tokens exclude thoughts. */
function geminiUsage(value: unknown): Usage | undefined {
  const usage = objectOf(value);
  const inputTokens = countOf(usage?.promptTokenCount);
  if (usage === undefined || inputTokens === undefined) return undefined;
  const reasoningTokens = countOf(usage.thoughtsTokenCount);
  return withoutUndefined({
    inputTokens,
    outputTokens: (countOf(usage.candidatesTokenCount) ?? 0) + (reasoningTokens ?? 0),
    cacheReadTokens: countOf(usage.cachedContentTokenCount),
    reasoningTokens,
  });
}

/** Reads the `systemInstruction` of a request: a text, parts, or a `Content`. */
export function geminiSystem(value: unknown): readonly SystemEntry[] {
  const parts = objectOf(value)?.parts ?? value;
  return geminiPartsOf(parts).flatMap((part) => {
    const read = geminiPart(part);
    return read.type === "text" && read.text !== "" ? [read.text.toWellFormed()] : [];
  });
}

/** Reads the functions among the `tools` of a request. */
export function geminiTools(tools: unknown, draft: SessionDraft): readonly ToolDefinition[] {
  const declared = (listOf(tools) ?? []).flatMap((tool) => listOf(objectOf(tool)?.functionDeclarations) ?? []);
  return readTools(declared, draft, (tool): ToolDefinition | undefined => {
    const name = nonEmptyText(tool.name);
    if (name === undefined) return undefined;
    const description = textOf(tool.description);
    const schema = objectOf(tool.parametersJsonSchema) ?? objectOf(tool.parameters) ?? { type: "object" };
    return { name, ...(description !== undefined && { description }), inputSchema: schema as JsonObject };
  });
}

/** The contents of a chat, and the document around them; empty when there is none. */
interface FoundContents {
  readonly contents: readonly unknown[];
  readonly frame: ForeignObject;
  /** JSON Pointer to the list. */
  readonly path: string;
}

/** The fields of a document that may hold contents, the best first: others hold what was shown beside them. */
const CONTENT_LISTS = ["clientHistory", "history", "contents"];

/** Finds the contents in the body of a request, in a chat that Gemini CLI saved, or in a list of them alone. */
export function findContents(value: unknown): FoundContents | undefined {
  const bare = listOf(value);
  if (bare !== undefined) return bare.some(isModelContent) ? { contents: bare, frame: {}, path: "" } : undefined;
  const frame = objectOf(value);
  if (frame === undefined) return undefined;
  for (const field of CONTENT_LISTS) {
    const contents = listOf(frame[field]);
    if (contents?.some(isModelContent) || (field === "contents" && contents?.some(isContent)))
      return { contents, frame, path: `/${field}` };
  }
  return undefined;
}

/** Checks for a `Content`: unlike those of other formats, its parts have no types. */
function isContent(value: unknown): boolean {
  const content = objectOf(value);
  const parts = listOf(content?.parts);
  if (parts === undefined || (content?.role !== "user" && content?.role !== "model")) return false;
  return parts.every((part) => objectOf(part)?.type === undefined);
}

export const isModelContent = (value: unknown): boolean => objectOf(value)?.role === "model" && isContent(value);
