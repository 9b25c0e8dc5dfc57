import { type ForeignObject, listOf, nonEmptyText, objectOf, textOf } from "../reading/foreign-value.ts";
import type { SourceRecord } from "../reading/source-records.ts";
import { isHarnessText } from "./harness-text.ts";

/** A line of a Claude Code session. */
export interface ClaudeLine {
  readonly line: number;
  readonly type: string;
  readonly fields: ForeignObject;
  readonly uuid?: string;
  /** The line before this one in the conversation. A compaction starts a new chain and names the old one apart. */
  readonly parentUuid?: string;
  /** The message of `user` and `assistant` lines. */
  readonly message?: ForeignObject;
}

/** The record as a line, or undefined when it has no type. */
export function claudeLine({ line, value }: SourceRecord): ClaudeLine | undefined {
  const fields = objectOf(value);
  const type = textOf(fields?.type);
  if (fields === undefined || type === undefined) return undefined;
  const uuid = nonEmptyText(fields.uuid);
  const parentUuid = nonEmptyText(fields.parentUuid) ?? nonEmptyText(fields.logicalParentUuid);
  const message = objectOf(fields.message);
  return { line, type, fields, ...(uuid && { uuid }), ...(parentUuid && { parentUuid }), ...(message && { message }) };
}

/** True for a line that somebody typed: no tool result, no reminder, no summary. */
export function isTyped({ type, fields, message }: ClaudeLine): boolean {
  if (type !== "user" || fields.isMeta === true || fields.isSidechain === true || fields.isCompactSummary === true)
    return false;
  const content = message?.content;
  if (typeof content === "string") return !isHarnessText(content);
  const blocks = (listOf(content) ?? []).map(objectOf);
  if (blocks.some((block) => block?.type === "tool_result")) return false;
  return blocks.some((block) => block?.type === "text" && !isHarnessText(textOf(block.text) ?? ""));
}
