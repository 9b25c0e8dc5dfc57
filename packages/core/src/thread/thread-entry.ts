import { z } from "zod";
import { textSchema } from "../json/json-value.ts";
import { type PinId, pinIdSchema } from "../model/ids.ts";
import { type Message, type MessageInput, messageInputSchema, messageSchema } from "../model/message.ts";
import { type Authority, authoritySchema, type Pin, type PinSource, pinSchema, pinSourceSchema } from "./pin.ts";

/** An entry that makes a text stay in every rendering. */
export interface PinEntry {
  readonly type: "pin";
  readonly pin: Pin;
}

/** An entry that lifts a pin. The pin itself stays in the log. */
export interface PinLiftedEntry {
  readonly type: "pin-lifted";
  readonly pinId: PinId;
  readonly authority: Authority;
  readonly reason: string;
  /** Set where detection or a host's word on a candidate lifts it; absent when a host lifts a pin. */
  readonly why?: LiftedWhy;
  /** The message that says so. */
  readonly source?: PinSource;
}

/** Why a pin was lifted without a host's wish to be rid of a rule. */
export const liftedWhySchema = z.enum([
  /** Somebody with the authority for it took the rule back in a message. */
  "taken-back",
  /** Newer rules, or those of a higher authority, took the room that detected pins have. The rule itself was not taken back. */
  "no-room",
  /** A host said of a candidate that it is none. */
  "not-a-rule",
]);
export type LiftedWhy = z.infer<typeof liftedWhySchema>;

/** One line of the log. The log only grows: nothing in it is ever changed or removed. */
export type ThreadEntry = { readonly type: "message"; readonly message: Message } | PinEntry | PinLiftedEntry;

/** An entry as it is handed to `append`. */
export type ThreadEntryInput = { readonly type: "message"; readonly message: MessageInput } | PinEntry | PinLiftedEntry;

const pinEntrySchema = z.object({ type: z.literal("pin"), pin: pinSchema });
const pinLiftedEntrySchema = z.object({
  type: z.literal("pin-lifted"),
  pinId: pinIdSchema,
  authority: authoritySchema,
  reason: textSchema.min(1),
  why: liftedWhySchema.optional(),
  source: pinSourceSchema.optional(),
});

export const threadEntrySchema: z.ZodType<ThreadEntry> = z.discriminatedUnion("type", [
  z.object({ type: z.literal("message"), message: messageSchema }),
  pinEntrySchema,
  pinLiftedEntrySchema,
]);

export const threadEntryInputSchema: z.ZodType<ThreadEntryInput> = z.discriminatedUnion("type", [
  z.object({ type: z.literal("message"), message: messageInputSchema }),
  pinEntrySchema,
  pinLiftedEntrySchema,
]);
