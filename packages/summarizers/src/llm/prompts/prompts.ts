import { ThreadfoldError } from "@threadfold/core";
import type { PromptVariant } from "./prompt-variant.ts";

/** The default: the sections of the AI SDK layer's summary, each as its own kind of item. */
export const threadfoldPrompt: PromptVariant = Object.freeze({
  id: "threadfold",
  version: 1,
  form: "json",
  system:
    "You keep the notes of an agent that works on a task. Older messages are about to be folded away, and your notes stand in their place. Whoever reads them has nothing else from that part of the conversation, so note what the work ahead depends on, and nothing that can be done without.",
  task: [
    "Go through the messages and note, under the section it belongs to:",
    "- constraints: every standing rule that the user or operator set, copied word for word.",
    "- files: each file that was read, created, modified or deleted, its exact path, and in a few words what it holds or what was done to it.",
    "- decisions: technical choices that bind later work (libraries, patterns, formats, names), with the reason.",
    "- openItems: what was asked for or planned, with its status. What was finished is `done`, what was called off is `cancelled`, the rest is `open`.",
    "- errors: what went wrong and what resolved it; no resolution means that it is still unresolved.",
    "- toolOutcomes: results that later steps build on (test runs, builds, created records), with their key values.",
    "- facts: what was found out about the code, the data or the user's wishes and fits nowhere else.",
    "- identifiers: exact names, numbers, hashes, versions and addresses that will be needed again.",
    "Say in currentTask what was being worked on at the end of these messages, and in currentPlan the steps that were still ahead.",
  ].join("\n"),
  instructionsTitle: "The user asks you to pay attention to this",
});

/**
 * Handoff to a goal, as in Amp, whose own words we do not have: only what the next task needs, into a fresh thread. The
 * instructions are the goal.
 */
export const handoffPrompt: PromptVariant = Object.freeze({
  id: "handoff",
  version: 2,
  form: "prose",
  system:
    "A new conversation is about to start for a goal that follows from this one. You pick out of this conversation what is needed to reach that goal, and leave out the rest, however much work went into it.",
  task: [
    "With the goal before you, write a briefing for whoever takes it on. Include:",
    "- what was found out or decided that the goal builds on, with the reasons;",
    "- files to read or change for it, by their exact paths, and names, numbers and addresses that it needs;",
    "- work that belongs to the goal and is not finished, and dead ends not to walk into again;",
    "- the first steps towards the goal.",
    "What has nothing to do with the goal is left out.",
  ].join("\n"),
  instructionsTitle: "The goal",
} satisfies PromptVariant);

/** For prompts of one text, whose systems send it behind the agent's own system prompt. */
export const PROSE_SYSTEM =
  "You summarize a conversation between a user and an agent, so that the work can go on from your summary.";

/**
 * For systems whose prompt we do not have (Goat): the one that pi's research into compaction recommends, word for word.
 */
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

/**
 * Spring AI Session's recursive summary: its documentation quotes of the prompt only the title of the summary before.
 */
export const springSessionPrompt: PromptVariant = Object.freeze({
  ...prosePrompt,
  id: "spring-session",
  titles: { previous: "=== PRIOR SUMMARY ===" },
} satisfies PromptVariant);

/** The Codex CLI's checkpoint, word for word (`templates/compact/prompt.md`). */
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

/**
 * OpenCode's compaction, its system prompt and its final user message, word for word (`compaction.txt` and
 * `compaction.ts`).
 */
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

/** Claude Code's /compact, word for word, as users extracted it. */
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

/** pi's compaction, word for word (based on Codex's). Its `maxTokens` is what a summary may take. */
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

/**
 * The round-by-round summary of the AI SDK layer (`generateSummary`), word for word, with its titles and its
 * temperature.
 */
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

/** All prompt variants. A new one is a constant above and a line here. */
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

/** The name under which presets ask for a prompt: `codex-v1` is the first version of the variant `codex`. */
export const promptNameOf = ({ id, version }: Pick<PromptVariant, "id" | "version">): string => `${id}-v${version}`;

/**
 * The prompt variant that a preset names as its `promptVersion`.
 *
 * @throws ThreadfoldError `INVALID_CONFIG` that lists the known names.
 */
export function promptByVersion(promptVersion: string): PromptVariant {
  const prompt = PROMPTS.find((variant) => promptNameOf(variant) === promptVersion);
  if (prompt !== undefined) return prompt;
  throw new ThreadfoldError("INVALID_CONFIG", `promptVersion: there is no prompt ${JSON.stringify(promptVersion)}.`, {
    details: { name: "promptVersion" },
    hint: `Known prompts: ${PROMPTS.map(promptNameOf).join(", ")}.`,
  });
}
