import { ThreadfoldError } from "@threadfold/core";

/**
 * A prompt for summaries, as data. The rest of the question is the same for all variants: the messages, the previous
 * summary and, for notes, the shape of the answer and the rules that code checks. When a variant's text changes, it
 * gets a new version, because the version is part of cache keys.
 */
export interface PromptVariant {
  readonly id: string;
  readonly version: number;
  /** Form of the answer: `json` for notes that code checks and merges, `prose` for a text that is used unchanged. */
  readonly form: "json" | "prose";
  /** System text: who the model is and for whom it writes. */
  readonly system: string;
  /** What to write. `{compactionRound}` is replaced with the number of folds, including this one. */
  readonly task: string;
  /** Title above the caller's instructions. */
  readonly instructionsTitle: string;
  /** Titles for the parts of a question for prose, instead of Threadfold's own. */
  readonly titles?: ProseTitles;
  /** The tag in which the task asks for a prose summary. Anything outside it, such as an analysis, is dropped. */
  readonly answerTag?: string;
  /** Sampling temperature, if the prompt's source sets one. */
  readonly temperature?: number;
}

/** Titles for the parts of a question for prose. */
export interface ProseTitles {
  /** Above the previous summary; Threadfold's own title by default. */
  readonly previous?: string;
  /** Text in place of the previous summary when there is none yet. */
  readonly noPrevious?: string;
  /** Above the user's first request, which is quoted separately only if this title is set. */
  readonly originalTask?: string;
  /** Above the messages. */
  readonly messages?: string;
}

/** Returns the version of a variant's prompt for identities, including the version of the rest of the question. */
export const promptVersionOf = ({ id, version, form }: PromptVariant): string =>
  `${id}@${version}+${form === "json" ? ANSWER_FORMAT_VERSION : `prose${PROSE_FRAME_VERSION}`}`;

/** Version of the answer format. Bump it when the described answer or the rules around it change. */
export const ANSWER_FORMAT_VERSION = 2;

/** Version of the text around a prompt for prose. Bump it when that text changes. */
export const PROSE_FRAME_VERSION = 2;

/** The default: the sections of the AI SDK layer's summary, each as its own kind of item. */
export const threadfoldPrompt: PromptVariant = Object.freeze({
  id: "threadfold",
  version: 2,
  form: "json",
  system:
    "You keep notes for an agent that is working on a task. Older messages are about to be folded away, and your notes will replace them. Their reader has nothing else from that part of the conversation, so note what the remaining work depends on, and nothing that it can do without.",
  task: [
    "Go through the messages and note, under the section it belongs to:",
    "- constraints: every standing rule that the user or operator set, copied word for word.",
    "- files: each file that was read, created, modified or deleted, its exact path, and in a few words what it holds or what was done to it.",
    "- decisions: technical choices that bind later work (libraries, patterns, formats, names), with the reason.",
    "- openItems: what was requested or planned, with its status: `done` if it was finished, `cancelled` if it was called off, otherwise `open`.",
    "- errors: what went wrong and what resolved it; an error without a resolution counts as unresolved.",
    "- toolOutcomes: results that later steps build on (test runs, builds, created records), with their key values.",
    "- facts: what was learned about the code, the data or the user's wishes and fits in no other section.",
    "- identifiers: exact names, numbers, hashes, versions and addresses that will be needed again.",
    "In currentTask, say what was being worked on at the end of these messages, and in currentPlan the steps that remained.",
  ].join("\n"),
  instructionsTitle: "The user asks you to pay attention to this",
});

/**
 * Handoff to a goal, as in Amp, whose own prompt is not public to us: passes only what the next task needs to a new
 * thread. The instructions are the goal.
 */
export const handoffPrompt: PromptVariant = Object.freeze({
  id: "handoff",
  version: 3,
  form: "prose",
  system:
    "A new conversation is about to start for a goal that follows from this one. Select from this conversation what is needed to reach that goal, and leave out the rest, however much work went into it.",
  task: [
    "Write a briefing for whoever takes on this goal. Include:",
    "- findings and decisions that the goal builds on, with the reasons;",
    "- files to read or change for it, with their exact paths, and the names, numbers and addresses that it needs;",
    "- unfinished work that belongs to the goal, and dead ends to avoid;",
    "- the first steps toward the goal.",
    "Leave out everything that has nothing to do with the goal.",
  ].join("\n"),
  instructionsTitle: "The goal",
} satisfies PromptVariant);

/**
 * System text for prompts that consist of a single text, which their systems send after the agent's own system prompt.
 */
export const PROSE_SYSTEM =
  "You summarize a conversation between a user and an agent, so that the work can go on from your summary.";

/**
 * The prompt that pi's research into compaction recommends, word for word; for systems whose own we do not have (Goat).
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

/** Spring AI Session's recursive summary. Its documentation quotes only the title of the previous summary. */
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

/** pi's compaction, word for word (based on Codex's). pi's `maxTokens` is the limit of a summary. */
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

/** All prompt variants. To add one, define a constant above and list it here. */
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

/** Returns the name by which presets refer to a prompt: `codex-v1` is the first version of the variant `codex`. */
export const promptNameOf = ({ id, version }: Pick<PromptVariant, "id" | "version">): string => `${id}-v${version}`;

/**
 * Returns the prompt variant that a preset names as its `promptVersion`.
 *
 * @throws ThreadfoldError `INVALID_CONFIG` when there is no such prompt; its hint lists the known names.
 */
export function promptByVersion(promptVersion: string): PromptVariant {
  const prompt = PROMPTS.find((variant) => promptNameOf(variant) === promptVersion);
  if (prompt !== undefined) return prompt;
  throw new ThreadfoldError("INVALID_CONFIG", `promptVersion: there is no prompt ${JSON.stringify(promptVersion)}.`, {
    details: { name: "promptVersion" },
    hint: `Known prompts: ${PROMPTS.map(promptNameOf).join(", ")}.`,
  });
}
