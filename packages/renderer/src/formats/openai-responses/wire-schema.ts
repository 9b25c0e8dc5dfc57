import * as z from "@threadfold/core/schema";

/**
 * Request body of OpenAI's Responses API, as far as Threadfold writes it; everything else is accepted. Built lazily,
 * when a foreign body is first checked.
 */
export const openaiResponsesRequestSchema = z.lazy(() =>
  z.looseObject({
    instructions: z.string().nullish(),
    input: z.union([z.string(), z.array(itemSchema())]),
    tools: z.array(z.looseObject({ type: z.string() })).optional(),
    store: z.boolean().nullish(),
  }),
);

const inputContentSchema = () =>
  z.union([
    z.looseObject({ type: z.literal("input_text"), text: z.string() }),
    z.looseObject({ type: z.literal("input_image"), image_url: z.string().nullish(), file_id: z.string().nullish() }),
    z.looseObject({
      type: z.literal("input_file"),
      file_data: z.string().nullish(),
      file_url: z.string().nullish(),
      file_id: z.string().nullish(),
    }),
    z.looseObject({ type: z.literal("input_audio") }),
  ]);

const messageSchema = (inputContent: ReturnType<typeof inputContentSchema>) =>
  z.looseObject({
    type: z.literal("message").optional(),
    role: z.string(),
    content: z.union([
      z.string(),
      z.array(
        z.union([
          inputContent,
          z.looseObject({ type: z.literal("output_text"), text: z.string() }),
          z.looseObject({ type: z.literal("refusal"), refusal: z.string() }),
        ]),
      ),
    ]),
  });

/** Items of any other type (hosted tools, newer kinds) are accepted. */
const KNOWN = [
  "message",
  "reasoning",
  "function_call",
  "function_call_output",
  "custom_tool_call",
  "custom_tool_call_output",
  "compaction",
];

function itemSchema() {
  const inputContent = inputContentSchema();
  const output = z.union([z.string(), z.array(inputContent)]);
  const texts = z.array(z.looseObject({ text: z.string() }));
  return z.union([
    messageSchema(inputContent),
    z.looseObject({
      type: z.literal("reasoning"),
      summary: texts,
      content: texts.nullish(),
      encrypted_content: z.string().nullish(),
    }),
    z.looseObject({
      type: z.literal("function_call"),
      call_id: z.string(),
      name: z.string(),
      arguments: z.string(),
    }),
    z.looseObject({ type: z.literal("custom_tool_call"), call_id: z.string(), name: z.string(), input: z.string() }),
    z.looseObject({ type: z.literal("function_call_output"), call_id: z.string(), output }),
    z.looseObject({ type: z.literal("custom_tool_call_output"), call_id: z.string(), output }),
    z.looseObject({ type: z.literal("compaction"), encrypted_content: z.string() }),
    z.looseObject({
      type: z.string().refine((type) => !KNOWN.includes(type), "an item of a known type has the wrong shape"),
    }),
  ]);
}
