import { textSchema } from "../json/json-value.ts";
import * as z from "../json/schema.ts";
import { type MessageId, messageIdSchema, type PinId, pinIdSchema } from "../model/ids.ts";
import { type Message, type MessageInput, messageInputSchema, messageSchema } from "../model/message.ts";

/** Whose authority an instruction has, strongest first. Tool output and summaries have no authority at all. */
export const authoritySchema = z.enum(["system", "operator", "user"]);
export type Authority = z.infer<typeof authoritySchema>;

const RANK: Readonly<Record<Authority, number>> = { system: 3, operator: 2, user: 1 };

/** True when `actor` may lift what `owner` pinned: it must have equal or higher authority. */
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
  /** The text to keep, word for word. */
  readonly text: string;
  readonly authority: Authority;
  /** What made it: an explicit call, a policy, or the detector of standing constraints. */
  readonly origin: "explicit" | "policy" | "detector";
  readonly source?: PinSource;
}

export const pinSourceSchema: z.ZodType<PinSource> = z.lazy(() =>
  z.object({
    messageId: messageIdSchema,
    start: z.int().nonnegative(),
    end: z.int().nonnegative(),
  }),
);

export const pinSchema: z.ZodType<Pin> = z.lazy(() =>
  z.object({
    id: pinIdSchema,
    text: textSchema.min(1),
    authority: authoritySchema,
    origin: z.enum(["explicit", "policy", "detector"]),
    source: pinSourceSchema.optional(),
  }),
);

/** An entry that adds a pin: from then on, its text stays in every rendering. */
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
  /** Set when detection lifts the pin or a host rejects a candidate; absent when a host lifts a pin. */
  readonly why?: LiftedWhy;
  /** The message, and the range in it, that lifts the pin. */
  readonly source?: PinSource;
}

/** Why a pin was lifted, if not because a host wanted to end the rule. */
export const liftedWhySchema = z.enum([
  /** Somebody with sufficient authority took the rule back in a message. */
  "taken-back",
  /** Rules that are newer or of a higher authority used up the cap on detected pins. Nobody took the rule back. */
  "no-room",
  /** A host said that a candidate is not a rule. */
  "not-a-rule",
]);
export type LiftedWhy = z.infer<typeof liftedWhySchema>;

/** One line of the log. The log only grows: nothing in it is ever changed or removed. */
export type ThreadEntry = { readonly type: "message"; readonly message: Message } | PinEntry | PinLiftedEntry;

/** An entry as it is passed to `append`. */
export type ThreadEntryInput = { readonly type: "message"; readonly message: MessageInput } | PinEntry | PinLiftedEntry;

const pinEntrySchemas = () =>
  [
    z.object({ type: z.literal("pin"), pin: pinSchema }),
    z.object({
      type: z.literal("pin-lifted"),
      pinId: pinIdSchema,
      authority: authoritySchema,
      reason: textSchema.min(1),
      why: liftedWhySchema.optional(),
      source: pinSourceSchema.optional(),
    }),
  ] as const;

export const threadEntrySchema: z.ZodType<ThreadEntry> = z.lazy(() =>
  z.discriminatedUnion("type", [
    z.object({ type: z.literal("message"), message: messageSchema }),
    ...pinEntrySchemas(),
  ]),
);

export const threadEntryInputSchema: z.ZodType<ThreadEntryInput> = z.lazy(() =>
  z.discriminatedUnion("type", [
    z.object({ type: z.literal("message"), message: messageInputSchema }),
    ...pinEntrySchemas(),
  ]),
);

/** Facts about an entry that stay true because entries are frozen. */
export interface KnownForm {
  /** True for an entry that a `ThreadAddition` made and therefore checked. */
  readonly isChecked: boolean;
  /** True when its canonical JSON is what `JSON.stringify` returns, which is several times faster. */
  readonly stringifies: boolean;
  /** SHA-256 of its canonical JSON; undefined until somebody asks for it. */
  digest: string | undefined;
}

/** One map for all these facts: an entry in a weak map costs the garbage collector more than the facts themselves. */
export const knownForms = new WeakMap<ThreadEntry, KnownForm>();
