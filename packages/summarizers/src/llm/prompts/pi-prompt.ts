import type { PromptVariant } from "./prompt-variant.ts";

/**
 * pi's compaction (seed 001): a checkpoint for another model that also wants the absolute path of every relevant file. Its
 * `maxTokens` is what a summary may take, 0.8 of pi's reserve.
 */
export const piPrompt: PromptVariant = Object.freeze({
  id: "pi",
  version: 2,
  system:
    "You prepare a context checkpoint: another model resumes the task with nothing but your handoff and the most recent messages. Be concise and structured.",
  task: [
    "The handoff holds:",
    "- progress so far and the key decisions (decisions, done openItems);",
    "- context, constraints and preferences that matter (constraints, word for word; facts);",
    "- the absolute path of every relevant file that was read or changed, pictures included (files);",
    "- what remains, as clear next steps (open openItems, currentPlan);",
    "- critical data, examples and references (toolOutcomes, errors, identifiers).",
  ].join("\n"),
  instructionsTitle: "Focus that the user asked for",
  answersWithinSummary: true,
});
