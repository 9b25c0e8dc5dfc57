import * as z from "@threadfold/core/schema";

/**
 * Request body of OpenAI's Chat Completions API, as far as Threadfold writes it; everything else is accepted. Built
 * lazily, when a foreign body is first checked.
 */
export const openaiChatRequestSchema = z.lazy(() =>
  z.looseObject({
    messages: z.array(messageSchema()),
    tools: z.array(z.looseObject({ type: z.string() })).optional(),
  }),
);

const contentOf = <Part extends z.ZodType>(part: Part) => z.union([z.string(), z.array(part)]);

function messageSchema() {
  const text = z.looseObject({ type: z.literal("text"), text: z.string() });
  const refusal = z.looseObject({ type: z.literal("refusal"), refusal: z.string() });
  const userPart = z.union([
    text,
    z.looseObject({ type: z.literal("image_url"), image_url: z.looseObject({ url: z.string() }) }),
    z.looseObject({ type: z.literal("file"), file: z.looseObject({}) }),
    z.looseObject({ type: z.literal("input_audio"), input_audio: z.looseObject({}) }),
  ]);
  return z.discriminatedUnion("role", [
    z.looseObject({ role: z.literal("system"), content: contentOf(text) }),
    z.looseObject({ role: z.literal("developer"), content: contentOf(text) }),
    z.looseObject({ role: z.literal("user"), content: contentOf(userPart) }),
    z.looseObject({
      role: z.literal("assistant"),
      content: contentOf(z.union([text, refusal])).nullish(),
      tool_calls: z.array(callSchema()).optional(),
    }),
    z.looseObject({ role: z.literal("tool"), content: contentOf(text), tool_call_id: z.string() }),
    z.looseObject({ role: z.literal("function"), content: z.string().nullable(), name: z.string() }),
  ]);
}

const callSchema = () =>
  z.union([
    z.looseObject({
      id: z.string(),
      type: z.literal("function"),
      function: z.looseObject({ name: z.string(), arguments: z.string() }),
    }),
    z.looseObject({ id: z.string(), type: z.literal("custom"), custom: z.looseObject({}) }),
  ]);
