import type { PromptVariant } from "./prompt-variant.ts";
import { PROSE_SYSTEM } from "./prose-prompt.ts";

/** pi's compaction, word for word (seed 001, "Prompt (based on Codex, enhanced)"). Its `maxTokens` is what a summary may take. */
export const piPrompt: PromptVariant = Object.freeze({
  id: "pi",
  version: 3,
  form: "prose",
  system: PROSE_SYSTEM,
  task: `You are performing a CONTEXT CHECKPOINT COMPACTION. Create a handoff summary for another LLM that will resume the task.
Include:
- Current progress and key decisions made
- Important context, constraints, or user preferences
- Absolute file paths of any relevant files that were read or modified
- What remains to be done (clear next steps)
- Any critical data, examples, or references needed to continue
Be concise, structured, and focused on helping the next LLM seamlessly continue the work.`,
  instructionsTitle: "Focus that the user asked for",
} satisfies PromptVariant);
