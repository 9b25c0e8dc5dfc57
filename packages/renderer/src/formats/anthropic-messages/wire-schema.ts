import * as z from "@threadfold/core/schema";
import { asList } from "../../legality/legality-rule.ts";

/**
 * Request body of Anthropic's Messages API, as far as Threadfold writes it; everything else is accepted. Built lazily,
 * when a foreign body is first checked.
 */
export const anthropicRequestSchema = z.lazy(() => {
  const text = textSchema();
  return z.looseObject({
    system: contentOf(text).optional(),
    messages: z.array(messageSchema(text)),
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

/**
 * The model may write blocks of any further type (server tools, compaction), because newer ones add kinds. The host
 * writes only what the API documents.
 */
function messageSchema(text: ReturnType<typeof textSchema>) {
  const message = z.looseObject({ role: z.string(), content: contentOf(blockSchema(text)).optional() });
  return message.superRefine(({ role, content }, context) => {
    for (const path of unknownTypes(role, content))
      context.addIssue({ code: "custom", path, message: "the API takes no block of this type here" });
  });
}

const IN_TURNS = ["search_result", "container_upload", "tool_addition", "tool_removal", "compaction"];
const IN_SYSTEM = ["text", "tool_addition", "tool_removal"];
const IN_RESULTS = ["text", "image", "document", "search_result", "tool_reference", "browser_state"];

/** Returns the paths of the types of blocks that only the host can have written, and that the API does not know. */
function unknownTypes(role: string, content: unknown): (string | number)[][] {
  return asList(content).flatMap((block, index) => {
    const { type, content: inside } = block as { readonly type: string; readonly content?: unknown };
    const isKnown = role === "assistant" || (role === "system" ? IN_SYSTEM : [...KNOWN, ...IN_TURNS]).includes(type);
    const inner = type === "tool_result" ? asList(inside) : [];
    const unknown = inner.flatMap((one, place) => (IN_RESULTS.includes((one as { type: string }).type) ? [] : [place]));
    const path = ["content", index];
    return [...(isKnown ? [] : [[...path, "type"]]), ...unknown.map((place) => [...path, "content", place, "type"])];
  });
}

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
