import { ThreadfoldError } from "@threadfold/core";
import { aiSdk } from "./ai-sdk/format.ts";
import { anthropicMessages } from "./anthropic-messages/format.ts";
import { gemini } from "./gemini/format.ts";
import { geminiInteractions } from "./gemini-interactions/format.ts";
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
  geminiInteractions,
  aiSdk,
  neutral,
]);

/** Short names of formats, for people, and the ids that they stand for. */
const SHORT_NAMES: ReadonlyMap<string, string> = new Map([["anthropic", anthropicMessages.id]]);

/** Every name that {@link formatById} knows. */
export const FORMAT_NAMES: readonly string[] = Object.freeze([...SHORT_NAMES.keys(), ...FORMATS.map(({ id }) => id)]);

/**
 * The format of that id or short name.
 *
 * @param own formats that do not come with this package; they go before those that do.
 * @throws ThreadfoldError `INVALID_CONFIG` when there is none; the hint names all.
 */
export function formatById(id: string, own: readonly ProviderFormat[] = []): ProviderFormat {
  const format = [...own, ...FORMATS].find((known) => known.id === (SHORT_NAMES.get(id) ?? id));
  if (format !== undefined) return format;
  const names = [...own.map((known) => known.id), ...FORMAT_NAMES];
  throw new ThreadfoldError("INVALID_CONFIG", `There is no request format ${id}.`, {
    hint: `Name one of: ${names.join(", ")}.`,
    details: { format: id },
  });
}
