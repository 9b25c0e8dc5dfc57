import type { JsonValue } from "@threadfold/core";
import * as z from "@threadfold/core/schema";

/** Blocks of a result for which the neutral model has no part: importers keep such a list unchanged. */
const PROVIDER_BLOCK = z.lazy(() =>
  z.union([
    z.looseObject({ type: z.literal("tool_reference"), tool_name: z.string() }),
    z.looseObject({
      type: z.literal("search_result"),
      source: z.string(),
      title: z.string(),
      content: z.array(z.looseObject({ type: z.literal("text"), text: z.string() })),
    }),
  ]),
);

const TEXT_BLOCK = z.lazy(() => z.strictObject({ type: z.literal("text"), text: z.string().regex(/\S/) }));

/** Checks for a list of such blocks, which may include texts: any other JSON is the tool's own and is sent as text. */
export const isProviderContent = (value: JsonValue): value is readonly JsonValue[] =>
  Array.isArray(value) &&
  value.some((block) => PROVIDER_BLOCK.safeParse(block).success) &&
  value.every((block) => TEXT_BLOCK.safeParse(block).success || PROVIDER_BLOCK.safeParse(block).success);
