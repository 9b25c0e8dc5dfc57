import { type ForeignObject, nonEmptyText, objectOf, textOf } from "../reading/foreign-value.ts";
import { parseJson } from "../reading/parse-json.ts";
import type { SourcePointer } from "../source-pointer.ts";

/** One row of OpenCode's database, or the file of its storage folder that holds the same. */
export interface OpencodeRow {
  readonly table: string;
  readonly id: string | undefined;
  readonly sessionId: string | undefined;
  readonly messageId: string | undefined;
  /** What the row says. The database keeps it as JSON text in a column of its own. */
  readonly data: ForeignObject;
  readonly time: unknown;
  readonly at: SourcePointer;
}

/** How ids of storage files begin, and the table that holds the same. */
const TABLES: Readonly<Record<string, string>> = { ses_: "session", msg_: "message", prt_: "part" };

/** Reads a row. @returns undefined when the value is none. */
export function opencodeRow(value: unknown, at: SourcePointer): OpencodeRow | undefined {
  const fields = objectOf(value);
  const id = nonEmptyText(fields?.id);
  const table = textOf(fields?.table) ?? TABLES[id?.slice(0, 4) ?? ""];
  if (fields === undefined || table === undefined) return undefined;
  const data = dataOf(fields);
  if (data === undefined) return undefined;
  const sessionId = nonEmptyText(fields.session_id) ?? nonEmptyText(data.sessionID);
  return {
    table,
    id,
    sessionId: table === "session" ? id : sessionId,
    messageId: nonEmptyText(fields.message_id) ?? nonEmptyText(data.messageID),
    data,
    time: fields.time_created ?? objectOf(data.time)?.created,
    at,
  };
}

function dataOf(fields: ForeignObject): ForeignObject | undefined {
  const text = textOf(fields.data);
  if (text === undefined) return objectOf(fields.data) ?? fields;
  const parsed = parseJson(text);
  return parsed.ok ? objectOf(parsed.value) : undefined;
}
