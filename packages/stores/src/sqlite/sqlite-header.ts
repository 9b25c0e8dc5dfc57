/** Marks a file as a Threadfold store: "TFld" in the header's application id. */
export const APPLICATION_ID = 0x54_46_6c_64;

/** How much of a file has to be read to know what it is. */
export const HEADER_BYTES = 108;

const MAGIC = Buffer.from("SQLite format 3\0", "latin1");
const LEAF_TABLE_PAGE = 0x0d;

/** What the first bytes of a file say that it is. */
export type SqliteHeader =
  | { readonly kind: "empty" }
  | { readonly kind: "other" }
  | {
      readonly kind: "database";
      readonly applicationId: number;
      readonly userVersion: number;
      readonly hasTables: boolean;
    };

/**
 * Reads a file's kind from its first {@link HEADER_BYTES} bytes, without a database engine that might write to it
 * (SQLite file format, sections 1.3 and 1.6). Page 1 holds the schema: a leaf without cells means that there is no table.
 */
export function readSqliteHeader(start: Buffer): SqliteHeader {
  if (start.length === 0) return { kind: "empty" };
  if (start.length < HEADER_BYTES || !start.subarray(0, MAGIC.length).equals(MAGIC)) return { kind: "other" };
  return {
    kind: "database",
    userVersion: start.readInt32BE(60),
    applicationId: start.readInt32BE(68),
    hasTables: start[100] !== LEAF_TABLE_PAGE || start.readUInt16BE(103) > 0,
  };
}
