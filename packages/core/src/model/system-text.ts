import { z } from "zod";
import { textSchema } from "../json/json-value.ts";
import { type ProviderMetadata, providerMetadataSchema } from "./content-part.ts";

/** A system text with what a provider tells beside it. A text with nothing beside it may be a plain string instead. */
export interface SystemText {
  readonly text: string;
  /** The role it is sent under where a provider has more than one; the format's own choice by default. */
  readonly role?: "system" | "developer";
  /** True when it stands in one message with the text before it, where a provider has messages for system text. */
  readonly continues?: true;
  /** Cache marks, names and whatever else only one provider understands. */
  readonly providerMetadata?: ProviderMetadata;
}

/** A system text of a request: a string, or a text with what a provider tells beside it. */
export type SystemEntry = string | SystemText;

export const systemEntrySchema: z.ZodType<SystemEntry> = z.union([
  textSchema,
  z.object({
    text: textSchema,
    role: z.enum(["system", "developer"]).optional(),
    continues: z.literal(true).optional(),
    providerMetadata: providerMetadataSchema.optional(),
  }),
]);

/** The words of a system text. */
export const systemText = (entry: SystemEntry): string => (typeof entry === "string" ? entry : entry.text);

/** A system text as an object, whichever way it was given. */
export const toSystemText = (entry: SystemEntry): SystemText => (typeof entry === "string" ? { text: entry } : entry);

/** A system text with other words and the same things beside it. */
export const withSystemText = (entry: SystemEntry, text: string): SystemEntry =>
  typeof entry === "string" ? text : { ...entry, text };
