import { z } from "zod";

const textPart = z.looseObject({ type: z.literal("text"), text: z.string() });
const userPart = z.union([
  textPart,
  z.looseObject({ type: z.literal("image_url"), image_url: z.looseObject({ url: z.string() }) }),
  z.looseObject({ type: z.literal("file"), file: z.looseObject({}) }),
  z.looseObject({ type: z.literal("input_audio"), input_audio: z.looseObject({}) }),
]);
const refusalPart = z.looseObject({ type: z.literal("refusal"), refusal: z.string() });

const functionCall = z.looseObject({
  id: z.string(),
  type: z.literal("function"),
  function: z.looseObject({ name: z.string(), arguments: z.string() }),
});
const customCall = z.looseObject({ id: z.string(), type: z.literal("custom"), custom: z.looseObject({}) });

const contentOf = <Part extends z.ZodType>(part: Part) => z.union([z.string(), z.array(part)]);

const message = z.discriminatedUnion("role", [
  z.looseObject({ role: z.literal("system"), content: contentOf(textPart) }),
  z.looseObject({ role: z.literal("developer"), content: contentOf(textPart) }),
  z.looseObject({ role: z.literal("user"), content: contentOf(userPart) }),
  z.looseObject({
    role: z.literal("assistant"),
    content: contentOf(z.union([textPart, refusalPart])).nullish(),
    tool_calls: z.array(z.union([functionCall, customCall])).optional(),
  }),
  z.looseObject({ role: z.literal("tool"), content: contentOf(textPart), tool_call_id: z.string() }),
  z.looseObject({ role: z.literal("function"), content: z.string().nullable(), name: z.string() }),
]);

/** Request body of OpenAI's Chat Completions API, as far as Threadfold writes it; everything else is let through. */
export const openaiChatRequestSchema = z.looseObject({
  messages: z.array(message),
  tools: z.array(z.looseObject({ type: z.string() })).optional(),
});
