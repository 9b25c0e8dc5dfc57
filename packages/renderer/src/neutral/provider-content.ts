import type { JsonValue } from "@threadfold/core";
import * as z from "@threadfold/core/schema";

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
export const isProviderContent = (value: JsonValue): value is readonly JsonValue[] =>
  Array.isArray(value) &&
  value.some((block) => PROVIDER_BLOCK.safeParse(block).success) &&
  value.every((block) => TEXT_BLOCK.safeParse(block).success || PROVIDER_BLOCK.safeParse(block).success);
