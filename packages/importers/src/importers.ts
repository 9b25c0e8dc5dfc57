import { anthropicMessagesImporter } from "./anthropic-messages/anthropic-messages-importer.ts";
import { claudeCodeImporter } from "./claude-code/claude-code-importer.ts";
import { openaiChatImporter } from "./openai-chat/openai-chat-importer.ts";
import { piImporter } from "./pi/pi-importer.ts";
import type { SessionImporter } from "./session-importer.ts";

/** Every importer. Where two are equally sure of a source, the earlier one takes it. */
export const IMPORTERS: readonly SessionImporter[] = Object.freeze([
  piImporter,
  claudeCodeImporter,
  openaiChatImporter,
  anthropicMessagesImporter,
]);
