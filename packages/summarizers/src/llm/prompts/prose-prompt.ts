import type { PromptVariant } from "./prompt-variant.ts";

/** For prompts of one text, whose systems send it behind the agent's own system prompt. */
export const PROSE_SYSTEM =
  "You summarize a conversation between a user and an agent, so that the work can go on from your summary.";

/** For systems whose prompt no seed has (000, Goat): what seed 001 recommends under "Compaction Prompt", word for word. */
export const prosePrompt: PromptVariant = Object.freeze({
  id: "prose",
  version: 1,
  form: "prose",
  system: PROSE_SYSTEM,
  task: `Create a detailed summary for continuing this coding session. Include:
1. **Completed work**: What tasks were finished
2. **Current state**: Files modified, their current status
3. **In progress**: What is being worked on now
4. **Next steps**: Clear actions to take
5. **Constraints**: User preferences, project requirements, key decisions made
6. **Critical context**: Any information essential for continuing
Be concise but preserve enough detail that work can continue seamlessly.`,
  instructionsTitle: "The user's own instructions for this summary",
} satisfies PromptVariant);
