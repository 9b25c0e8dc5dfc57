import type { JsonObject, JsonValue } from "@threadfold/core";

// Aliases and no interfaces: only those are assignable to `JsonObject`.

/** Media whose bytes stand in the request. */
export type GeminiBlob = { readonly mimeType: string; readonly data: string };

/** Media that the provider fetches. */
export type GeminiFile = { readonly mimeType: string; readonly fileUri: string };

export type GeminiText = { readonly text: string; readonly thought?: true; readonly thoughtSignature?: string };

export type GeminiMedia = { readonly inlineData: GeminiBlob } | { readonly fileData: GeminiFile };

export type GeminiFunctionCall = {
  readonly functionCall: { readonly id: string; readonly name: string; readonly args: JsonObject };
  readonly thoughtSignature?: string;
};

/** `output` of a call that went well, `error` of one that failed. */
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

/** What one side says at a time. Parts of the provider stand as they came. */
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
 * Body of Gemini's `generateContent` as it goes over the wire, without model name and generation settings. Google's own SDK
 * takes `systemInstruction` and `tools` inside its `config`.
 */
export type GeminiRequest = {
  readonly systemInstruction?: { readonly parts: readonly { readonly text: string }[] };
  readonly contents: readonly GeminiContent[];
  readonly tools?: readonly GeminiTool[];
};
