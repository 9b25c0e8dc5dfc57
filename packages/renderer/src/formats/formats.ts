import { ThreadfoldError } from "@threadfold/core";
import { aiSdk } from "./ai-sdk/format.ts";
import { anthropicMessages } from "./anthropic-messages/format.ts";
import { gemini } from "./gemini/format.ts";
import { neutral } from "./neutral/format.ts";
import { openaiChat } from "./openai-chat/format.ts";
import { openaiResponses } from "./openai-responses/format.ts";
import type { ProviderFormat } from "./provider-format.ts";

/** Every format. A new one is a folder and a line here. */
export const FORMATS: readonly ProviderFormat[] = Object.freeze([
  anthropicMessages,
  openaiChat,
  openaiResponses,
  gemini,
  aiSdk,
  neutral,
]);

/** The format of that id. @throws ThreadfoldError `USAGE` when there is none; the message names those there are. */
export function formatById(id: string): ProviderFormat {
  const format = FORMATS.find((known) => known.id === id);
  if (format !== undefined) return format;
  const known = FORMATS.map((one) => one.id).join(", ");
  throw new ThreadfoldError("USAGE", `There is no request format ${id}.`, {
    hint: `Name one of: ${known}.`,
    details: { format: id },
  });
}
