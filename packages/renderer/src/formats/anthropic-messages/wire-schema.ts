import * as z from "@threadfold/core/schema";

/**
 * Request body of Anthropic's Messages API, as far as Threadfold writes it; everything else is accepted. Built lazily,
 * when a foreign body is first checked.
 */
export const anthropicRequestSchema = z.lazy(() => {
  const text = textSchema();
  return z.looseObject({
    system: contentOf(text).optional(),
    messages: z.array(z.looseObject({ role: z.string(), content: contentOf(blockSchema(text)) })),
    tools: z.array(z.looseObject({ name: z.string(), description: z.string().optional() })).optional(),
  });
});

const contentOf = <Blocks extends z.ZodType>(blocks: Blocks) => z.union([z.string(), z.array(blocks)]);

const cacheControlSchema = () =>
  z.looseObject({ type: z.literal("ephemeral"), ttl: z.enum(["5m", "1h"]).optional() }).nullish();

const textSchema = () =>
  z.looseObject({ type: z.literal("text"), text: z.string(), cache_control: cacheControlSchema() });

const sourceSchema = () =>
  z.discriminatedUnion("type", [
    z.looseObject({ type: z.literal("base64"), media_type: z.string(), data: z.string() }),
    z.looseObject({ type: z.literal("url"), url: z.string() }),
    z.looseObject({ type: z.literal("file"), file_id: z.string() }),
    z.looseObject({ type: z.literal("text"), media_type: z.literal("text/plain"), data: z.string() }),
    z.looseObject({ type: z.literal("content"), content: z.unknown() }),
  ]);

/** Blocks of any other type (server tools, compaction) are accepted: newer models add kinds. */
const KNOWN = ["text", "image", "document", "thinking", "redacted_thinking", "tool_use", "tool_result"];

function blockSchema(text: ReturnType<typeof textSchema>) {
  const [cache_control, source] = [cacheControlSchema(), sourceSchema()];
  const image = z.looseObject({ type: z.literal("image"), source, cache_control });
  const document = z.looseObject({ type: z.literal("document"), source, title: z.string().nullish(), cache_control });
  const otherBlock = z.looseObject({
    type: z.string().refine((type) => !KNOWN.includes(type), "a block of a known type has the wrong shape"),
  });
  return z.union([
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
      cache_control,
    }),
    z.looseObject({
      type: z.literal("tool_result"),
      tool_use_id: z.string(),
      content: contentOf(z.union([text, image, document, otherBlock])).optional(),
      is_error: z.boolean().optional(),
      cache_control,
    }),
    otherBlock,
  ]);
}
