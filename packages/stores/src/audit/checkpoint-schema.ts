import { type Checkpoint, ThreadfoldError, threadIdSchema } from "@threadfold/core";
import { z } from "zod";

const digest = z.string().regex(/^[0-9a-f]{64}$/);
const count = z.int().nonnegative();

/** What a checkpoint has to be made of before anything in it is believed. */
export const checkpointSchema: z.ZodType<Checkpoint> = z.strictObject({
  threadId: threadIdSchema,
  size: count,
  rootHash: digest,
  at: z.string(),
  threadVersion: count,
  threadDigest: digest,
  planVersion: count,
  signature: z
    .strictObject({ algorithm: z.literal("Ed25519"), publicKey: z.string().max(1_000), value: z.string().max(1_000) })
    .optional(),
});

/** Reads a checkpoint that was kept as JSON. @throws ThreadfoldError `INVALID_JSON`. */
export function parseCheckpoint(text: string): Checkpoint {
  try {
    return checkpointSchema.parse(JSON.parse(text));
  } catch {
    throw new ThreadfoldError("INVALID_JSON", "The text is no checkpoint.", {
      hint: "Give the JSON that making a checkpoint printed.",
    });
  }
}
