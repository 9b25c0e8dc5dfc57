import * as z from "@threadfold/core/schema";

/**
 * The prompt of an AI SDK call, as far as Threadfold writes it; everything else is accepted. Built lazily, when a
 * foreign prompt is first checked.
 */
export const aiSdkPromptSchema = z.lazy(() => {
  const systemMessage = z.looseObject({
    role: z.literal("system"),
    content: z.string(),
    providerOptions: optionsSchema(),
  });
  return z.looseObject({
    instructions: z.union([z.string(), systemMessage, z.array(systemMessage)]).optional(),
    messages: z.array(z.discriminatedUnion("role", [systemMessage, ...turnSchemas()])),
    tools: z.array(z.looseObject({ name: z.string() })).optional(),
  });
});

const optionsSchema = () => z.record(z.string(), z.looseObject({})).optional();

/** Schemas of user, assistant and tool messages. */
function turnSchemas() {
  const providerOptions = optionsSchema();
  const text = z.looseObject({ type: z.literal("text"), text: z.string(), providerOptions });
  // Bytes are base64 text or a URL; a file at the provider is named per provider. A URL object is not JSON.
  const bytes = z.union([z.string(), z.looseObject({})]);
  const file = z.looseObject({
    type: z.literal("file"),
    data: bytes,
    mediaType: z.string(),
    filename: z.string().optional(),
    providerOptions,
  });
  const image = z.looseObject({ type: z.literal("image"), image: bytes });
  const result = resultSchema(providerOptions);
  const approvalResponse = z.looseObject({
    type: z.literal("tool-approval-response"),
    approvalId: z.string(),
    approved: z.boolean(),
  });
  const assistantPart = z.union([text, file, result, ...assistantPartSchemas(providerOptions)]);
  return [
    z.looseObject({ role: z.literal("user"), content: z.union([z.string(), z.array(z.union([text, file, image]))]) }),
    z.looseObject({ role: z.literal("assistant"), content: z.union([z.string(), z.array(assistantPart)]) }),
    z.looseObject({ role: z.literal("tool"), content: z.array(z.union([result, approvalResponse])) }),
  ] as const;
}

const resultSchema = (providerOptions: ReturnType<typeof optionsSchema>) =>
  z.looseObject({
    type: z.literal("tool-result"),
    toolCallId: z.string(),
    toolName: z.string(),
    output: z.discriminatedUnion("type", [
      z.looseObject({ type: z.literal("text"), value: z.string() }),
      z.looseObject({ type: z.literal("error-text"), value: z.string() }),
      z.looseObject({ type: z.literal("json"), value: z.unknown() }),
      z.looseObject({ type: z.literal("error-json"), value: z.unknown() }),
      z.looseObject({ type: z.literal("execution-denied"), reason: z.string().optional() }),
      z.looseObject({ type: z.literal("content"), value: z.array(z.looseObject({ type: z.string() })) }),
    ]),
    providerOptions,
  });

/** Parts that only the model writes. */
const assistantPartSchemas = (providerOptions: ReturnType<typeof optionsSchema>) =>
  [
    z.looseObject({
      type: z.literal("tool-call"),
      toolCallId: z.string(),
      toolName: z.string(),
      input: z.unknown(),
      providerOptions,
    }),
    z.looseObject({ type: z.literal("tool-approval-request"), approvalId: z.string(), toolCallId: z.string() }),
    z.looseObject({ type: z.literal("reasoning"), text: z.string(), providerOptions }),
    z.looseObject({ type: z.literal("reasoning-file"), mediaType: z.string() }),
    z.looseObject({ type: z.literal("custom"), kind: z.string(), providerOptions }),
  ] as const;
