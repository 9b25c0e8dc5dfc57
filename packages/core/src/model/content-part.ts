import { z } from "zod";
import { type JsonObject, jsonObjectSchema, textSchema } from "../json/json-value.ts";

/**
 * What one provider said about a part and no other provider understands (cache markers, citations, item ids), by
 * provider name. It travels with the part and comes back when the thread is rendered for that provider again.
 */
export type ProviderMetadata = Readonly<Record<string, JsonObject>>;

export const providerMetadataSchema: z.ZodType<ProviderMetadata> = z.record(textSchema, jsonObjectSchema);

/** Visible text. */
export interface TextPart {
  readonly type: "text";
  readonly text: string;
  readonly providerMetadata?: ProviderMetadata;
}

export const textPartSchema: z.ZodType<TextPart> = z.object({
  type: z.literal("text"),
  text: textSchema,
  providerMetadata: providerMetadataSchema.optional(),
});

/** Where the bytes of a picture or document are. */
export type MediaSource =
  | { readonly kind: "base64"; readonly mediaType: string; readonly data: string }
  | { readonly kind: "url"; readonly url: string; readonly mediaType?: string }
  | { readonly kind: "file-id"; readonly fileId: string; readonly mediaType?: string };

export const mediaSourceSchema: z.ZodType<MediaSource> = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("base64"), mediaType: textSchema, data: textSchema }),
  z.object({ kind: z.literal("url"), url: textSchema, mediaType: textSchema.optional() }),
  z.object({ kind: z.literal("file-id"), fileId: textSchema, mediaType: textSchema.optional() }),
]);

/** A picture (`image`) or any other document (`file`). */
export interface MediaPart {
  readonly type: "image" | "file";
  readonly source: MediaSource;
  readonly name?: string;
  readonly providerMetadata?: ProviderMetadata;
}

export const mediaPartSchema: z.ZodType<MediaPart> = z.object({
  type: z.enum(["image", "file"]),
  source: mediaSourceSchema,
  name: textSchema.optional(),
  providerMetadata: providerMetadataSchema.optional(),
});
