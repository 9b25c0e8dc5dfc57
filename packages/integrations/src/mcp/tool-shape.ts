import { z } from "zod";

/** No result takes more tokens than this, whatever a call asks for. */
export const MOST_RESULT_TOKENS = 40_000;

/** Every tool only reads, gives the same for the same call, and looks at nothing but the store. */
export const READ_ONLY = Object.freeze({
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
});

/** Which thread is meant, where several are served. */
export const threadIdField = z
  .string()
  .min(1)
  .max(512)
  .optional()
  .describe("Id of the thread. Leave it out when only one is served.");

/** Most tokens that the result may take. */
export const maxTokensField = z
  .int()
  .min(256)
  .max(MOST_RESULT_TOKENS)
  .optional()
  .describe("Most tokens that the result may take.");

/** Where the next page begins, as a call takes it back; null on the last page. */
export const nextCursorField = z
  .string()
  .nullable()
  .describe("Give it back as cursor for the next page. Null at the end.");

/** Reads a cursor that a page before this one gave: a whole number from 0. Null for anything else. */
export function cursorPlace(cursor: string | undefined, prefix: string): number | null {
  if (cursor === undefined) return 0;
  const digits = cursor.startsWith(prefix) ? cursor.slice(prefix.length) : "";
  return /^\d{1,9}$/.test(digits) ? Number(digits) : null;
}
