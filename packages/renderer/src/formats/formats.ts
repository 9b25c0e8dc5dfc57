import { ThreadfoldError } from "@threadfold/core";
import { aiSdk } from "./ai-sdk/format.ts";
import { anthropicMessages } from "./anthropic-messages/format.ts";
import { gemini } from "./gemini/format.ts";
import { geminiInteractions } from "./gemini-interactions/format.ts";
import { neutral } from "./neutral/format.ts";
import { openaiChat } from "./openai-chat/format.ts";
import { openaiResponses } from "./openai-responses/format.ts";
import type { ProviderFormat } from "./provider-format.ts";

/** Every built-in format. Adding one takes a folder and a line here. */
export const FORMATS: readonly ProviderFormat[] = Object.freeze([
  anthropicMessages,
  openaiChat,
  openaiResponses,
  gemini,
  geminiInteractions,
  aiSdk,
  neutral,
]);

/** Short names of formats, for people, mapped to format ids. */
const SHORT_NAMES: ReadonlyMap<string, string> = new Map([["anthropic", anthropicMessages.id]]);

/** Every name that {@link formatById} accepts for built-in formats. */
export const FORMAT_NAMES: readonly string[] = Object.freeze([...SHORT_NAMES.keys(), ...FORMATS.map(({ id }) => id)]);

/**
 * Returns the format with this id or short name.
 *
 * @param own custom formats; they take precedence over the built-in ones.
 * @throws ThreadfoldError `INVALID_CONFIG` when there is no such format; the hint lists all names.
 */
export function formatById(id: string, own: readonly ProviderFormat[] = []): ProviderFormat {
  const format = [...own, ...FORMATS].find((known) => known.id === (SHORT_NAMES.get(id) ?? id));
  if (format !== undefined) return format;
  const names = [...own.map((known) => known.id), ...FORMAT_NAMES];
  throw new ThreadfoldError("INVALID_CONFIG", `There is no request format ${id}.`, {
    hint: `Name one of: ${names.join(", ")}. A format of your own is passed itself, as format or, where requests are replayed, in formats.`,
    details: { format: id },
  });
}
