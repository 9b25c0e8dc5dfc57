import type { JsonObject, MessageId, Part, Usage } from "@threadfold/core";
import { countOf, nonEmptyText, objectOf, textOf, withoutUndefined } from "../reading/foreign-value.ts";
import type { DraftMessage, SessionDraft } from "../session/session-draft.ts";
import {
  isKnownPart,
  isSummary,
  isSynthetic,
  type OpencodeTool,
  opencodePart,
  opencodeTool,
} from "./opencode-parts.ts";
import type { OpencodeMessage, OpencodeRow } from "./opencode-session.ts";

/** The draft that a message is added to, and the branch for undone messages. */
interface OpencodeTarget {
  readonly draft: SessionDraft;
  readonly branch: string | undefined;
}

/** Adds a message of the user or, from newer versions, of the system, or a summary. @returns its id. */
export function addUserMessage({ row, parts }: OpencodeMessage, { draft, branch }: OpencodeTarget): MessageId {
  const sent = parts.filter(({ data }) => opencodePart(data, "") !== undefined);
  for (const part of parts) if (!isKnownPart(part.data)) reportUnknown(part, draft);
  const isHarness = sent.length > 0 && sent.every(({ data }) => isSynthetic(data));
  return draft.add({
    ...placeOf(row, branch),
    ...placesOf([row, ...parts]),
    role: row.data.role === "system" ? "system" : "user",
    parts: sent.flatMap(({ data }) => opencodePart(data, "") ?? []),
    ...(isHarness && { origin: row.data.summary === true ? "compaction" : "harness" }),
  });
}

/**
 * Adds a message of the model: one assistant message for each step, with the results of its calls after it.
 *
 * @returns the id of the first.
 */
export function addAssistantMessage(message: OpencodeMessage, target: OpencodeTarget): MessageId {
  const steps = stepsOf(message.parts);
  const ids = steps.map((parts, index) =>
    addStep({ row: message.row, parts, index, isOnly: steps.length === 1 }, target),
  );
  return ids[0] as MessageId;
}

/** Splits parts into model calls: each step begins with a `step-start` part. There is always at least one step. */
function stepsOf(parts: readonly OpencodeRow[]): readonly (readonly OpencodeRow[])[] {
  const steps: OpencodeRow[][] = [[]];
  for (const part of parts) {
    const isNext = part.data.type === "step-start" && steps.at(-1)?.some(({ data }) => data.type === "step-finish");
    if (isNext === true) steps.push([]);
    steps.at(-1)?.push(part);
  }
  return steps;
}

/** One of the model calls in a message. */
interface Step {
  /** The row of the whole message. */
  readonly row: OpencodeRow;
  readonly parts: readonly OpencodeRow[];
  /** Position among the steps of the message, from 0. */
  readonly index: number;
  /** True when the message has no other step. */
  readonly isOnly: boolean;
}

function addStep({ row, parts, index, isOnly }: Step, { draft, branch }: OpencodeTarget): MessageId {
  const provider = nonEmptyText(row.data.providerID) ?? "opencode";
  const content: Part[] = [];
  const tools: { readonly row: OpencodeRow; readonly tool: OpencodeTool }[] = [];
  for (const part of parts) {
    const tool = part.data.type === "tool" ? opencodeTool(part, draft) : undefined;
    if (tool !== undefined) tools.push({ row: part, tool });
    const read = tool?.call ?? opencodePart(part.data, provider);
    if (read !== undefined) content.push(read);
    else if (!isKnownPart(part.data)) reportUnknown(part, draft);
  }
  const finish = parts.findLast(({ data }) => data.type === "step-finish")?.data;
  const usage = opencodeUsage(finish?.tokens) ?? (isOnly ? opencodeUsage(row.data.tokens) : undefined);
  const model = nonEmptyText(row.data.modelID);
  const first = index === 0 ? row : (parts[0] ?? row);
  const id = draft.add({
    ...placeOf(first, branch),
    ...placesOf(index === 0 ? [row, ...parts] : parts),
    role: "assistant",
    parts: content,
    ...(isSummary(row.data) && { origin: "compaction" }),
    ...(model !== undefined && { model }),
    ...(usage && { usage }),
    notes: notesOf(row, textOf(finish?.reason)),
  });
  for (const { row: part, tool } of tools) addResult(part, tool, { draft, branch });
  return id;
}

const reportUnknown = ({ data, at }: OpencodeRow, draft: SessionDraft): void =>
  draft.skipUnknown(`part/${textOf(data.type) ?? "other"}`, at);

/** Adds the result of a call, which is recorded in the same part as the call. */
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

/** Rows on separate lines are all listed; in a document, the message's pointer covers its parts. */
function placesOf(rows: readonly OpencodeRow[]): Pick<DraftMessage, "sourceLines"> {
  const lines = [...new Set(rows.map(({ at }) => at.line))];
  return lines.length < 2 || rows[0]?.at.path !== undefined ? {} : { sourceLines: lines };
}

/**
 * Converts usage as OpenCode writes it: `input` excludes tokens read from or written to the cache. `output` excludes
 * reasoning in versions of 2026 but not in earlier ones, so the output is derived from `total` when there is one. A
 * report of only zeros is ignored.
 */
function opencodeUsage(value: unknown): Usage | undefined {
  const tokens = objectOf(value);
  const cache = objectOf(tokens?.cache);
  const cacheReadTokens = countOf(cache?.read) ?? 0;
  const cacheWriteTokens = countOf(cache?.write) ?? 0;
  const reasoningTokens = countOf(tokens?.reasoning);
  const inputTokens = (countOf(tokens?.input) ?? 0) + cacheReadTokens + cacheWriteTokens;
  const total = countOf(tokens?.total);
  const outputTokens =
    total !== undefined && total >= inputTokens
      ? total - inputTokens
      : (countOf(tokens?.output) ?? 0) + (reasoningTokens ?? 0);
  if (inputTokens === 0 && outputTokens === 0) return undefined;
  return withoutUndefined({ inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, reasoningTokens } as Usage);
}
