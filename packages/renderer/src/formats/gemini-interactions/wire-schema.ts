import type { JsonObject, JsonValue } from "@threadfold/core";
import * as z from "@threadfold/core/schema";

// Type aliases instead of interfaces: only aliases are assignable to `JsonObject`.

type InteractionText = { readonly type: "text"; readonly text: string };

/** An image, document, audio or video: its bytes, or where the provider finds them. */
export type InteractionMedia = {
  readonly type: "image" | "document" | "audio" | "video";
  readonly data?: string;
  readonly uri?: string;
  readonly mime_type?: string;
};

export type InteractionContent = InteractionText | InteractionMedia;

/** Something the user says to the model, or the model to the user. */
export type InteractionSpeech = {
  readonly type: "user_input" | "model_output";
  readonly content: readonly InteractionContent[];
};

/** A thought of the model, with the signature that it is sent back with. */
export type InteractionThought = {
  readonly type: "thought";
  readonly signature: string;
  readonly summary?: readonly InteractionText[];
};

type InteractionCall = {
  readonly type: "function_call";
  readonly id: string;
  readonly name: string;
  readonly arguments: JsonObject;
};

type InteractionResult = {
  readonly type: "function_result";
  readonly call_id: string;
  readonly name: string;
  readonly result: string | JsonObject | readonly InteractionContent[];
  readonly is_error?: true;
};

/** A step that Threadfold writes. */
export type InteractionStep = InteractionSpeech | InteractionThought | InteractionCall | InteractionResult;

export type InteractionFunction = {
  readonly type: "function";
  readonly name: string;
  readonly description?: string;
  readonly parameters?: JsonObject;
};

/** The part of an interaction that Threadfold makes. Steps of the provider's own tools are unchanged. */
export type InteractionRequest = {
  readonly system_instruction?: string;
  readonly tools?: readonly InteractionFunction[];
  readonly input: readonly (InteractionStep | JsonValue)[];
  readonly store: false;
};

/**
 * Request body of Gemini's Interactions API, as far as Threadfold writes it; everything else is accepted. Built lazily,
 * when a foreign body is first checked.
 */
export const interactionRequestSchema = z.lazy(() =>
  z.looseObject({
    system_instruction: z.string().optional(),
    input: z.union([z.string(), z.array(stepSchema())]),
    tools: z.array(z.looseObject({ type: z.string() })).optional(),
    store: z.boolean().optional(),
  }),
);

/** Steps of any other type (the provider's own tools) are accepted: newer models add kinds. */
function stepSchema() {
  const known = knownStepSchemas();
  return z.looseObject({ type: z.string() }).superRefine((value, context) => {
    for (const issue of known[value.type]?.safeParse(value).error?.issues ?? [])
      context.addIssue({ code: "custom", path: issue.path, message: issue.message });
  });
}

function knownStepSchemas(): Readonly<Record<string, z.ZodType>> {
  const content = z.array(
    z.union([
      z.looseObject({ type: z.literal("text"), text: z.string() }),
      z.looseObject({ type: z.enum(["image", "document", "audio", "video"]) }),
    ]),
  );
  return {
    user_input: z.looseObject({ content }),
    model_output: z.looseObject({ content }),
    thought: z.looseObject({ signature: z.string().optional(), summary: content.optional() }),
    function_call: z.looseObject({ id: z.string(), name: z.string() }),
    function_result: z.looseObject({
      call_id: z.string(),
      result: z.union([z.string(), content, z.looseObject({})]),
      is_error: z.boolean().optional(),
    }),
  };
}
