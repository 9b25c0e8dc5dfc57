import type { ProcessLLMRequestArgs } from "@mastra/core/processors";
import type { JsonObject } from "@threadfold/core";
import { languageModelPrompt } from "../ai-sdk/language-model-prompt.ts";

/** A prompt as Mastra hands it to its processors, whatever the version of the model behind it. */
export type MastraPrompt = ProcessLLMRequestArgs["prompt"];

/** The version of the AI SDK's specification whose prompts these are. */
const SPECIFICATION = "v2";

type Fields = Readonly<Record<string, unknown>>;

/**
 * A message of such a prompt without what Mastra notes for itself under its own name, such as the time of a part: it is
 * another one each time that a message is handed in, and no provider reads it.
 */
export function withoutNotes(message: unknown): unknown {
  const { content, ...fields } = message as Fields;
  return { ...withoutOwn(fields), content: Array.isArray(content) ? content.map(withoutOwn) : content };
}

function withoutOwn({ providerOptions, ...fields }: Fields): Fields {
  const { mastra: _own, ...others } = (providerOptions ?? {}) as Fields;
  return Object.keys(others).length === 0 ? fields : { ...fields, providerOptions: others };
}

/** Messages for the AI SDK as a prompt for Mastra, in which media in a result have one form. */
export function mastraPrompt(payload: JsonObject): MastraPrompt {
  const prompt = languageModelPrompt(payload, SPECIFICATION) as unknown as readonly JsonObject[];
  return prompt.map((message) => {
    if (message["role"] !== "tool") return message;
    return { ...message, content: (message["content"] as readonly JsonObject[]).map(resultPart) };
  }) as unknown as MastraPrompt;
}

function resultPart(part: JsonObject): JsonObject {
  const output = part["output"] as JsonObject | undefined;
  if (output?.["type"] !== "content") return part;
  return { ...part, output: { ...output, value: (output["value"] as readonly JsonObject[]).map(mediaPart) } };
}

/** That version has bytes in a result and no addresses: an address is told as text. */
function mediaPart(part: JsonObject): JsonObject {
  const { type, data, url, mediaType } = part;
  if (type === "text") return part;
  return url === undefined ? { type: "media", data, mediaType } : { type: "text", text: `[${url}]` };
}
