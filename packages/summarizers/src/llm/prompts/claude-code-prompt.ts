import type { PromptVariant } from "./prompt-variant.ts";
import { PROSE_SYSTEM } from "./prose-prompt.ts";

/** Claude Code's /compact, word for word (seed 001, "Prompt (extracted from community)"). */
export const claudeCodePrompt: PromptVariant = Object.freeze({
  id: "claude-code",
  version: 2,
  form: "prose",
  system: PROSE_SYSTEM,
  task: `Your task is to create a detailed summary of the conversation so far, paying close attention to the user's explicit requests and your previous actions. This summary will be used as context when continuing the conversation, so preserve critical information including:
- What was accomplished
- Current work in progress
- Files involved
- Next steps
- Key user requests or constraints`,
  instructionsTitle: "Compact with these instructions of the user in mind",
} satisfies PromptVariant);
