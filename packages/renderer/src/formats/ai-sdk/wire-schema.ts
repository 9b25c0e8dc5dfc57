import { z } from "zod";

const options = z.record(z.string(), z.looseObject({})).optional();
const text = z.looseObject({ type: z.literal("text"), text: z.string(), providerOptions: options });
/** Bytes are base64 text or a URL; a file that is at the provider is named by provider. A URL object is not JSON. */
const file = z.looseObject({
  type: z.literal("file"),
  data: z.union([z.string(), z.looseObject({})]),
  mediaType: z.string(),
  filename: z.string().optional(),
  providerOptions: options,
});
const image = z.looseObject({ type: z.literal("image"), image: z.union([z.string(), z.looseObject({})]) });

const output = z.discriminatedUnion("type", [
  z.looseObject({ type: z.literal("text"), value: z.string() }),
  z.looseObject({ type: z.literal("error-text"), value: z.string() }),
  z.looseObject({ type: z.literal("json"), value: z.unknown() }),
  z.looseObject({ type: z.literal("error-json"), value: z.unknown() }),
  z.looseObject({ type: z.literal("execution-denied"), reason: z.string().optional() }),
  z.looseObject({ type: z.literal("content"), value: z.array(z.looseObject({ type: z.string() })) }),
]);
const result = z.looseObject({
  type: z.literal("tool-result"),
  toolCallId: z.string(),
  toolName: z.string(),
  output,
  providerOptions: options,
});
const call = z.looseObject({
  type: z.literal("tool-call"),
  toolCallId: z.string(),
  toolName: z.string(),
  input: z.unknown(),
  providerOptions: options,
});
const approvalRequest = z.looseObject({
  type: z.literal("tool-approval-request"),
  approvalId: z.string(),
  toolCallId: z.string(),
});
const approvalResponse = z.looseObject({
  type: z.literal("tool-approval-response"),
  approvalId: z.string(),
  approved: z.boolean(),
});

const assistantPart = z.union([
  text,
  file,
  call,
  result,
  approvalRequest,
  z.looseObject({ type: z.literal("reasoning"), text: z.string(), providerOptions: options }),
  z.looseObject({ type: z.literal("reasoning-file"), mediaType: z.string() }),
  z.looseObject({ type: z.literal("custom"), kind: z.string(), providerOptions: options }),
]);

const systemMessage = z.looseObject({ role: z.literal("system"), content: z.string(), providerOptions: options });
const message = z.discriminatedUnion("role", [
  systemMessage,
  z.looseObject({ role: z.literal("user"), content: z.union([z.string(), z.array(z.union([text, file, image]))]) }),
  z.looseObject({ role: z.literal("assistant"), content: z.union([z.string(), z.array(assistantPart)]) }),
  z.looseObject({ role: z.literal("tool"), content: z.array(z.union([result, approvalResponse])) }),
]);

/** The prompt of an AI SDK call, as far as Threadfold writes it; everything else is let through. */
export const aiSdkPromptSchema = z.looseObject({
  instructions: z.union([z.string(), systemMessage, z.array(systemMessage)]).optional(),
  messages: z.array(message),
  tools: z.array(z.looseObject({ name: z.string() })).optional(),
});
