import type { JsonObject, MessageId, Part } from "@threadfold/core";
import type { DraftMessage, SessionDraft } from "../draft/session-draft.ts";
import { nonEmptyText, objectOf, textOf, withoutUndefined } from "../reading/foreign-value.ts";
import { isSynthetic, opencodePart } from "./opencode-parts.ts";
import type { OpencodeRow } from "./opencode-row.ts";
import type { OpencodeMessage } from "./opencode-session.ts";
import { type OpencodeTool, opencodeTool } from "./opencode-tool.ts";
import { opencodeUsage } from "./opencode-usage.ts";

/** Where a message goes: the draft, and the branch of what the user took back. */
export interface OpencodeTarget {
  readonly draft: SessionDraft;
  readonly branch: string | undefined;
}

/** A message of the user; its id. */
export function addUserMessage({ row, parts }: OpencodeMessage, { draft, branch }: OpencodeTarget): MessageId {
  const sent = parts.filter(({ data }) => opencodePart(data, "") !== undefined);
  const isHarness = sent.length > 0 && sent.every(({ data }) => isSynthetic(data));
  return draft.add({
    ...placeOf(row, branch),
    ...placesOf([row, ...parts]),
    role: "user",
    parts: sent.flatMap(({ data }) => opencodePart(data, "") ?? []),
    ...(isHarness && { origin: "harness" }),
  });
}

/** A message of the model: one assistant message for each step, with the results of its calls after it. The first id. */
export function addAssistantMessage(message: OpencodeMessage, target: OpencodeTarget): MessageId {
  const steps = stepsOf(message.parts);
  const ids = steps.map((parts, index) => addStep(message.row, parts, index, steps.length, target));
  return ids[0] as MessageId;
}

/** Parts of one call of the model each: a step begins with a part that says so. There is always one step. */
function stepsOf(parts: readonly OpencodeRow[]): readonly (readonly OpencodeRow[])[] {
  const steps: OpencodeRow[][] = [[]];
  for (const part of parts) {
    const isNext = part.data.type === "step-start" && steps.at(-1)?.some(({ data }) => data.type === "step-finish");
    if (isNext === true) steps.push([]);
    steps.at(-1)?.push(part);
  }
  return steps;
}

function addStep(
  row: OpencodeRow,
  parts: readonly OpencodeRow[],
  index: number,
  steps: number,
  { draft, branch }: OpencodeTarget,
): MessageId {
  const provider = nonEmptyText(row.data.providerID) ?? "opencode";
  const content: Part[] = [];
  const tools: { readonly row: OpencodeRow; readonly tool: OpencodeTool }[] = [];
  for (const part of parts) {
    const tool = part.data.type === "tool" ? opencodeTool(part, draft) : undefined;
    if (tool !== undefined) tools.push({ row: part, tool });
    const read = tool?.call ?? opencodePart(part.data, provider);
    if (read !== undefined) content.push(read);
  }
  const finish = parts.findLast(({ data }) => data.type === "step-finish")?.data;
  const usage = opencodeUsage(finish?.tokens) ?? (steps === 1 ? opencodeUsage(row.data.tokens) : undefined);
  const model = nonEmptyText(row.data.modelID);
  const first = index === 0 ? row : (parts[0] ?? row);
  const id = draft.add({
    ...placeOf(first, branch),
    ...placesOf(index === 0 ? [row, ...parts] : parts),
    role: "assistant",
    parts: content,
    ...(row.data.summary === true && { origin: "compaction" }),
    ...(model !== undefined && { model }),
    ...(usage && { usage }),
    notes: notesOf(row, textOf(finish?.reason)),
  });
  for (const { row: part, tool } of tools) addResult(part, tool, { draft, branch });
  return id;
}

/** The result of a call, which stands in the same part as the call. */
function addResult(row: OpencodeRow, { result, prunedAt }: OpencodeTool, { draft, branch }: OpencodeTarget): void {
  if (result === undefined) return;
  const place = placeOf(row, branch);
  draft.add({
    ...place,
    id: `${row.id ?? place.id}.result`,
    time: result.result.completedAt,
    role: "tool",
    parts: [result],
    ...(prunedAt !== undefined && { notes: { prunedAt } }),
  });
}

function notesOf({ data }: OpencodeRow, stepReason: string | undefined): JsonObject {
  const error = objectOf(data.error);
  return withoutUndefined<JsonObject>({
    provider: textOf(data.providerID),
    stopReason: stepReason ?? textOf(data.finish),
    errorMessage: textOf(objectOf(error?.data)?.message) ?? textOf(error?.name),
  } as JsonObject);
}

function placeOf(
  row: OpencodeRow,
  branch: string | undefined,
): Pick<DraftMessage, "id" | "time" | "source" | "branch"> {
  return {
    id: row.id ?? `opencode-${row.at.line}${row.at.path ?? ""}`,
    time: row.time,
    source: row.at,
    ...(branch !== undefined && { branch }),
  };
}

/** Rows on lines of their own are all named; in a document, the message's place covers its parts. */
function placesOf(rows: readonly OpencodeRow[]): Pick<DraftMessage, "sourceLines"> {
  return rows.length < 2 || rows[0]?.at.path !== undefined ? {} : { sourceLines: rows.map(({ at }) => at.line) };
}
