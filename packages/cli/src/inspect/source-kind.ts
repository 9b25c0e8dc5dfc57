import { closeSync, openSync, readSync } from "node:fs";
import { STANDARD_INPUT } from "../parse/options.ts";

/** What a path or an address names. */
export type SourceKind = "store" | "audit" | "file";

/** What every SQLite file begins with. */
const SQLITE = "SQLite format 3\0";
/** As much as is looked at: the first line of an audit file is far shorter. */
const BEGINNING = 4_096;

/** Says what a source is by how it begins. What cannot be read is a recorded session, whose importer says why it cannot. */
export function sourceKind(source: string): SourceKind {
  if (/^(?:postgres(?:ql)?|sqlite):/.test(source)) return "store";
  const text = source === STANDARD_INPUT ? "" : beginningOf(source);
  if (text.startsWith(SQLITE)) return "store";
  return text.startsWith("{") && text.split("\n")[0]?.includes('"format":"threadfold-audit"') ? "audit" : "file";
}

function beginningOf(path: string): string {
  const bytes = Buffer.alloc(BEGINNING);
  try {
    const file = openSync(path, "r");
    try {
      return bytes.toString("latin1", 0, readSync(file, bytes));
    } finally {
      closeSync(file);
    }
  } catch {
    return "";
  }
}
