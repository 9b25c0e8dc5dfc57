import type { JsonObject, JsonValue } from "@threadfold/core";
import type { LanguageModelMiddleware } from "ai";

type CallOptions = Parameters<NonNullable<LanguageModelMiddleware["wrapGenerate"]>>[0]["params"];

/** The prompt of a language model of the SDK. */
export type LanguageModelPrompt = CallOptions["prompt"];

/** A prompt, taken apart into what a session's frame is and what its thread is. */
export function partsOfPrompt(prompt: LanguageModelPrompt): {
  readonly instructions: readonly unknown[];
  readonly messages: readonly unknown[];
} {
  const first = prompt.findIndex(({ role }) => role !== "system");
  const split = first === -1 ? prompt.length : first;
  return { instructions: prompt.slice(0, split), messages: prompt.slice(split) };
}

/**
 * Messages for the SDK as a prompt for one of its models: instructions first, results of one batch in one message, and
 * files in the form of the model's specification (`v4` names the kind of their data, `v3` does not).
 */
export function languageModelPrompt(payload: JsonObject, specification: string): LanguageModelPrompt {
  const { instructions = [], messages = [] } = payload as Readonly<Record<string, readonly JsonObject[]>>;
  const prompt: Record<string, unknown>[] = [...instructions];
  for (const { content, ...message } of messages) {
    const parts = (content as readonly JsonObject[]).map((part) => promptPart(part, specification === "v4"));
    const last = prompt.at(-1);
    if (message.role === "tool" && last?.["role"] === "tool" && message.providerOptions === undefined)
      last["content"] = [...(last["content"] as readonly unknown[]), ...parts];
    else prompt.push({ ...message, content: parts });
  }
  return prompt as unknown as LanguageModelPrompt;
}

function promptPart(part: JsonObject, tagged: boolean): unknown {
  if (part["type"] === "file") return { ...part, data: fileData(part["data"], tagged) };
  const output = part["output"] as JsonObject | undefined;
  if (!tagged || part["type"] !== "tool-result" || output?.["type"] !== "content") return part;
  return { ...part, output: { ...output, value: (output["value"] as readonly JsonObject[]).map(resultPart) } };
}

/** Media in a result: the newer specification has one kind of part for what the older one has four. */
function resultPart(part: JsonObject): unknown {
  const { type, data, url, mediaType, filename } = part;
  const kind = /^(image|file)-(data|url)$/.exec(String(type));
  if (kind === null) return part;
  const file = { type: "file", data: fileData(kind[2] === "url" ? url : data, true) };
  return {
    ...file,
    mediaType: mediaType ?? (kind[1] === "image" ? "image" : "application"),
    ...(filename && { filename }),
  };
}

function fileData(data: JsonValue | undefined, tagged: boolean): unknown {
  if (typeof data !== "string") return data;
  const url = /^[a-z][a-z0-9+.-]*:/i.test(data.slice(0, 40)) ? new URL(data) : undefined;
  if (!tagged) return url ?? data;
  return url === undefined ? { type: "data", data } : { type: "url", url };
}
