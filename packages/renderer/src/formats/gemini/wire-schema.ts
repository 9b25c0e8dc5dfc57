import type { JsonObject, JsonValue } from "@threadfold/core";
import * as z from "@threadfold/core/schema";

// Type aliases instead of interfaces: only aliases are assignable to `JsonObject`.

/** Media whose bytes are in the request. */
export type GeminiBlob = { readonly mimeType: string; readonly data: string };

/** Media that the provider fetches. */
export type GeminiFile = { readonly mimeType: string; readonly fileUri: string };

export type GeminiText = { readonly text: string; readonly thought?: true; readonly thoughtSignature?: string };

export type GeminiMedia = { readonly inlineData: GeminiBlob } | { readonly fileData: GeminiFile };

export type GeminiFunctionCall = {
  readonly functionCall: { readonly id: string; readonly name: string; readonly args: JsonObject };
  readonly thoughtSignature?: string;
};

/** The response to a call: `output` if it succeeded, `error` if it failed. */
export type GeminiFunctionResponse = {
  readonly functionResponse: {
    readonly id: string;
    readonly name: string;
    readonly response: { readonly output: JsonValue } | { readonly error: JsonValue };
    readonly parts?: readonly GeminiMedia[];
  };
};

/** A part that Threadfold writes. */
export type GeminiPart = GeminiText | GeminiMedia | GeminiFunctionCall | GeminiFunctionResponse;

/** One turn of one side. The provider's own parts are unchanged. */
export type GeminiContent = {
  readonly role: "user" | "model";
  readonly parts: readonly (GeminiPart | JsonValue)[];
};

export type GeminiFunctionDeclaration = {
  readonly name: string;
  readonly description?: string;
  readonly parametersJsonSchema?: JsonObject;
};

export type GeminiTool = { readonly functionDeclarations: readonly GeminiFunctionDeclaration[] };

/**
 * Body of Gemini's `generateContent` in its wire format, without model name and generation settings. Google's own SDK
 * takes `systemInstruction` and `tools` inside its `config`.
 */
export type GeminiRequest = {
  readonly systemInstruction?: { readonly parts: readonly { readonly text: string }[] };
  readonly contents: readonly GeminiContent[];
  readonly tools?: readonly GeminiTool[];
};

/**
 * Request body of Gemini's `generateContent`, as far as Threadfold writes it; everything else is accepted. Built
 * lazily, when a foreign body is first checked.
 */
export const geminiRequestSchema = z.lazy(() => {
  const part = partSchema();
  const content = z
    .looseObject({ role: z.string().optional(), parts: z.array(part) })
    .refine(
      ({ role, parts }) => role === "model" || parts.every(isKnownPart),
      "the API takes no part of this kind here",
    );
  const declaration = z.looseObject({ name: z.string() });
  const tools = z.array(z.looseObject({ functionDeclarations: z.array(declaration).optional() })).optional();
  const systemInstruction = z.union([z.string(), z.looseObject({ parts: z.array(part) }), z.array(part)]).optional();
  return z.looseObject({
    systemInstruction,
    contents: z.union([z.string(), z.array(content)]),
    tools,
    config: z.looseObject({ systemInstruction, tools }).optional(),
  });
});

const FIELDS = [
  ...["text", "inlineData", "fileData", "functionCall", "functionResponse", "executableCode", "codeExecutionResult"],
  ...["toolCall", "toolResponse", "audioTranscription", "thought", "thoughtSignature", "partMetadata"],
  ...["videoMetadata", "mediaResolution", "mediaProcessing", "speechMetadata"],
];

/** The model may write parts of any further kind, because newer ones add some; the host only what the API documents. */
const isKnownPart = (part: object): boolean =>
  Object.keys(part).length === 0 || FIELDS.some((field) => Object.hasOwn(part, field));

const partSchema = () =>
  z.looseObject({
    text: z.string().optional(),
    thought: z.boolean().optional(),
    thoughtSignature: z.string().optional(),
    functionCall: z.looseObject({ name: z.string(), id: z.string().optional() }).optional(),
    functionResponse: z.looseObject({ name: z.string(), id: z.string().optional() }).optional(),
    inlineData: z.looseObject({ mimeType: z.string(), data: z.string() }).optional(),
    fileData: z.looseObject({ fileUri: z.string() }).optional(),
  });
