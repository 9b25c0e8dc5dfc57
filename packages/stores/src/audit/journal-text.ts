import { parseJson } from "@threadfold/core";
import { z } from "zod";

/** A journal entry without its hash, as the text that was hashed says. */
export interface JournalText {
  readonly sequence: number;
  readonly threadId: string;
  readonly at: string;
  readonly previousHash: string;
  readonly record: Readonly<Record<string, unknown>>;
}

const schema = z.strictObject({
  sequence: z.int().positive(),
  threadId: z.string(),
  at: z.string(),
  previousHash: z.string(),
  record: z.record(z.string(), z.unknown()),
});

/** Reads the text of a journal entry; null when it is none. */
export function parseJournalText(text: string): JournalText | null {
  try {
    const parsed = schema.safeParse(parseJson(text));
    return parsed.success ? parsed.data : null;
  } catch {
    return null;
  }
}
