import { z } from "zod";

const part = z.looseObject({
  text: z.string().optional(),
  thought: z.boolean().optional(),
  thoughtSignature: z.string().optional(),
  functionCall: z.looseObject({ name: z.string(), id: z.string().optional() }).optional(),
  functionResponse: z.looseObject({ name: z.string(), id: z.string().optional() }).optional(),
  inlineData: z.looseObject({ mimeType: z.string(), data: z.string() }).optional(),
  fileData: z.looseObject({ fileUri: z.string() }).optional(),
});
const content = z.looseObject({ role: z.string().optional(), parts: z.array(part) });
const tools = z.array(z.looseObject({ functionDeclarations: z.array(z.looseObject({ name: z.string() })).optional() }));
const instruction = z.union([z.string(), z.looseObject({ parts: z.array(part) }), z.array(part)]);

/** Request body of Gemini's `generateContent`, as far as Threadfold writes it; everything else is let through. */
export const geminiRequestSchema = z.looseObject({
  systemInstruction: instruction.optional(),
  contents: z.union([z.string(), z.array(content)]),
  tools: tools.optional(),
  config: z.looseObject({ systemInstruction: instruction.optional(), tools: tools.optional() }).optional(),
});
