import type { PromptVariant } from "./prompt-variant.ts";

/** OpenCode's compaction, its system prompt and its final user message, word for word (seed 001, `compaction.txt` and `compaction.ts`). */
export const opencodePrompt: PromptVariant = Object.freeze({
  id: "opencode",
  version: 2,
  form: "prose",
  system: `You are a helpful AI assistant tasked with summarizing conversations.
When asked to summarize, provide a detailed but concise summary of the conversation.
Focus on information that would be helpful for continuing the conversation, including:
- What was done
- What is currently being worked on
- Which files are being modified
- What needs to be done next
- Key user requests, constraints, or preferences that should persist
- Important technical decisions and why they were made
Your summary should be comprehensive enough to provide context but concise enough to be quickly understood.`,
  task: "Summarize our conversation above. This summary will be the only context available when the conversation continues, so preserve critical information including: what was accomplished, current work in progress, files involved, next steps, and any key user requests or constraints. Be concise but detailed enough that work can continue seamlessly.",
  instructionsTitle: "The user's own instructions for this summary",
} satisfies PromptVariant);
