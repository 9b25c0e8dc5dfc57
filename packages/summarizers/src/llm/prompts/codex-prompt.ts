import type { PromptVariant } from "./prompt-variant.ts";
import { PROSE_SYSTEM } from "./prose-prompt.ts";

/** The Codex CLI's checkpoint, word for word (seed 001, `templates/compact/prompt.md`). */
export const codexPrompt: PromptVariant = Object.freeze({
  id: "codex",
  version: 2,
  form: "prose",
  system: PROSE_SYSTEM,
  task: `You are performing a CONTEXT CHECKPOINT COMPACTION. Create a handoff summary for another LLM that will resume the task.
Include:
- Current progress and key decisions made
- Important context, constraints, or user preferences
- What remains to be done (clear next steps)
- Any critical data, examples, or references needed to continue
Be concise, structured, and focused on helping the next LLM seamlessly continue the work.`,
  instructionsTitle: "Additional instructions of the user for this checkpoint",
} satisfies PromptVariant);
