import { type ForeignObject, nonEmptyText, objectOf, textOf } from "../reading/foreign-value.ts";
import type { SourceRecord } from "../reading/source-records.ts";

/** A line of a pi session. */
export interface PiEntry {
  readonly line: number;
  readonly type: string;
  readonly fields: ForeignObject;
  /** Set from version 2 on, where entries form a tree. */
  readonly id?: string;
  /** Null on the first entry; undefined before version 2. */
  readonly parentId?: string | null;
}

/** The record as an entry, or undefined when it has no type. */
export function piEntry({ line, value }: SourceRecord): PiEntry | undefined {
  const fields = objectOf(value);
  const type = textOf(fields?.type);
  if (fields === undefined || type === undefined) return undefined;
  const id = nonEmptyText(fields.id);
  const parentId = fields.parentId === null ? null : nonEmptyText(fields.parentId);
  return { line, type, fields, ...(id !== undefined && { id }), ...(parentId !== undefined && { parentId }) };
}
