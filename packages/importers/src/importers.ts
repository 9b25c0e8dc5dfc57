import { aiSdkImporter } from "./ai-sdk/ai-sdk-importer.ts";
import { anthropicMessagesImporter } from "./anthropic-messages/anthropic-messages-importer.ts";
import { claudeCodeImporter } from "./claude-code/claude-code-importer.ts";
import { clineImporter } from "./cline/cline-importer.ts";
import { codexImporter } from "./codex/codex-importer.ts";
import { miniSweAgentImporter } from "./mini-swe-agent/mini-swe-agent-importer.ts";
import { openaiChatImporter } from "./openai-chat/openai-chat-importer.ts";
import { openaiResponsesImporter } from "./openai-responses/openai-responses-importer.ts";
import { opencodeImporter } from "./opencode/opencode-importer.ts";
import { openhandsImporter } from "./openhands/openhands-importer.ts";
import { piImporter } from "./pi/pi-importer.ts";
import type { SessionImporter } from "./session-importer.ts";
import { sweAgentImporter } from "./swe-agent/swe-agent-importer.ts";
import { tauBenchImporter } from "./tau-bench/tau-bench-importer.ts";

/** Every importer. Where two are equally sure of a source, the earlier one takes it. */
export const IMPORTERS: readonly SessionImporter[] = Object.freeze([
  piImporter,
  claudeCodeImporter,
  codexImporter,
  opencodeImporter,
  clineImporter,
  openhandsImporter,
  sweAgentImporter,
  miniSweAgentImporter,
  tauBenchImporter,
  aiSdkImporter,
  openaiChatImporter,
  openaiResponsesImporter,
  anthropicMessagesImporter,
]);
