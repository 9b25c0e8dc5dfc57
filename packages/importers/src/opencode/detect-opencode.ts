import { objectOf, textOf } from "../reading/foreign-value.ts";
import type { SourceRecords } from "../reading/source-records.ts";
import { exportedMessages } from "./opencode-session.ts";

/** How many records are looked at. */
const SAMPLE = 50;

const ROWS: Readonly<Record<string, string>> = { session: "ses_", message: "msg_", part: "prt_" };

/** How sure it is that the source is a session of OpenCode: rows of its database, its storage files, or an export. */
export function detectOpencode({ records }: SourceRecords): number {
  if (records.length === 1 && exportedMessages(records[0]?.value) !== undefined) return 1;
  let sureness = 0;
  for (const { value } of records.slice(0, SAMPLE)) {
    const row = objectOf(value);
    const id = textOf(row?.id) ?? "";
    const table = textOf(row?.table) ?? "";
    if (ROWS[table] !== undefined && id !== "") return 1;
    if (isStorageFile(id, row ?? {})) sureness = 0.97;
  }
  return sureness;
}

/** A file of the storage folder: which kind it is, its id tells. */
function isStorageFile(id: string, row: Readonly<Record<string, unknown>>): boolean {
  if (id.startsWith("prt_")) return row.messageID !== undefined;
  if (id.startsWith("msg_")) return row.sessionID !== undefined && row.role !== undefined;
  return id.startsWith("ses_") && row.projectID !== undefined;
}
