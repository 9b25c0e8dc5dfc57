import type { PromptVariant } from "./prompt-variant.ts";

/** The round-by-round summary of seed 003, `generateSummary`, word for word, with its titles and its temperature. */
export const aiSdkPrompt: PromptVariant = Object.freeze({
  id: "ai-sdk",
  version: 1,
  form: "prose",
  system: `You are summarizing a coding agent's conversation history.
Your summary will replace the compacted messages, so preserve ALL information 
needed to continue the task successfully.

CRITICAL: Be thorough but concise. Missing information cannot be recovered.`,
  task: `## Instructions
Create a summary with these EXACT sections:

### Session Summary (Compaction Round {compactionRound})

#### Original Task
[Preserve the user's original request verbatim]

#### Completed Work
| File/Component | Action | Description |
|----------------|--------|-------------|
[List each file touched with what was done]

#### Key Technical Decisions
- [Bullet list of choices that affect future work]
- [Include dependencies installed, patterns used, etc.]

#### Current State
- Working on: [what's in progress]
- Last completed: [most recent accomplishment]

#### Pending Work
- [ ] [Remaining items as checklist]

#### Errors & Resolutions
[Only include if errors were encountered. Format: error → resolution]

## Constraints
- Maximum 800 tokens
- Use tables and bullet points for density
- Include exact file paths
- No code blocks unless absolutely critical
- If previous summary exists, INTEGRATE (don't duplicate) its content`,
  instructionsTitle: "The user's own instructions for this summary",
  titles: {
    previous: "## Previous Summary",
    noPrevious: "None - this is the first compaction round.",
    originalTask: "## Original User Task",
    messages: "## Messages to Summarize",
  },
  temperature: 0.3,
} satisfies PromptVariant);
