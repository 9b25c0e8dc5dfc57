import { type ForeignObject, objectOf, textOf } from "../reading/foreign-value.ts";
import type { SourceRecord } from "../reading/source-records.ts";

/** One line of a rollout: what it is, and what it says. */
export interface CodexLine {
  readonly type: string;
  readonly payload: ForeignObject;
  readonly time: unknown;
  readonly line: number;
}

/**
 * Reads a line as `{timestamp, type, payload}`. The first rollouts had no such envelope: their lines were the items
 * themselves, after a header with the id of the session.
 *
 * @returns undefined when the record is no line of a rollout.
 */
export function codexLine({ value, line }: SourceRecord): CodexLine | undefined {
  const fields = objectOf(value);
  if (fields === undefined) return undefined;
  const time = fields.timestamp ?? fields.created_at;
  const type = textOf(fields.type);
  const payload = objectOf(fields.payload);
  if (payload !== undefined && type !== undefined) return { type, payload, time, line };
  if (textOf(fields.record_type) !== undefined) return { type: "state", payload: fields, time, line };
  if (type === undefined && fields.role === undefined) {
    return textOf(fields.id) === undefined ? undefined : { type: "session_meta", payload: fields, time, line };
  }
  return { type: "response_item", payload: fields, time, line };
}
