import type { MediaPart, Part, ReasoningPart } from "@threadfold/core";
import { providerOptions } from "../draft/provider-options.ts";
import { sourceOfUrl } from "../openai-chat/openai-parts.ts";
import { type ForeignObject, nonEmptyText, textOf } from "../reading/foreign-value.ts";

/** What stands for a compaction, and for a task that the user gave to a sub-agent, in what the model is sent. */
const COMPACTION_QUESTION = "What did we do so far?";
const SUBTASK_NOTE = "The following tool was executed by the user";

/** Files of these types are not sent: their text stands in parts of its own. */
const READ_AS_TEXT = new Set(["text/plain", "application/x-directory"]);

/** A part of a message that the model is sent; undefined for one that it is not sent (steps, snapshots, patches, retries). */
export function opencodePart(data: ForeignObject, provider: string): Part | undefined {
  switch (data.type) {
    case "text":
      return readText(data);
    case "reasoning":
      return readReasoning(data, provider);
    case "file":
      return readFile(data);
    case "compaction":
      return { type: "text", text: COMPACTION_QUESTION };
    case "subtask":
      return { type: "text", text: SUBTASK_NOTE };
    default:
      return undefined;
  }
}

function readText(data: ForeignObject): Part | undefined {
  const text = textOf(data.text);
  if (text === undefined || data.ignored === true) return undefined;
  return { type: "text", text, ...providerOptions(data.metadata) };
}

function readReasoning(data: ForeignObject, provider: string): ReasoningPart {
  const { providerMetadata } = providerOptions(data.metadata);
  const owner = Object.keys(providerMetadata ?? {})[0] ?? provider;
  const own = providerMetadata?.[owner];
  const signature = nonEmptyText(own?.signature);
  const encrypted = nonEmptyText(own?.reasoningEncryptedContent) ?? nonEmptyText(own?.redactedData);
  return {
    type: "reasoning",
    text: textOf(data.text) ?? "",
    provider: owner,
    ...(signature !== undefined && { signature }),
    ...(encrypted !== undefined && { encrypted }),
    ...(providerMetadata && { providerMetadata }),
  };
}

/** A file that is sent, with its bytes in the URL or somewhere else. */
export function readFile(data: ForeignObject): MediaPart | undefined {
  const [url, mediaType] = [textOf(data.url), textOf(data.mime)];
  if (url === undefined || READ_AS_TEXT.has(mediaType ?? "")) return undefined;
  const name = nonEmptyText(data.filename);
  return {
    type: mediaType?.startsWith("image/") === true ? "image" : "file",
    source: sourceOfUrl(url),
    ...(name !== undefined && { name }),
  };
}

/** True when OpenCode wrote the part and not the user. */
export const isSynthetic = (data: ForeignObject): boolean =>
  data.synthetic === true || data.type === "compaction" || data.type === "subtask";
