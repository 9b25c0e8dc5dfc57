import { aiSdkPrompt } from "./ai-sdk-prompt.ts";
import { claudeCodePrompt } from "./claude-code-prompt.ts";
import { codexPrompt } from "./codex-prompt.ts";
import { handoffPrompt } from "./handoff-prompt.ts";
import { opencodePrompt } from "./opencode-prompt.ts";
import { piPrompt } from "./pi-prompt.ts";
import type { PromptVariant } from "./prompt-variant.ts";
import { prosePrompt } from "./prose-prompt.ts";
import { springSessionPrompt } from "./spring-session-prompt.ts";
import { threadfoldPrompt } from "./threadfold-prompt.ts";

/** All prompt variants. A new one is a file beside these and a line here. */
export const PROMPTS: readonly PromptVariant[] = Object.freeze([
  threadfoldPrompt,
  codexPrompt,
  opencodePrompt,
  claudeCodePrompt,
  piPrompt,
  handoffPrompt,
  aiSdkPrompt,
  prosePrompt,
  springSessionPrompt,
]);
