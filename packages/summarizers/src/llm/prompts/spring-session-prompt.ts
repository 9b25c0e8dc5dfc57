import type { PromptVariant } from "./prompt-variant.ts";
import { prosePrompt } from "./prose-prompt.ts";

/** Spring AI Session's recursive summary: the seed has no words of its prompt but the title of the summary before (seed 004). */
export const springSessionPrompt: PromptVariant = Object.freeze({
  ...prosePrompt,
  id: "spring-session",
  titles: { previous: "=== PRIOR SUMMARY ===" },
} satisfies PromptVariant);
