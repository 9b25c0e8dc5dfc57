import { z } from "zod";
import { textSchema } from "../json/json-value.ts";
import { type MessageId, messageIdSchema, type PinId, pinIdSchema } from "../model/ids.ts";

/** Who stands behind an instruction, strongest first. Tool output and summaries have no authority at all. */
export const authoritySchema = z.enum(["system", "operator", "user"]);
export type Authority = z.infer<typeof authoritySchema>;

const RANK: Readonly<Record<Authority, number>> = { system: 3, operator: 2, user: 1 };

/** True when `actor` may lift what `owner` pinned: equal or higher authority only. */
export function mayLift(actor: Authority, owner: Authority): boolean {
  return RANK[actor] >= RANK[owner];
}

/** Where a pin's text comes from: a range of UTF-16 code units in the visible text of a message. */
export interface PinSource {
  readonly messageId: MessageId;
  readonly start: number;
  readonly end: number;
}

/** A text that stays in every rendering, word for word, until an entry of equal or higher authority lifts it. */
export interface Pin {
  readonly id: PinId;
  /** The verbatim text. */
  readonly text: string;
  readonly authority: Authority;
  /** What made it: an explicit call, a policy, or the detector of standing constraints. */
  readonly origin: "explicit" | "policy" | "detector";
  readonly source?: PinSource;
}

export const pinSourceSchema: z.ZodType<PinSource> = z.object({
  messageId: messageIdSchema,
  start: z.int().nonnegative(),
  end: z.int().nonnegative(),
});

export const pinSchema: z.ZodType<Pin> = z.object({
  id: pinIdSchema,
  text: textSchema.min(1),
  authority: authoritySchema,
  origin: z.enum(["explicit", "policy", "detector"]),
  source: pinSourceSchema.optional(),
});
