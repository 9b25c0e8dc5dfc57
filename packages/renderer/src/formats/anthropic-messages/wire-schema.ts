import { z } from "zod";

const cacheControl = z.looseObject({ type: z.literal("ephemeral"), ttl: z.enum(["5m", "1h"]).optional() }).nullish();
const text = z.looseObject({ type: z.literal("text"), text: z.string(), cache_control: cacheControl });

const source = z.discriminatedUnion("type", [
  z.looseObject({ type: z.literal("base64"), media_type: z.string(), data: z.string() }),
  z.looseObject({ type: z.literal("url"), url: z.string() }),
  z.looseObject({ type: z.literal("file"), file_id: z.string() }),
  z.looseObject({ type: z.literal("text"), media_type: z.literal("text/plain"), data: z.string() }),
  z.looseObject({ type: z.literal("content"), content: z.unknown() }),
]);
const image = z.looseObject({ type: z.literal("image"), source, cache_control: cacheControl });
const document = z.looseObject({
  type: z.literal("document"),
  source,
  title: z.string().nullish(),
  cache_control: cacheControl,
});

/** Blocks that this table does not know (server tools, compaction) are let through: newer models add kinds. */
const KNOWN = ["text", "image", "document", "thinking", "redacted_thinking", "tool_use", "tool_result"];
const otherBlock = z.looseObject({
  type: z.string().refine((type) => !KNOWN.includes(type), "a block of a known type has another shape"),
});

const contentOf = <Blocks extends z.ZodType>(blocks: Blocks) => z.union([z.string(), z.array(blocks)]);

const block = z.union([
  text,
  image,
  document,
  z.looseObject({ type: z.literal("thinking"), thinking: z.string(), signature: z.string() }),
  z.looseObject({ type: z.literal("redacted_thinking"), data: z.string() }),
  z.looseObject({
    type: z.literal("tool_use"),
    id: z.string(),
    name: z.string(),
    input: z.unknown(),
    cache_control: cacheControl,
  }),
  z.looseObject({
    type: z.literal("tool_result"),
    tool_use_id: z.string(),
    content: contentOf(z.union([text, image, document, otherBlock])).optional(),
    is_error: z.boolean().optional(),
    cache_control: cacheControl,
  }),
  otherBlock,
]);

/** Request body of Anthropic's Messages API, as far as Threadfold writes it; everything else is let through. */
export const anthropicRequestSchema = z.looseObject({
  system: contentOf(text).optional(),
  messages: z.array(z.looseObject({ role: z.string(), content: contentOf(block) })),
  tools: z.array(z.looseObject({ name: z.string(), description: z.string().optional() })).optional(),
});
