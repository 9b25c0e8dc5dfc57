import {
  type JsonObject,
  type JsonValue,
  type ToolResultContent,
  type ToolResultPart,
  toolResultText,
} from "@threadfold/core";
import { z } from "zod";
import { withBlockFields } from "./block-fields.ts";
import { lowerMedia } from "./media.ts";
import { lowerText } from "./text.ts";

/** A result without a body has no content at all: blank text is refused. */
export function lowerToolResult({ result, providerMetadata }: ToolResultPart): JsonObject {
  const isFailed = result.outcome === "failure";
  const content = lowerContent(result.content, isFailed);
  const block = {
    type: "tool_result",
    tool_use_id: result.callId,
    ...(content.length > 0 && { content }),
    ...(isFailed && { is_error: true }),
  };
  return withBlockFields(block, "tool-result", providerMetadata);
}

/** A failed result holds text alone: blocks of the provider's own then go out as their JSON. */
function lowerContent(content: ToolResultContent, isFailed: boolean): string | readonly JsonValue[] {
  if (content.type === "blocks")
    return content.blocks.map((block) => (block.type === "text" ? lowerText(block) : lowerMedia(block)));
  if (content.type === "json" && !isFailed && isProviderContent(content.value)) return content.value;
  const text = toolResultText(content);
  return text.trim() === "" ? "" : text;
}

/** Blocks of a result that the neutral model has no part for: importers keep such a list as it stands. */
const PROVIDER_BLOCK = z.union([
  z.looseObject({ type: z.literal("tool_reference"), tool_name: z.string() }),
  z.looseObject({
    type: z.literal("search_result"),
    source: z.string(),
    title: z.string(),
    content: z.array(z.looseObject({ type: z.literal("text"), text: z.string() })),
  }),
]);

const TEXT_BLOCK = z.strictObject({ type: z.literal("text"), text: z.string().regex(/\S/) });

/** True for a list of such blocks, with texts among them: any other JSON is the tool's own and goes out as text. */
const isProviderContent = (value: JsonValue): value is readonly JsonValue[] =>
  Array.isArray(value) &&
  value.some((block) => PROVIDER_BLOCK.safeParse(block).success) &&
  value.every((block) => TEXT_BLOCK.safeParse(block).success || PROVIDER_BLOCK.safeParse(block).success);
